//! Categories and terms before and after a change, in the form of responses.

use serde::Serialize;
use taxonomy_keys::Culture;
use taxonomy_model::{Name, Node};
use utoipa::ToSchema;

use crate::files::FileNode;
use crate::routes::best_name::CategoryNamed;

/// A category or a term in one version, in short; the operation by id, with that version, returns all of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeState {
    /// Its name.
    pub(crate) name: String,
    /// The culture of the name.
    pub(crate) culture: String,
    /// For a term `{category name}:{term name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Sector:Rust development")]
    pub(crate) final_name: Option<String>,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) path: Option<String>,
    /// For a term the id of its category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) category: Option<u64>,
    /// The term above it; absent for a top term and a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    parent: Option<u64>,
    /// For a term what is above it, with `include=places`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    place: Option<TermPlace>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) notation: Option<String>,
    /// Whether the category or term is deprecated: not for new use.
    pub(crate) deprecated: bool,
    /// The ids that replace it, as in the file of the version; absent where the file has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced_by: Vec<u64>,
    /// Whether the version removed it; the other members are those of the last version that had it. Absent where it did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
}

/// What is above a term, with names.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct TermPlace {
    /// Its category.
    category: Above,
    /// The terms above it, nearest first; none for a top term.
    ancestors: Vec<Above>,
}

/// A category or a term above a term.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Above {
    /// The category or the term.
    pub(crate) id: u64,
    /// Its name.
    pub(crate) name: String,
    /// The culture of the name.
    pub(crate) culture: String,
}

impl Above {
    fn new(id: u64, node: Node<'_>, order: &[Culture]) -> Self {
        let Name { name, culture, .. } = node.name_by(order);
        let (name, culture) = (name.to_owned(), culture.to_string());
        Self { id, name, culture }
    }

    /// Returns the category, or that of the term; none for a removed one.
    pub(crate) fn category_of(node: &FileNode, order: &[Culture]) -> Option<Self> {
        let category = node.term().map(|term| term.category());
        let category = category.or_else(|| node.category())?;
        Some(Self::new(category.id().get(), category.node, order))
    }
}

impl TermPlace {
    fn new(node: &FileNode, order: &[Culture]) -> Option<Self> {
        let ancestors = node.term()?.ancestors();
        let ancestors = ancestors.map(|term| Above::new(term.id().get(), term.node, order));
        Some(Self {
            category: Above::category_of(node, order)?,
            ancestors: ancestors.collect(),
        })
    }
}

/// A kind of change.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "it describes `taxonomy_model::ChangeKind` and is never built"
)]
pub(crate) enum ChangeOperation {
    /// Only the later version has it.
    Added,
    /// Only the earlier version has it.
    Removed,
    /// Its name differs in any culture, or a culture was added or removed.
    Renamed,
    /// Its parent or its category differs.
    Moved,
    /// The later version deprecates it.
    Deprecated,
    /// The later version no longer deprecates it.
    Restored,
    /// Another field differs; `fields` names it.
    Changed,
    /// Its FinalName in the default culture differs, for whatever reason.
    FinalName,
}

impl NodeState {
    /// Returns the state of a live node, in the first culture of `order` in which it has a name; none for a removed one.
    pub(crate) fn new(node: &FileNode, order: &[Culture]) -> Option<Self> {
        if let Some(term) = node.stored_term(order) {
            return Some(Self {
                path: term.paths().swap_remove(0),
                culture: term.culture.to_string(),
                final_name: Some(term.final_name),
                category: Some(term.category_id.get()),
                parent: term.lineage.first().map(|parent| parent.id.get()),
                place: None,
                name: term.name,
                notation: term.notation,
                deprecated: term.deprecated,
                replaced_by: term.replaced_by,
                removed: false,
            });
        }
        let category = node.stored_category()?;
        let named = CategoryNamed::new(&category, order);
        Some(Self {
            name: named.name.to_owned(),
            culture: named.culture.to_string(),
            final_name: None,
            path: named.path.map(str::to_owned),
            category: None,
            parent: None,
            place: None,
            notation: category.notation.clone(),
            deprecated: category.deprecated,
            replaced_by: category.replaced_by.clone(),
            removed: false,
        })
    }

    /// Adds what is above a term.
    #[must_use]
    pub(crate) fn placed(self, node: &FileNode, order: &[Culture]) -> Self {
        let place = TermPlace::new(node, order);
        Self { place, ..self }
    }

    /// Returns the state after the version that removed it.
    pub(crate) fn removed(&self) -> Self {
        Self {
            deprecated: true,
            removed: true,
            ..self.clone()
        }
    }
}
