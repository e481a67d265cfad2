//! Counts and activity.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, Version};
use utoipa::ToSchema;

/// The aggregates of a set of terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Counted)]
pub struct Counts<'a> {
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
    /// Terms by depth, top terms first.
    pub depths: Cow<'a, [u64]>,
    /// The number of terms with a name in a culture, by culture.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub names: BTreeMap<Culture, u64>,
}

/// The aggregates of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantCounts)]
pub struct TenantStats<'a> {
    /// The tenant.
    #[schema(value_type = String)]
    pub tenant: TenantId,
    /// The version of the aggregates.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// Categories.
    pub categories: u64,
    /// The aggregates over all categories.
    pub counts: Counts<'a>,
    /// Terms that this version added.
    pub added: u64,
    /// Terms that it changed.
    pub changed: u64,
    /// Terms that it removed.
    pub removed: u64,
    /// The changes by the versions of each month, oldest month first; absent with `version` or `asOf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub months: Option<Vec<Month>>,
}

/// The aggregates of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CategoryCounts)]
pub struct CategoryStats<'a> {
    /// The tenant.
    #[schema(value_type = String)]
    pub tenant: TenantId,
    /// The last version that changed the category.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// The category.
    #[schema(value_type = u64)]
    pub id: CategoryId,
    /// The aggregates of its terms.
    pub counts: Counts<'a>,
    /// Whether the category was removed.
    pub removed: bool,
}

/// The changes by the versions that were committed in a month, in terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Month {
    /// The month, in UTC.
    #[schema(example = "2026-01")]
    pub month: String,
    /// The last version that is counted in it; for moments it may be one later than that of the tenant's aggregates.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The number of versions.
    pub versions: u64,
    /// Terms that were added.
    pub added: u64,
    /// Terms that changed in any way.
    pub changed: u64,
    /// Terms that were removed.
    pub removed: u64,
    /// Of the changed ones, those with another name in any culture.
    pub renamed: u64,
    /// Of the changed ones, those with another parent or category.
    pub moved: u64,
    /// Of the changed ones, those that became deprecated.
    pub deprecated: u64,
    /// Of the changed ones, those that are no longer deprecated.
    pub restored: u64,
    /// Terms that existed before and after and whose FinalName in the default culture changed, also by their category or the default culture.
    pub final_names: u64,
}
