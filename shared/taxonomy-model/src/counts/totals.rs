//! The absolute counts of a version, and the counts of its changes.

use serde::{Deserialize, Serialize};

use crate::counts::census::TenantCounts;

/// Absolute counts of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Totals {
    /// Categories.
    pub categories: u64,
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
}

impl From<&TenantCounts> for Totals {
    fn from(counted: &TenantCounts) -> Self {
        Self {
            categories: counted.categories,
            terms: counted.counts.terms,
            leaves: counted.counts.leaves,
            deprecated: counted.counts.deprecated,
        }
    }
}

/// The number of terms that a version changed, by kind. A term whose ancestor was renamed has not changed itself. The names are part of
/// the stored changeset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Changes {
    /// Terms that the version before did not have.
    pub added: u64,
    /// Terms of both versions with another name, position or field.
    pub changed: u64,
    /// Terms that only the version before had.
    pub removed: u64,
    /// Of the changed ones, those with another name in any culture.
    pub renamed: u64,
    /// Of the changed ones, those with another parent or category.
    pub moved: u64,
    /// Of the changed ones, those that became deprecated.
    pub deprecated: u64,
    /// Of the changed ones, those that are no longer deprecated.
    pub restored: u64,
    /// Terms of both versions whose FinalName in the default culture differs, whether the term, its category or the default culture
    /// changed. A term that is counted here need not be among the changed ones.
    #[serde(rename = "finalNames")]
    pub final_names: u64,
}

/// Returns whether an upload with these changes to `terms` terms needs the consent of its uploader: it removes more than `percent` of them and
/// more than `most`, or leaves none of some, as an export of nothing does (docs/decisions/0008-changeset-chain.md).
pub fn exceeds_removal_limit(terms: u64, changes: &Changes, percent: u64, most: u64) -> bool {
    let removed = changes.removed;
    let is_most = removed > most && u128::from(removed) * 100 > u128::from(terms) * u128::from(percent);
    let is_all = removed > 0 && removed == terms && changes.added == 0;
    is_most || is_all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_removes_more_than_both_limits_or_everything_is_asked() {
        // At most a fifth, and at most five.
        for (terms, removed, added, expect) in [
            (100, 20, 0, false),
            (100, 21, 0, true),
            (10, 5, 0, false),
            (10, 6, 0, true),
            (3, 3, 0, true),
            (3, 3, 1, false),
            (3, 2, 0, false),
            (0, 0, 0, false),
        ] {
            let changes = Changes {
                removed,
                added,
                ..Changes::default()
            };
            let exceeds = exceeds_removal_limit(terms, &changes, 20, 5);
            assert_eq!(exceeds, expect, "{removed} of {terms}, {added} added");
        }
    }
}
