//! Aggregates as they are stored. Attribute names are the storage format (docs/decisions/0009-aggregates.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::CategoryId;

use crate::attribute::{self, Attributes, Malformed};
use crate::census::{Counts, TenantCounts};
use crate::coverage::Coverage;
use crate::totals::Changes;

/// What is counted of a tenant, in the version that everything counted of it is right for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TenantStats {
    /// Over all categories.
    #[serde(rename = "*Counts", with = "StoredTenantCounts")]
    pub counts: TenantCounts,
    /// Commit of the version, in epoch milliseconds.
    pub changed_at: u64,
    /// Terms that the version added.
    pub added: u64,
    /// Terms that it changed.
    pub changed: u64,
    /// Terms that it removed.
    pub removed: u64,
}

/// What is counted of a category, in the last version that touched it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CategoryStats {
    /// Which one.
    #[serde(rename = "CategoryId")]
    pub id: CategoryId,
    /// Of its terms; nothing where it is gone.
    #[serde(rename = "*Counts", with = "StoredCounts")]
    pub counts: Counts,
    /// Commit of that version, in epoch milliseconds.
    pub changed_at: u64,
    /// Whether that version took it away.
    #[serde(default)]
    pub removed: bool,
}

/// What the versions of a month did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Activity {
    /// How many there were.
    pub versions: u64,
    /// All of them together.
    #[serde(rename = "*Changes", with = "StoredChanges")]
    pub changes: Changes,
}

/// The counts of a tenant as attributes: a changeset has them under other names.
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
    /// Whether these are all the totals there are. Every term has a name, so where there are terms and no names, somebody else wrote it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let counts = &self.counts.counts;
        counts.terms == 0 || !counts.names.is_empty()
    }

    /// As stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        attribute::write(self)
    }

    /// As read.
    ///
    /// # Errors
    /// [`Malformed`] if it is no such item.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        attribute::read(attributes.clone())
    }
}

impl CategoryStats {
    /// As stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        attribute::write(self)
    }

    /// As read.
    ///
    /// # Errors
    /// [`Malformed`] if it is no such item.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        attribute::read(attributes.clone())
    }
}

impl Activity {
    /// What one version adds to its month.
    #[must_use]
    pub fn of(changes: Changes) -> Self {
        Self { versions: 1, changes }
    }

    /// Its counters, by the names they are stored under.
    #[must_use]
    pub fn counters(&self) -> [(&'static str, u64); 9] {
        let Changes {
            added,
            changed,
            removed,
            renamed,
            moved,
            deprecated,
            restored,
            final_names,
        } = self.changes;
        [
            ("Versions", self.versions),
            ("Added", added),
            ("Changed", changed),
            ("Removed", removed),
            ("Renamed", renamed),
            ("Moved", moved),
            ("Deprecated", deprecated),
            ("Restored", restored),
            ("FinalNames", final_names),
        ]
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            versions: self.versions + other.versions,
            changes: Changes {
                added: self.changes.added + other.changes.added,
                changed: self.changes.changed + other.changes.changed,
                removed: self.changes.removed + other.changes.removed,
                renamed: self.changes.renamed + other.changes.renamed,
                moved: self.changes.moved + other.changes.moved,
                deprecated: self.changes.deprecated + other.changes.deprecated,
                restored: self.changes.restored + other.changes.restored,
                final_names: self.changes.final_names + other.changes.final_names,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_a_month_are_its_attributes() {
        let changes = Changes {
            added: 1,
            changed: 2,
            removed: 3,
            renamed: 4,
            moved: 5,
            deprecated: 6,
            restored: 7,
            final_names: 8,
        };
        let activity = Activity::of(changes);
        let counters = activity.counters().into_iter();
        let counters: Attributes = counters
            .map(|(name, counted)| (name.to_owned(), counted.into()))
            .collect();
        assert_eq!(attribute::write(&activity), counters);
        assert_eq!(attribute::read(counters), Ok(activity));
    }
}
