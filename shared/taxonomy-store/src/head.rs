//! The head of a tenant's chain of versions, and the log of it. Attribute names are the storage format
//! (docs/decisions/0001-table.md).

use taxonomy_keys::{Culture, Version};
use taxonomy_model::attribute::{Attributes, Builder, Fields, Malformed, Value};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Settings, Totals};

use crate::cursor::Cursor;

/// Everything that is known of a tenant besides its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The newest version; none while nothing valid was ever uploaded.
    pub committed: Option<Committed>,
    /// The last upload that was refused, so that the same object is not looked at twice.
    pub refused: Option<Refusal>,
}

/// A version at the head of the chain, and how far its projection is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The version.
    pub version: Version,
    /// The id of the changeset that made it.
    pub changeset: Hash,
    /// The hash of its canonical snapshot.
    pub state: Hash,
    /// Where the snapshot lies in the changesets bucket.
    pub snapshot_key: String,
    /// Epoch milliseconds.
    pub committed_at: u64,
    /// The projection format that it was committed with.
    pub format: u64,
    /// Default culture and fallback chain.
    pub settings: Settings,
    /// Every culture that something is named in.
    pub cultures: Vec<Culture>,
    /// How many categories it has.
    pub categories: u64,
    /// How many terms it has.
    pub terms: u64,
    /// Whether it writes every item again that ever was.
    pub full: bool,
    /// The object it came from, or, where it is detached, the one that was known when it was committed.
    pub source: SourceStamp,
    /// Whether the content is another than the source's, as after a rollback.
    pub detached: bool,
    /// The version up to which the table is written; none before the first is.
    pub projected: Option<Version>,
    /// Epoch milliseconds; 0 before anything is projected.
    pub projected_at: u64,
    /// How far the load of the version is, or was when it stopped.
    pub cursor: Option<Cursor>,
    /// When the retry queue's next message for the tenant becomes visible, in epoch milliseconds; 0 where none is known.
    pub follow_up_at: u64,
}

impl Committed {
    /// Whether the table holds exactly this version.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.projected == Some(self.version)
    }

    /// How far a build with this projection format came before; none where nothing of it holds.
    #[must_use]
    pub fn resumes(&self, format: u64) -> Option<&Cursor> {
        self.cursor.as_ref().filter(|cursor| {
            cursor.changeset == self.changeset && cursor.from == self.projected && cursor.format == format
        })
    }

    /// When the version was committed or the last heartbeat of its load, whichever is later.
    #[must_use]
    pub fn last_moved(&self) -> u64 {
        let noted = self.cursor.as_ref().map_or(0, |cursor| cursor.at);
        self.committed_at.max(noted)
    }
}

/// What tells one uploaded object from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceStamp {
    /// S3's ETag, without quotes.
    pub etag: String,
    /// S3's version id; empty in a bucket without versions.
    pub version_id: String,
    /// Of the bytes as stored.
    pub sha256: Hash,
    /// In bytes as stored.
    pub size: u64,
    /// The default culture that the file itself names.
    pub culture: Option<Culture>,
}

/// An upload that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// S3's ETag, without quotes.
    pub etag: String,
    /// S3's version id.
    pub version_id: String,
    /// Which validator said so; a later one looks again.
    pub validator: u64,
    /// Everything besides the file that decided; under anything else it is looked at again.
    pub defaults: String,
    /// The first error's code.
    pub code: String,
    /// Where the report lies in the changesets bucket.
    pub report_key: String,
    /// Epoch milliseconds.
    pub at: u64,
}

/// One version in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The version.
    pub version: Version,
    /// The id of its changeset.
    pub changeset: Hash,
    /// The id of the changeset before; none for the first version.
    pub parent: Option<Hash>,
    /// The hash of its canonical snapshot.
    pub state: Hash,
    /// Where the snapshot lies.
    pub snapshot_key: String,
    /// Where the changeset lies.
    pub changeset_key: String,
    /// Why there is this version.
    pub cause: Cause,
    /// Whether it writes every item again that ever was.
    pub full: bool,
    /// How many facts the changeset holds.
    pub facts: u64,
    /// The uploaded object; none where nothing was uploaded.
    pub source: Option<SourceStamp>,
    /// Epoch milliseconds, later than any version before.
    pub committed_at: u64,
    /// Absolute counts.
    pub totals: Totals,
    /// What the version did.
    pub changes: Changes,
}

