//! The categories and terms that a term is related to.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture};
use utoipa::ToSchema;

use crate::{NodeKind, RelationType};

/// A category or a term of the tenant that a term is related to, by a relation of either of the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedNode<'a> {
    /// The type of the relation, seen from the term: `broad` is a further parent, `narrow` what has the term as a further parent.
    #[serde(rename = "type")]
    pub relation: RelationType,
    /// Its kind.
    pub kind: NodeKind,
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// For a term `{category name}:{term name}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub final_name: Option<Cow<'a, str>>,
    /// For a term its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<u64>)]
    pub category: Option<CategoryId>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<Cow<'a, str>>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Whether it is deprecated: not for new use.
    pub deprecated: bool,
}
