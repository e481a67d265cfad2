//! Terms.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version};
use utoipa::ToSchema;

use crate::{CultureName, Deprecation, Details, Metadata, Notes, Place, RelatedNode, Relation};

/// A term with its category and its ancestors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Term<'a> {
    /// The tenant.
    #[schema(value_type = String)]
    pub tenant: TenantId,
    /// The version that was served at the time of the response.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The term.
    #[schema(value_type = u64)]
    pub id: TermId,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name; parts in another culture have a `culture` of their own.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// `{category name}:{term name}`. Names may contain a colon too, so use the parts rather than split it.
    #[schema(example = "Sector:Rust development")]
    pub final_name: Cow<'a, str>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Its category.
    pub category: CategoryName<'a>,
    /// 1 for a top term.
    #[schema(value_type = usize)]
    pub depth: u64,
    /// The terms above it, nearest first.
    pub ancestors: Vec<Ancestor<'a>>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Other names in the same culture.
    pub alt_names: Cow<'a, [String]>,
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notes: Option<Notes<'a>>,
    /// The text that it is sorted by among its siblings, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<Cow<'a, str>>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    pub metadata: Metadata<'a>,
    /// Whether the term is deprecated: not for new use.
    pub deprecated: bool,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deprecation: Option<Deprecation<'a>>,
    /// The terms that replace it. A replacement that was itself deprecated or removed in favour of others is replaced by those.
    pub replaced_by: Cow<'a, [u64]>,
    /// Relations to concepts of other schemes and to terms of the tenant.
    pub relations: Vec<Relation<'a>>,
    /// Whether the term was removed; the other members are those of the last version that had it.
    pub removed: bool,
    /// Its names in every culture, by tag, with `names=all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub names: Option<Vec<CultureName<'a>>>,
    /// What it is related to within the tenant, in both directions, with `include=related`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub related: Option<Vec<RelatedNode<'a>>>,
    /// Whether more than 100 others have a relation to it, so that some are missing in `related`. Absent where they do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub related_truncated: bool,
    /// Its place among its siblings, and what is below it, with `include=place`. A removed one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<Place<'a>>,
    /// The requested culture, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub requested_culture: Option<Culture>,
}

/// The category of a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryName<'a> {
    /// The category.
    #[schema(value_type = u64)]
    pub id: CategoryId,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<Cow<'a, str>>,
}

/// The terms above a term, and its category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestors<'a> {
    /// Its category.
    pub category: CategoryName<'a>,
    /// The terms above it, nearest first; none for a top term.
    pub items: Vec<Ancestor<'a>>,
}

/// A term above another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestor<'a> {
    /// The ancestor.
    #[schema(value_type = u64)]
    pub id: TermId,
    /// Its name.
    pub name: Cow<'a, str>,
    /// `{category name}:{ancestor's name}`.
    pub final_name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
}

/// A term in a list; the operation by id returns all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Child<'a> {
    /// The term.
    #[schema(value_type = u64)]
    pub id: TermId,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// `{category name}:{term name}`.
    pub final_name: Cow<'a, str>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Whether the term is deprecated: not for new use.
    pub deprecated: bool,
    /// The number of its children, deprecated ones included.
    pub child_count: u64,
    /// The number of all terms below it, deprecated ones included.
    pub descendant_count: u64,
    /// Its names in every culture, by tag, with `names=all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub names: Option<Vec<CultureName<'a>>>,
    /// The remaining members, with `include=details`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Details<'a>>,
}