impl Head {
    pub(crate) fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let refused = fields.map("Refused")?.map(read_refusal).transpose()?;
        let Some(version) = Version::new(fields.number("V")?) else {
            return Ok(Self {
                committed: None,
                refused,
            });
        };
        let committed = Committed {
            version,
            changeset: hash(fields, "ChangesetId")?,
            state: hash(fields, "StateHash")?,
            snapshot_key: fields.text("SnapshotKey")?.to_owned(),
            committed_at: fields.number("CommittedAt")?,
            format: fields.number("Format")?,
            settings: Settings {
                default_culture: culture(fields.text("DefaultCulture")?)?,
                fallback_chain: cultures(fields, "FallbackChain")?,
            },
            cultures: cultures(fields, "Cultures")?,
            categories: fields.number("Categories")?,
            terms: fields.number("Terms")?,
            full: fields.flag("Full"),
            source: SourceStamp::read(fields.map("Source")?.ok_or_else(|| malformed("Source"))?)?,
            detached: fields.flag("Detached"),
            projected: Version::new(fields.number("Projected")?),
            projected_at: fields.number("ProjectedAt")?,
            cursor: fields.map("Cursor")?.map(Cursor::read).transpose()?,
            follow_up_at: fields.optional_number("FollowUpAt")?.unwrap_or(0),
        };
        Ok(Self {
            committed: Some(committed),
            refused,
        })
    }
}

impl SourceStamp {
    pub(crate) fn attributes(&self) -> Attributes {
        Builder::default()
            .text("ETag", &self.etag)
            .text("VersionId", &self.version_id)
            .text("Sha256", self.sha256.as_str())
            .number("Size", self.size)
            .optional("Culture", self.culture.as_ref().map(Culture::as_str))
            .build()
    }

    fn read(fields: Fields<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            etag: fields.text("ETag")?.to_owned(),
            version_id: fields.text("VersionId")?.to_owned(),
            sha256: hash(fields, "Sha256")?,
            size: fields.number("Size")?,
            culture: fields.optional("Culture")?.map(culture).transpose()?,
        })
    }
}

impl Refusal {
    pub(crate) fn attributes(&self) -> Attributes {
        Builder::default()
            .text("ETag", &self.etag)
            .text("VersionId", &self.version_id)
            .number("Validator", self.validator)
            .text("Defaults", &self.defaults)
            .text("Code", &self.code)
            .text("Report", &self.report_key)
            .number("At", self.at)
            .build()
    }
}

impl LogEntry {
    pub(crate) fn attributes(&self) -> Attributes {
        let totals = Builder::default()
            .number("Categories", self.totals.categories)
            .number("Terms", self.totals.terms)
            .number("Leaves", self.totals.leaves)
            .number("Deprecated", self.totals.deprecated)
            .number("Added", self.changes.added)
            .number("Changed", self.changes.changed)
            .number("Removed", self.changes.removed);
        let activity = Builder::default()
            .number("Renamed", self.changes.renamed)
            .number("Moved", self.changes.moved)
            .number("Deprecated", self.changes.deprecated)
            .number("Restored", self.changes.restored);
        let mut item = Builder::default()
            .text("ChangesetId", self.changeset.as_str())
            .optional("ParentChangesetId", self.parent.as_ref().map(Hash::as_str))
            .text("StateHash", self.state.as_str())
            .text("SnapshotKey", &self.snapshot_key)
            .text("ChangesetKey", &self.changeset_key)
            .text("Cause", self.cause.kind())
            .flag("Full", self.full)
            .number("Facts", self.facts)
            .number("CommittedAt", self.committed_at)
            .map("Totals", totals.build())
            .map("Activity", activity.build());
        if let Cause::Rollback { to } = self.cause {
            item = item.number("To", to);
        }
        if let Some(source) = &self.source {
            item = item.map("Source", source.attributes());
        }
        item.build()
    }

