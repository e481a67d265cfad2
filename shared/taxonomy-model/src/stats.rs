//! Aggregates as they are stored. Attribute names are the storage format (docs/decisions/0009-aggregates.md).

use taxonomy_keys::CategoryId;

use crate::attribute::{Attributes, Builder, Fields, Malformed, Value};
use crate::census::{Counts, TenantCounts};
use crate::coverage::Coverage;
use crate::totals::Changes;

/// What is counted of a tenant, in the version that everything counted of it is right for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantStats {
    /// Over all categories.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryStats {
    /// Which one.
    pub id: CategoryId,
    /// Of its terms; nothing where it is gone.
    pub counts: Counts,
    /// Commit of that version, in epoch milliseconds.
    pub changed_at: u64,
    /// Whether that version took it away.
    pub removed: bool,
}

/// What the versions of a month did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Activity {
    /// How many there were.
    pub versions: u64,
    /// All of them together.
    pub changes: Changes,
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
        counted(&self.counts.counts)
            .number("Categories", self.counts.categories)
            .number("ChangedAt", self.changed_at)
            .number("Added", self.added)
            .number("Changed", self.changed)
            .number("Removed", self.removed)
            .build()
    }

    /// As read.
    ///
    /// # Errors
    /// [`Malformed`] if it is no such item.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        Ok(Self {
            counts: TenantCounts {
                categories: fields.number("Categories")?,
                counts: counts(fields)?,
            },
            changed_at: fields.number("ChangedAt")?,
            added: fields.number("Added")?,
            changed: fields.number("Changed")?,
            removed: fields.number("Removed")?,
        })
    }
}

impl CategoryStats {
    /// As stored.
    #[must_use]
    pub fn attributes(&self) -> Attributes {
        counted(&self.counts)
            .number("CategoryId", self.id.get())
            .number("ChangedAt", self.changed_at)
            .flag("Removed", self.removed)
            .build()
    }

    /// As read.
    ///
    /// # Errors
    /// [`Malformed`] if it is no such item.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let id = CategoryId::new(fields.number("CategoryId")?);
        Ok(Self {
            id: id.ok_or_else(|| Malformed("CategoryId".to_owned()))?,
            counts: counts(fields)?,
            changed_at: fields.number("ChangedAt")?,
            removed: fields.flag("Removed"),
        })
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
    pub fn counters(&self) -> [(&'static str, u64); 8] {
        let Changes {
            added,
            changed,
            removed,
            renamed,
            moved,
            deprecated,
            restored,
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
        ]
    }

    /// As read.
    ///
    /// # Errors
    /// [`Malformed`] if it is no such item.
    pub fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        Ok(Self {
            versions: fields.number("Versions")?,
            changes: Changes {
                added: fields.number("Added")?,
                changed: fields.number("Changed")?,
                removed: fields.number("Removed")?,
                renamed: fields.number("Renamed")?,
                moved: fields.number("Moved")?,
                deprecated: fields.number("Deprecated")?,
                restored: fields.number("Restored")?,
            },
        })
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
            },
        }
    }
}

fn counted(counts: &Counts) -> Builder {
    let names = counts
        .names
        .iter()
        .map(|(culture, named)| (culture.to_string(), Value::from(named)));
    Builder::default()
        .number("Terms", counts.terms)
        .number("Leaves", counts.leaves)
        .number("Deprecated", counts.deprecated)
        .list("Depths", counts.depths.iter().copied().map(Value::from))
        .map("Names", names.collect())
}

fn counts(fields: Fields<'_>) -> Result<Counts, Malformed> {
    let names = fields.map("Names")?.map(coverage).transpose()?;
    Ok(Counts {
        terms: fields.number("Terms")?,
        leaves: fields.number("Leaves")?,
        deprecated: fields.number("Deprecated")?,
        depths: fields.numbers("Depths")?,
        names: names.unwrap_or_default(),
    })
}

fn coverage(stored: Fields<'_>) -> Result<Coverage, Malformed> {
    let counts = stored.0.keys().map(|tag| {
        let culture = tag.parse().map_err(|_| Malformed(tag.to_string()))?;
        Ok((culture, stored.number(tag)?))
    });
    counts.collect()
}
