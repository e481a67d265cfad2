//! The place of a category or a term among its siblings.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::Culture;
use utoipa::ToSchema;

/// Where a category or a term stands in the tree, and how much is below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place<'a> {
    /// Its position among its siblings, from 1 on. Absent where there are more than 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub position: Option<u64>,
    /// The number of its siblings, itself included. Absent where there are more than 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub siblings: Option<u64>,
    /// The sibling before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub previous: Option<Sibling<'a>>,
    /// The sibling after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<Sibling<'a>>,
    /// The number of its children, deprecated ones included; of a category of its top terms.
    pub child_count: u64,
    /// The number of all terms below it, deprecated ones included.
    pub descendant_count: u64,
}

/// A sibling of a category or a term; the operation by id returns all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sibling<'a> {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Whether it is deprecated: not for new use.
    pub deprecated: bool,
}
