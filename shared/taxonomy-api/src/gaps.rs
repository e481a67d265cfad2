//! Categories and terms without a name in a culture.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TermId};
use utoipa::ToSchema;

use crate::CultureName;

/// The kind of a node: a category and a term may share an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Kind)]
pub enum NodeKind {
    /// A category.
    Category,
    /// A term.
    Term,
}

/// A page of the categories and terms without a name in a culture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapsPage<'a> {
    /// The number of items on all pages.
    pub total: u64,
    /// Categories, then terms in the order of the tree.
    pub items: Vec<Gap<'a>>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A category or a term without a name in a culture, with the name that a reader of that culture gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gap<'a> {
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
    /// The term above it; absent for a top term and a category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<u64>)]
    pub parent: Option<TermId>,
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
    /// The number of terms directly below it, deprecated ones included.
    pub child_count: u64,
    /// The number of all terms below it, deprecated ones included.
    pub descendant_count: u64,
    /// Its names in every culture, by tag, with `names=all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub names: Option<Vec<CultureName<'a>>>,
}