    pub(crate) fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let totals = fields.map("Totals")?.ok_or_else(|| malformed("Totals"))?;
        let activity = fields.map("Activity")?.ok_or_else(|| malformed("Activity"))?;
        let source = fields.map("Source")?.map(SourceStamp::read).transpose()?;
        Ok(Self {
            version: Version::new(fields.number("V")?).ok_or_else(|| malformed("V"))?,
            changeset: hash(fields, "ChangesetId")?,
            parent: fields
                .optional("ParentChangesetId")?
                .map(|_| hash(fields, "ParentChangesetId"))
                .transpose()?,
            state: hash(fields, "StateHash")?,
            snapshot_key: fields.text("SnapshotKey")?.to_owned(),
            changeset_key: fields.text("ChangesetKey")?.to_owned(),
            cause: read_cause(fields, source.as_ref())?,
            full: fields.flag("Full"),
            facts: fields.number("Facts")?,
            source,
            committed_at: fields.number("CommittedAt")?,
            totals: Totals {
                categories: totals.number("Categories")?,
                terms: totals.number("Terms")?,
                leaves: totals.number("Leaves")?,
                deprecated: totals.number("Deprecated")?,
            },
            changes: Changes {
                added: totals.number("Added")?,
                changed: totals.number("Changed")?,
                removed: totals.number("Removed")?,
                renamed: activity.number("Renamed")?,
                moved: activity.number("Moved")?,
                deprecated: activity.number("Deprecated")?,
                restored: activity.number("Restored")?,
            },
        })
    }
}

fn read_cause(fields: Fields<'_>, source: Option<&SourceStamp>) -> Result<Cause, Malformed> {
    Ok(match fields.text("Cause")? {
        "upload" => Cause::Upload {
            sha256: source.ok_or_else(|| malformed("Source"))?.sha256.clone(),
        },
        "configuration" => Cause::Configuration,
        "format" => Cause::Format,
        "rebuild" => Cause::Rebuild,
        "rollback" => Cause::Rollback {
            to: fields.number("To")?,
        },
        other => return Err(malformed(other)),
    })
}

fn read_refusal(fields: Fields<'_>) -> Result<Refusal, Malformed> {
    Ok(Refusal {
        etag: fields.text("ETag")?.to_owned(),
        version_id: fields.text("VersionId")?.to_owned(),
        validator: fields.number("Validator")?,
        // Refusals of before defaults were noted match none, so their objects are looked at once more.
        defaults: fields.optional("Defaults")?.unwrap_or_default().to_owned(),
        code: fields.text("Code")?.to_owned(),
        report_key: fields.text("Report")?.to_owned(),
        at: fields.number("At")?,
    })
}

pub(crate) fn malformed(name: &str) -> Malformed {
    Malformed(name.to_owned())
}

pub(crate) fn hash(fields: Fields<'_>, name: &str) -> Result<Hash, Malformed> {
    Hash::parse(fields.text(name)?).ok_or_else(|| malformed(name))
}

fn culture(tag: &str) -> Result<Culture, Malformed> {
    tag.parse().map_err(|_| malformed(tag))
}

pub(crate) fn cultures(fields: Fields<'_>, name: &str) -> Result<Vec<Culture>, Malformed> {
    fields.texts(name)?.into_iter().map(culture).collect()
}

pub(crate) fn culture_list(cultures: &[Culture]) -> impl Iterator<Item = Value> + '_ {
    cultures.iter().map(|culture| Value::from(culture.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::LoadState;

    fn head(cursor: Cursor) -> Committed {
        Committed {
            version: Version::FIRST.next(),
            changeset: Hash::of(b"second"),
            state: Hash::of(b"state"),
            snapshot_key: String::new(),
            committed_at: 1000,
            format: 1,
            settings: Settings {
                default_culture: "en-GB".parse().unwrap_or_else(|_| unreachable!()),
                fallback_chain: Vec::new(),
            },
            cultures: Vec::new(),
            categories: 0,
            terms: 0,
            full: false,
            source: SourceStamp {
                etag: String::new(),
                version_id: String::new(),
                sha256: Hash::of(b""),
                size: 0,
                culture: None,
            },
            detached: false,
            projected: Some(Version::FIRST),
            projected_at: 0,
            cursor: Some(cursor),
            follow_up_at: 0,
        }
    }

    #[test]
    fn a_cursor_holds_for_its_changeset_start_and_format_alone() {
        let cursor = Cursor {
            changeset: Hash::of(b"second"),
            from: Some(Version::FIRST),
            format: 1,
            done: 7,
            at: 2000,
            by: "a".to_owned(),
            state: LoadState::OutOfTime,
        };
        assert_eq!(head(cursor.clone()).last_moved(), 2000);
        let done = |cursor: Cursor, format| head(cursor).resumes(format).map(|cursor| cursor.done);
        assert_eq!(done(cursor.clone(), 1), Some(7));
        assert_eq!(done(cursor.clone(), 2), None);
        let of_another = Cursor {
            changeset: Hash::of(b"first"),
            ..cursor.clone()
        };
        assert_eq!(done(of_another, 1), None);
        let from_nothing = Cursor { from: None, ..cursor };
        assert_eq!(done(from_nothing, 1), None);
    }
}
