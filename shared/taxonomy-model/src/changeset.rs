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
    #[serde(skip_serializing)]
    facts: Vec<Fact>,
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
        facts: Vec::new(),
    };
    let mut out = Hashing::new(out);
    let mut open = serde_json::to_vec(&body)?;
    // The facts go where the object would end.
    open.pop();
    out.write_all(&open)?;
    out.write_all(br#","facts":["#)?;
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
}

/// Reads a changeset. Whoever reads it from where it is stored checks that the bytes hash to its id.
///
/// # Errors
/// [`ReadError`]: a damaged body or a newer format.
pub fn read(bytes: &[u8]) -> Result<Changeset, ReadError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Format {
        format_version: u32,
    }
    let Format { format_version } = serde_json::from_slice(bytes)?;
    if format_version != FORMAT_VERSION {
        return Err(ReadError::Format(format_version));
    }
    let body: Body = serde_json::from_slice(bytes)?;
    Ok(Changeset {
        header: Header {
            tenant: body.tenant.parse().map_err(|_| ReadError::Identity)?,
            version: Version::new(body.version).ok_or(ReadError::Identity)?,
            parent: body.parent,
            cause: body.cause,
            full: body.full,
            before: body.before,
            after: body.after,
            projection_format: body.projection_format,
            census: Census {
                totals: body.totals,
                categories: body.categories,
            },
            changes: body.changes,
        },
        facts: body.facts,
    })
}
