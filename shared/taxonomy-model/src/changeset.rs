//! The changeset: what made a version out of the one before. The bytes are the storage format
//! (docs/decisions/0008-changeset-chain.md), and their hash is the changeset's id.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use taxonomy_keys::{TenantId, Version};

use crate::census::{CategoryCounts, Census, TenantCounts};
use crate::fact::Fact;
use crate::hash::{Hash, Hashing};
use crate::totals::Changes;

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

/// The stored form. While writing, its facts are left out and follow one by one.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    format_version: u32,
    tenant: String,
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<Hash>,
    cause: Cause,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    full: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before: Option<Hash>,
    after: Hash,
    projection_format: u32,
    totals: TenantCounts,
    categories: Vec<CategoryCounts>,
    changes: Changes,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    touched: Option<Vec<u64>>,
    #[serde(default, skip_serializing)]
    facts: Option<Vec<Fact>>,
}

/// Where the facts begin. No text in front of it can hold this: ids, hashes and culture tags know no quotes.
const FACTS: &[u8] = br#","facts":["#;

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
        tenant: header.tenant.to_string(),
        version: header.version.get(),
        parent: header.parent.clone(),
        cause: header.cause.clone(),
        full: header.full,
        before: header.before.clone(),
        after: header.after.clone(),
        projection_format: header.projection_format,
        totals: header.census.totals.clone(),
        categories: header.census.categories.clone(),
        changes: header.changes,
        touched: header.touched.clone(),
        facts: None,
    };
    let mut out = Hashing::new(out);
    let mut open = serde_json::to_vec(&body)?;
    // The facts go where the object would end.
    open.pop();
    out.write_all(&open)?;
    out.write_all(FACTS)?;
    let mut count = 0;
    for fact in facts {
        if count > 0 {
            out.write_all(b",")?;
        }
        serde_json::to_writer(&mut out, &fact)?;
        count += 1;
    }
    out.write_all(b"]}")?;
    Ok(Written {
        id: out.finish(),
        facts: count,
    })
}

impl Body {
    fn header(self) -> Result<Header, ReadError> {
        Ok(Header {
            tenant: self.tenant.parse().map_err(|_| ReadError::Identity)?,
            version: Version::new(self.version).ok_or(ReadError::Identity)?,
            parent: self.parent,
            cause: self.cause,
            full: self.full,
            before: self.before,
            after: self.after,
            projection_format: self.projection_format,
            census: Census {
                totals: self.totals,
                categories: self.categories,
            },
            changes: self.changes,
            touched: self.touched,
        })
    }
}

/// A stored changeset cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not of the form of a changeset.
    #[error("the changeset cannot be read")]
    Json(#[from] serde_json::Error),
    /// Written by a later build.
    #[error("changeset format {0} is not known to this build")]
    Format(u32),
    /// Its tenant or version cannot be one.
    #[error("the changeset names no tenant and version")]
    Identity,
    /// It has no facts, not even an empty list of them.
    #[error("the changeset has no facts")]
    Facts,
}

/// Reads a changeset. Whoever reads it from where it is stored checks that the bytes hash to its id.
///
/// # Errors
/// [`ReadError`]: a damaged body or a newer format.
pub fn read(bytes: &[u8]) -> Result<Changeset, ReadError> {
    let mut body = body(bytes)?;
    let facts = body.facts.take().ok_or(ReadError::Facts)?;
    Ok(Changeset {
        header: body.header()?,
        facts,
    })
}

fn body(bytes: &[u8]) -> Result<Body, ReadError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Format {
        format_version: u32,
    }
    let Format { format_version } = serde_json::from_slice(bytes)?;
    if format_version != FORMAT_VERSION {
        return Err(ReadError::Format(format_version));
    }
    Ok(serde_json::from_slice(bytes)?)
}

/// Reads the header out of a changeset that streams by: facts are hashed and forgotten, so a changeset of any size takes as much
/// memory as its counts do.
///
/// ```
/// use std::io::Write;
/// use taxonomy_model::changeset::HeaderReader;
///
/// let mut reader = HeaderReader::default();
/// reader.write_all(br#"{"formatVersion":1,"facts":[]}"#).unwrap();
/// assert!(reader.finish().is_err(), "a body without a tenant is none");
/// ```
#[derive(Debug)]
pub struct HeaderReader {
    out: Hashing<io::Sink>,
    header: Vec<u8>,
    complete: bool,
}

/// The most bytes of a header: the counts of some 300,000 categories.
const MAX_HEADER: usize = 64 << 20;

impl Default for HeaderReader {
    fn default() -> Self {
        Self {
            out: Hashing::new(io::sink()),
            header: Vec::new(),
            complete: false,
        }
    }
}

impl Write for HeaderReader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        if !self.complete {
            // The mark may lie across what came before.
            let from = self.header.len().saturating_sub(FACTS.len() - 1);
            self.header.extend_from_slice(bytes);
            let mark = self.header[from..]
                .windows(FACTS.len())
                .position(|window| window == FACTS);
            if let Some(mark) = mark {
                self.header.truncate(from + mark);
                self.complete = true;
            }
            if self.header.len() > MAX_HEADER {
                return Err(io::Error::other("the header of the changeset does not end"));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl HeaderReader {
    /// The id that the bytes hash to, and the header. Whoever knows the id compares.
    ///
    /// # Errors
    /// [`ReadError`]: a damaged body or a newer format.
    pub fn finish(mut self) -> Result<(Hash, Header), ReadError> {
        if !self.complete {
            return Err(ReadError::Facts);
        }
        self.header.push(b'}');
        let header = body(&self.header)?.header()?;
        Ok((self.out.finish(), header))
    }
}
