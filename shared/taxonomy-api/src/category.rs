//! Categories.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, Version};
use utoipa::ToSchema;

use crate::{CultureName, Deprecation, Details, Metadata, Notes, Place, Relation};

/// A category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Category<'a> {
    /// The tenant.
    #[schema(value_type = String)]
    pub tenant: TenantId,
    /// The version that was served at the time of the response.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The category.
    #[schema(value_type = u64)]
    pub id: CategoryId,
    /// Its name.
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<Cow<'a, str>>,
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
    /// The text that it is sorted by among the categories, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<Cow<'a, str>>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    pub metadata: Metadata<'a>,
    /// Whether the category is deprecated: not for new use.
    pub deprecated: bool,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deprecation: Option<Deprecation<'a>>,
    /// The categories that replace it.
    pub replaced_by: Cow<'a, [u64]>,
    /// Relations to concepts of other schemes and to terms of the tenant.
    pub relations: Vec<Relation<'a>>,
    /// Whether the category was removed; the other members are those of the last version that had it.
    pub removed: bool,
    /// Its names in every culture, by tag, with `names=all`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub names: Option<Vec<CultureName<'a>>>,
    /// Its place among its siblings, and what is below it, with `include=place`. A removed one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub place: Option<Place<'a>>,
    /// The requested culture, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub requested_culture: Option<Culture>,
}

/// A category in a list; the operation by id returns all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedCategory<'a> {
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
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Whether the category is deprecated: not for new use.
    pub deprecated: bool,
    /// The number of its top terms, deprecated ones included.
    pub child_count: u64,
    /// The number of all its terms, deprecated ones included.
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
