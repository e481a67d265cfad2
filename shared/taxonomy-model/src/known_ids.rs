//! The ids of all categories and terms that the versions up to one of them have had. A verification that begins at a checkpoint reads them
//! from here instead of from every earlier changeset. The names are the storage format (docs/decisions/0009-aggregates.md).

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use taxonomy_keys::TenantId;

use crate::fact::{Fact, NodeId};
use crate::hash::{Hash, Hashing};

/// The format of the body.
const FORMAT_VERSION: u32 = 1;

/// Ids of categories and terms, including removed ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownIds {
    categories: BTreeSet<u64>,
    terms: BTreeSet<u64>,
}

/// The stored form, with ascending ids.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    format_version: u32,
    tenant: String,
    categories: BTreeSet<u64>,
    terms: BTreeSet<u64>,
}

/// A stored body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableIds {
    /// Not JSON, or not in this form.
    #[error("the list of ids cannot be read")]
    Json(#[from] serde_json::Error),
    /// Written by a later build.
    #[error("format {0} of a list of ids is not known to this build")]
    Format(u32),
    /// It belongs to another tenant.
    #[error("it is the list of ids of {0}")]
    Tenant(String),
}

impl KnownIds {
    /// Adds every id in the facts.
    pub fn extend(&mut self, facts: &[Fact]) {
        for subject in facts.iter().filter_map(Fact::subject) {
            match subject {
                NodeId::Category(id) => self.categories.insert(id),
                NodeId::Term(id) => self.terms.insert(id),
            };
        }
    }

    /// Iterates over all ids: categories first, each kind ascending.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        let categories = self.categories.iter().copied().map(NodeId::Category);
        categories.chain(self.terms.iter().copied().map(NodeId::Term))
    }

    /// Writes the body and returns its hash. The same ids of the same tenant have the same bytes.
    ///
    /// # Errors
    /// An I/O error of `out`.
    pub fn write(&self, tenant: &TenantId, out: impl Write) -> io::Result<Hash> {
        let mut out = Hashing::new(out);
        let body = Body {
            format_version: FORMAT_VERSION,
            tenant: tenant.to_string(),
            categories: self.categories.clone(),
            terms: self.terms.clone(),
        };
        serde_json::to_writer(&mut out, &body)?;
        Ok(out.finish())
    }

    /// Reads a body; the caller checks its hash.
    ///
    /// # Errors
    /// [`UnreadableIds`]: a damaged body, a newer format or another tenant's ids.
    pub fn read(tenant: &TenantId, bytes: &[u8]) -> Result<Self, UnreadableIds> {
        let body: Body = serde_json::from_slice(bytes)?;
        if body.format_version != FORMAT_VERSION {
            return Err(UnreadableIds::Format(body.format_version));
        }
        if body.tenant != tenant.as_str() {
            return Err(UnreadableIds::Tenant(body.tenant));
        }
        Ok(Self {
            categories: body.categories,
            terms: body.terms,
        })
    }
}
