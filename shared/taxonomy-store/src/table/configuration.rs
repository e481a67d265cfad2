//! The configuration of a tenant.

use serde::{Deserialize, Serialize};
use taxonomy_keys::Culture;
use taxonomy_model::{Changes, Provenance, exceeds_removal_limit};

/// The configuration of a tenant; empty where there is none. Attribute names are the storage format
/// (docs/decisions/0001-table.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Configuration {
    /// Takes precedence over the file's.
    pub default_culture: Option<Culture>,
    /// Cultures that are tried before the default culture.
    pub fallback_chain: Vec<Culture>,
    /// The largest removal that an upload may make without permission.
    #[serde(rename = "*Fuse", skip_serializing)]
    pub removal_limit: RemovalLimit,
    /// Since when and why uploads and changes of settings wait; `None` where they do not.
    pub frozen: Option<Freeze>,
    /// Release, author and reason of the last change.
    pub provenance: Provenance,
    /// The number of changes; 0 before the first.
    pub revision: u64,
    /// A purge that has begun: no process loads, ingests or counts anything of the tenant. Only a purge sets it.
    #[serde(skip_serializing)]
    pub purge: Option<PurgeNote>,
}

/// A freeze of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Freeze {
    /// Its beginning, in epoch milliseconds.
    pub at: u64,
    /// Release, author and reason.
    #[serde(default)]
    pub provenance: Provenance,
}

/// The progress of a purge, in the configuration of its tenant (docs/decisions/0028-purge.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PurgeNote {
    /// The start of the purge, in epoch milliseconds.
    pub at: u64,
    /// The current phase.
    pub phase: PurgePhase,
}

/// A phase of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PurgePhase {
    /// Items and aggregates are being deleted; all bodies are there.
    Items,
    /// Items and aggregates are gone; bodies and log are being deleted.
    Bodies,
}

/// An upload that removes more than `percent` of the terms and more than `terms` of them is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RemovalLimit {
    /// Of the terms at the head, 0 to 100.
    #[serde(rename = "FusePercent")]
    pub percent: u64,
    /// Terms.
    #[serde(rename = "FuseTerms")]
    pub terms: u64,
}

impl Default for RemovalLimit {
    fn default() -> Self {
        Self {
            percent: 50,
            terms: 20,
        }
    }
}

impl RemovalLimit {
    /// Whether these changes to `terms` terms remove more than an upload may do unasked.
    pub fn is_exceeded(self, terms: u64, changes: &Changes) -> bool {
        exceeds_removal_limit(terms, changes, self.percent, self.terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuse_blows_above_both_bounds_only() {
        let check = |terms, removed, added, is_exceeded| {
            let changes = Changes {
                added,
                removed,
                ..Changes::default()
            };
            assert_eq!(
                RemovalLimit::default().is_exceeded(terms, &changes),
                is_exceeded,
                "{removed} of {terms}, {added} added"
            );
        };
        check(100, 50, 0, false);
        check(100, 51, 0, true);
        check(40, 20, 0, false);
        check(40, 21, 0, true);
        check(10, 9, 0, false);
        check(10, 10, 1, false);
        check(u64::MAX, u64::MAX, 0, true);
        // A file without a term, and one that never had any.
        check(10, 10, 0, true);
        check(1, 1, 0, true);
        check(0, 0, 0, false);
        let never = RemovalLimit {
            percent: 100,
            terms: u64::MAX,
        };
        let all = Changes {
            removed: 3,
            ..Changes::default()
        };
        assert!(never.is_exceeded(3, &all));
    }
}
