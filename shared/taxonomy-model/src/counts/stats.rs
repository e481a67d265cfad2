//! The stored form of aggregates. Attribute names are the storage format (docs/decisions/0009-aggregates.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::CategoryId;

use crate::counts::census::{Counts, TenantCounts};
use crate::counts::coverage::Coverage;
use crate::counts::totals::Changes;

/// The aggregates of a tenant, of the last version for which all of them are complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TenantStats {
    /// The counts over all categories.
    #[serde(rename = "*Counts", with = "StoredTenantCounts")]
    pub counts: TenantCounts,
    /// The commit time of the version, in epoch milliseconds.
    pub changed_at: u64,
    /// Terms that the version added.
    pub added: u64,
    /// Terms that it changed.
    pub changed: u64,
    /// Terms that it removed.
    pub removed: u64,
}

/// The aggregates of a category, of the last version that changed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CategoryStats {
    /// The id of the category.
    #[serde(rename = "CategoryId")]
    pub id: CategoryId,
    /// The counts of its terms; empty if it was removed.
    #[serde(rename = "*Counts", with = "StoredCounts")]
    pub counts: Counts,
    /// The commit time of that version, in epoch milliseconds.
    pub changed_at: u64,
    /// Whether that version removed it.
    #[serde(default)]
    pub removed: bool,
}

/// The changes by the versions of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Activity {
    /// The number of versions.
    pub versions: u64,
    /// The sum of their changes.
    #[serde(rename = "*Changes", with = "StoredChanges")]
    pub changes: Changes,
}

/// The counts of a tenant as attributes: changesets have other names for them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "TenantCounts", rename_all = "PascalCase")]
struct StoredTenantCounts {
    categories: u64,
    #[serde(rename = "*Counts", with = "StoredCounts")]
    counts: Counts,
}

/// The counts of terms as attributes.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Counts", rename_all = "PascalCase")]
struct StoredCounts {
    terms: u64,
    leaves: u64,
    deprecated: u64,
    #[serde(default)]
    depths: Vec<u64>,
    #[serde(default)]
    names: Coverage,
}

/// Changes as attributes.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Changes", rename_all = "PascalCase")]
struct StoredChanges {
    added: u64,
    changed: u64,
    removed: u64,
    renamed: u64,
    moved: u64,
    deprecated: u64,
    restored: u64,
    final_names: u64,
}

impl TenantStats {
    /// Returns whether the totals contain the names by culture. Every term has a name, so totals with terms and without names were written by
    /// another program.
    pub fn is_whole(&self) -> bool {
        let counts = &self.counts.counts;
        counts.terms == 0 || !counts.names.is_empty()
    }
}

impl Activity {
    /// Returns the contribution of one version to its month.
    pub fn new(changes: Changes) -> Self {
        Self { versions: 1, changes }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            versions: self.versions.saturating_add(other.versions),
            changes: Changes {
                added: self.changes.added.saturating_add(other.changes.added),
                changed: self.changes.changed.saturating_add(other.changes.changed),
                removed: self.changes.removed.saturating_add(other.changes.removed),
                renamed: self.changes.renamed.saturating_add(other.changes.renamed),
                moved: self.changes.moved.saturating_add(other.changes.moved),
                deprecated: self.changes.deprecated.saturating_add(other.changes.deprecated),
                restored: self.changes.restored.saturating_add(other.changes.restored),
                final_names: self.changes.final_names.saturating_add(other.changes.final_names),
            },
        }
    }
}
