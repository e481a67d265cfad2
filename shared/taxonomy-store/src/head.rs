//! The head of a tenant's chain of versions, and the log of it. Attribute names are the storage format
//! (docs/decisions/0001-table.md).

use taxonomy_keys::{Culture, Version};
use taxonomy_model::attribute::{Attributes, Builder, Fields, Malformed, Value};
use taxonomy_model::snapshot::Hash;
use taxonomy_model::{Changes, Settings, Totals};

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
    /// The object it came from.
    pub source: SourceStamp,
    /// The version up to which the table is written; none before the first is.
    pub projected: Option<Version>,
    /// Epoch milliseconds; 0 before anything is projected.
    pub projected_at: u64,
}

impl Committed {
    /// Whether the table holds exactly this version.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.projected == Some(self.version)
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
        let source = fields.map("Source")?.ok_or_else(|| malformed("Source"))?;
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
            source: SourceStamp {
                etag: source.text("ETag")?.to_owned(),
                version_id: source.text("VersionId")?.to_owned(),
                sha256: hash(source, "Sha256")?,
                size: source.number("Size")?,
            },
            projected: Version::new(fields.number("Projected")?),
            projected_at: fields.number("ProjectedAt")?,
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
            .build()
    }
}

impl Refusal {
    pub(crate) fn attributes(&self) -> Attributes {
        Builder::default()
            .text("ETag", &self.etag)
            .text("VersionId", &self.version_id)
            .number("Validator", self.validator)
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
        Builder::default()
            .text("ChangesetId", self.changeset.as_str())
            .optional("ParentChangesetId", self.parent.as_ref().map(Hash::as_str))
            .text("StateHash", self.state.as_str())
            .text("SnapshotKey", &self.snapshot_key)
            .number("CommittedAt", self.committed_at)
            .map("Totals", totals.build())
            .build()
    }

    pub(crate) fn read(attributes: &Attributes) -> Result<Self, Malformed> {
        let fields = Fields(attributes);
        let totals = fields.map("Totals")?.ok_or_else(|| malformed("Totals"))?;
        Ok(Self {
            version: Version::new(fields.number("V")?).ok_or_else(|| malformed("V"))?,
            changeset: hash(fields, "ChangesetId")?,
            parent: fields
                .optional("ParentChangesetId")?
                .map(|_| hash(fields, "ParentChangesetId"))
                .transpose()?,
            state: hash(fields, "StateHash")?,
            snapshot_key: fields.text("SnapshotKey")?.to_owned(),
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
            },
        })
    }
}

fn read_refusal(fields: Fields<'_>) -> Result<Refusal, Malformed> {
    Ok(Refusal {
        etag: fields.text("ETag")?.to_owned(),
        version_id: fields.text("VersionId")?.to_owned(),
        validator: fields.number("Validator")?,
        code: fields.text("Code")?.to_owned(),
        report_key: fields.text("Report")?.to_owned(),
        at: fields.number("At")?,
    })
}

fn malformed(name: &str) -> Malformed {
    Malformed(name.to_owned())
}

fn hash(fields: Fields<'_>, name: &str) -> Result<Hash, Malformed> {
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
