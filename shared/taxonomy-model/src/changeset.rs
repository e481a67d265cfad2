//! The changeset: what made a version out of the one before. The bytes are the storage format
//! (docs/decisions/0008-changeset-chain.md), and their hash is the changeset's id.

mod header;

use std::cell::Cell;
use std::io::{self, Write};

use serde::{Deserialize, Serialize, Serializer};
use taxonomy_keys::{TenantId, Version};

use crate::census::{CategoryCounts, Census, TenantCounts};
use crate::fact::Fact;
use crate::hash::{Hash, Hashing};
use crate::provenance::Provenance;
use crate::totals::Changes;

pub use header::{HeaderReader, ReadError};

/// The changeset format that this build writes; it reads every one that was ever written.
pub const FORMAT_VERSION: u32 = 1;

/// Why there is a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Cause {
    /// A file was uploaded.
    Upload {
        /// Of the file as stored.
        sha256: Hash,
    },
    /// The tenant's configuration, or the stack's, changed what a culture falls back to.
    Configuration,
    /// This build makes other items of the same content.
    Format,
    /// An operator had everything written again.
    Rebuild,
    /// An operator went back to what an older version had.
    Rollback {
        /// Which one.
        to: u64,
    },
}

impl Cause {
    /// Its kind, as stored.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Upload { .. } => "upload",
            Self::Configuration => "configuration",
            Self::Format => "format",
            Self::Rebuild => "rebuild",
            Self::Rollback { .. } => "rollback",
        }
    }
}

/// A changeset but for its facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Whose.
    pub tenant: TenantId,
    /// The version it makes.
    pub version: Version,
    /// The changeset before; none for the first.
    pub parent: Option<Hash>,
    /// Why.
    pub cause: Cause,
    /// Where it comes from, in the words of its uploader or operator.
    pub provenance: Provenance,
    /// Whether every item that ever was is written again.
    pub full: bool,
    /// State hash of the version before; none for the first.
    pub before: Option<Hash>,
    /// State hash of the version it makes.
    pub after: Hash,
    /// The projection format of the version it makes.
    pub projection_format: u32,
    /// What the version it makes has.
    pub census: Census,
    /// What it does, counted.
    pub changes: Changes,
    /// The categories in which it changes anything, ascending; none where a changeset of before decision page 9 does not say.
    pub touched: Option<Vec<u64>>,
}

/// A changeset as it was read.
#[derive(Debug, Clone)]
pub struct Changeset {
    /// Everything but the facts.
    pub header: Header,
    /// What happened, in order.
    pub facts: Vec<Fact>,
}

/// The stored form, in the order of its bytes. Its facts are written one by one, so that they never stand in memory together.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", bound = "F: Iterator<Item = Fact>")]
struct Body<'a, F> {
    format_version: u32,
    tenant: &'a str,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'a Hash>,
    cause: &'a Cause,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    full: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a Hash>,
    after: &'a Hash,
    projection_format: u32,
    totals: &'a TenantCounts,
    categories: &'a [CategoryCounts],
    changes: Changes,
    #[serde(skip_serializing_if = "Option::is_none")]
    touched: Option<&'a [u64]>,
    facts: Facts<F>,
}

/// Facts that are serialized while they are made; `count` says how many there were.
struct Facts<F> {
    facts: Cell<Option<F>>,
    count: Cell<u64>,
}

impl<F: Iterator<Item = Fact>> Serialize for Facts<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let facts = self.facts.take().into_iter().flatten();
        serializer.collect_seq(facts.inspect(|_| self.count.set(self.count.get() + 1)))
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The changeset's id.
    pub id: Hash,
    /// How many facts it holds.
    pub facts: u64,
}

/// Writes a changeset, fact by fact, and returns its id.
///
/// # Errors
/// Whatever `out` fails with.
pub fn write(header: &Header, facts: impl Iterator<Item = Fact>, out: impl Write) -> io::Result<Written> {
    let body = Body {
        format_version: FORMAT_VERSION,
        tenant: header.tenant.as_str(),
        version: header.version.get(),
        parent: header.parent.as_ref(),
        cause: &header.cause,
        provenance: &header.provenance,
        full: header.full,
        before: header.before.as_ref(),
        after: &header.after,
        projection_format: header.projection_format,
        totals: &header.census.totals,
        categories: &header.census.categories,
        changes: header.changes,
        touched: header.touched.as_deref(),
        facts: Facts {
            facts: Cell::new(Some(facts)),
            count: Cell::new(0),
        },
    };
    let mut out = Hashing::new(out);
    serde_json::to_writer(&mut out, &body)?;
    Ok(Written {
        id: out.finish(),
        facts: body.facts.count.get(),
    })
}

/// Reads a changeset. The caller checks that the bytes hash to the changeset's id.
///
/// # Errors
/// [`ReadError`]: a damaged body or a newer format.
pub fn read(bytes: &[u8]) -> Result<Changeset, ReadError> {
    let mut reader = HeaderReader::default();
    reader.write_all(bytes).map_err(serde_json::Error::io)?;
    let begin = reader.facts_begin();
    let (_, header) = reader.finish()?;
    let facts = bytes.get(begin..).and_then(|facts| facts.strip_suffix(b"}"));
    let facts = serde_json::from_slice(facts.ok_or(ReadError::Facts)?)?;
    Ok(Changeset { header, facts })
}
