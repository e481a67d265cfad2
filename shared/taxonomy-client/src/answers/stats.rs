//! Counts and activity.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, Version};

/// The counts of a set of terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
    /// Terms by depth, top terms first.
    pub depths: Vec<u64>,
    /// Terms with a name in a culture, by culture.
    pub names: BTreeMap<Culture, u64>,
}

/// The counts of a tenant, and its activity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantStats {
    /// The tenant.
    #[serde(with = "super::tenant_id")]
    pub tenant: TenantId,
    /// The version that was counted.
    pub version: Version,
    /// The time of its commit, RFC 3339.
    pub changed_at: String,
    /// Categories.
    pub categories: u64,
    /// Over all categories.
    pub counts: Counts,
    /// Terms that this version added.
    pub added: u64,
    /// Terms that it changed.
    pub changed: u64,
    /// Terms that it removed.
    pub removed: u64,
    /// The activity of each month, oldest month first.
    pub months: Vec<MonthActivity>,
}

/// The changes of the versions that were committed in a month, in terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MonthActivity {
    /// In UTC, such as `2026-01`.
    pub month: String,
    /// The last version that is counted in it.
    pub version: Version,
    /// Versions.
    pub versions: u64,
    /// Added terms.
    pub added: u64,
    /// Terms that changed in any way.
    pub changed: u64,
    /// Removed terms.
    pub removed: u64,
    /// Of the changed ones, those with another name in any culture.
    pub renamed: u64,
    /// Of the changed ones, those in another place.
    pub moved: u64,
    /// Of the changed ones, those newly deprecated.
    pub deprecated: u64,
    /// Of the changed ones, those deprecated no longer.
    pub restored: u64,
    /// Terms that stayed and whose FinalName in the default culture became another, also by their category or the default culture.
    pub final_names: u64,
}

/// The counts of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CategoryStats {
    /// The tenant.
    #[serde(with = "super::tenant_id")]
    pub tenant: TenantId,
    /// The last version that touched the category.
    pub version: Version,
    /// The time of its commit, RFC 3339.
    pub changed_at: String,
    /// The category.
    pub id: CategoryId,
    /// The counts of its terms.
    pub counts: Counts,
    /// No longer in the taxonomy.
    pub removed: bool,
}
