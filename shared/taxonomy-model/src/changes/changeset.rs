//! The changeset: the difference between a version and its predecessor. The bytes are the storage format
//! (docs/decisions/0008-changeset-chain.md), and their hash is the changeset's id.

mod header;

use std::cell::Cell;
use std::io::{self, Write};

use serde::{Deserialize, Serialize, Serializer};
use taxonomy_keys::{TenantId, Version};

use crate::changes::fact::Fact;
use crate::counts::census::Census;
use crate::counts::totals::Changes;
use crate::hash::{Hash, Hashing};
use crate::provenance::Provenance;

pub use header::{HeaderReader, ReadError};

/// The changeset format that this build writes; it reads every earlier one.
pub const FORMAT_VERSION: u32 = 1;

/// The cause of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Cause {
    /// A file was uploaded.
    Upload {
        /// The hash of the stored file.
        sha256: Hash,
    },
    /// The configuration of the tenant, or of the stack, changed the fallback of a culture.
    Configuration,
    /// This build projects the same content to other items.
    Format,
    /// An operator requested that all items are written again.
    Rebuild,
    /// An operator restored the content of an older version.
    Rollback {
        /// The older version.
        to: u64,
    },
}

impl Cause {
    /// Returns its stored kind.
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

/// A changeset without its facts, with its fields in the order of the stored bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// The tenant.
    pub tenant: TenantId,
    /// The version that it creates.
    pub version: Version,
    /// The id of the previous changeset; none for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Hash>,
    /// The cause.
    pub cause: Cause,
    /// The provenance, in the words of the uploader or operator.
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    pub provenance: Provenance,
    /// Whether every item that any version had is written again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// The state hash of the previous version; none for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Hash>,
    /// The state hash of the version that it creates.
    pub after: Hash,
    /// The projection format of the version that it creates.
    pub projection_format: u32,
    /// The counts of the version that it creates. The reader adds the categories one by one.
    #[serde(flatten)]
    pub census: Census,
    /// The number of terms that it changes, by kind.
    #[serde(skip_deserializing)]
    pub changes: Changes,
    /// The ids of the categories that it changes, ascending; none for a changeset from before decision page 9, which does not list them.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Vec<u64>>,
}

/// A changeset that was read.
#[derive(Debug, Clone)]
pub struct Changeset {
    /// The header.
    pub header: Header,
    /// The facts, in order.
    pub facts: Vec<Fact>,
}

/// The stored form, in the order of its bytes. The facts are serialised one by one, so that they are never in memory together.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", bound = "F: Iterator<Item = Fact>")]
struct Body<'a, F> {
    format_version: u32,
    #[serde(flatten)]
    header: &'a Header,
    #[serde(serialize_with = "one_by_one")]
    facts: Cell<Option<F>>,
}

fn one_by_one<S: Serializer>(
    facts: &Cell<Option<impl Iterator<Item = Fact>>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(facts.take().into_iter().flatten())
}

/// The result of writing a changeset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenChangeset {
    /// The changeset's id.
    pub id: Hash,
    /// The number of its facts.
    pub facts: u64,
}

/// Writes a changeset, fact by fact, and returns its id.
///
/// # Errors
/// Those of `out`.
pub fn write(
    header: &Header,
    facts: impl Iterator<Item = Fact>,
    out: impl Write,
) -> io::Result<WrittenChangeset> {
    let mut count = 0;
    let body = Body {
        format_version: FORMAT_VERSION,
        header,
        facts: Cell::new(Some(facts.inspect(|_| count += 1))),
    };
    let id = Hashing::write_json(out, &body)?;
    drop(body);
    Ok(WrittenChangeset { id, facts: count })
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
