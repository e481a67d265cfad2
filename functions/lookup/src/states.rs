//! Categories and terms before and after a change, as answers show them.

use serde::Serialize;
use taxonomy_keys::Culture;
use taxonomy_versions::Node;
use utoipa::ToSchema;

use crate::best_name::CategoryNamed;

/// A category or a term in one version; by its id and the version there is more.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeState {
    /// Its name.
    name: String,
    /// The culture of the name.
    pub(crate) culture: String,
    /// Of a term `{category name}:{term name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Sector:Rust development")]
    final_name: Option<String>,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    path: Option<String>,
    /// Of a term the category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    category: Option<u64>,
    /// The term above it; absent for a top term and a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    parent: Option<u64>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    notation: Option<String>,
    /// Not to be used for new things.
    deprecated: bool,
    /// The ids that replace it, as the file of the version says; absent where it says nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced_by: Vec<u64>,
    /// The version removed it; all else is what it was last. Absent where it did not.
    #[serde(skip_serializing_if = "is_false")]
    removed: bool,
}

/// A kind of change.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "it describes `taxonomy_model::ChangeKind` and is never built"
)]
pub(crate) enum ChangeOperation {
    /// The later version alone has it.
    Added,
    /// The earlier version alone has it.
    Removed,
    /// Its name in any culture is another, or there is one more or one less.
    Renamed,
    /// It has another parent or another category.
    Moved,
    /// It is deprecated now.
    Deprecated,
    /// It is deprecated no longer.
    Restored,
    /// Another field is another; `fields` names it.
    Changed,
    /// Its FinalName in the default culture is another, for whatever reason.
    FinalName,
}

impl NodeState {
    /// The state of a live node, named in the first culture of `order` that it is named in; none for a removed one.
    pub(crate) fn of(node: &Node, order: &[Culture]) -> Option<Self> {
        if let Some(term) = node.stored_term(order) {
            return Some(Self {
                path: term.paths().swap_remove(0),
                culture: term.culture.to_string(),
                final_name: Some(term.final_name),
                category: Some(term.category_id.get()),
                parent: term.lineage.first().map(|parent| parent.id.get()),
                name: term.name,
                notation: term.notation,
                deprecated: term.deprecated,
                replaced_by: term.replaced_by,
                removed: false,
            });
        }
        let category = node.stored_category()?;
        let named = CategoryNamed::of(&category, order);
        Some(Self {
            name: named.name.to_owned(),
            culture: named.culture.to_string(),
            final_name: None,
            path: named.path.map(str::to_owned),
            category: None,
            parent: None,
            notation: category.notation.clone(),
            deprecated: category.deprecated,
            replaced_by: category.replaced_by.clone(),
            removed: false,
        })
    }

    /// The state after the version that removed it.
    pub(crate) fn removed(&self) -> Self {
        Self {
            deprecated: true,
            removed: true,
            ..self.clone()
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}
