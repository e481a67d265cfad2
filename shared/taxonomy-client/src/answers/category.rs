//! Categories.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, Version};

use super::details::{Deprecation, Metadata, Notes, Relation};

/// A category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Category {
    /// The tenant.
    #[serde(with = "super::tenant_id")]
    pub tenant: TenantId,
    /// The version that was served when this was answered.
    pub version: Version,
    /// The category.
    pub id: CategoryId,
    /// Its name.
    pub name: String,
    /// The culture of the name.
    pub culture: Culture,
    /// The requested culture, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_culture: Option<Culture>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Other names in the same culture.
    pub alt_names: Vec<String>,
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Notes>,
    /// The text that it is sorted by among the categories, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_key: Option<String>,
    /// The author's own object.
    pub metadata: Metadata,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Why and since when, if the file states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// The categories that replace it.
    pub replaced_by: Vec<CategoryId>,
    /// Relations to concepts of other schemes and to terms of the tenant.
    pub relations: Vec<Relation>,
    /// No longer in the taxonomy; all else is as it was last.
    pub removed: bool,
}

/// A category in a list. A request for its id returns further members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedCategory {
    /// The category.
    pub id: CategoryId,
    /// Its name.
    pub name: String,
    /// The culture of the name.
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Not to be used for new things.
    pub deprecated: bool,
}
