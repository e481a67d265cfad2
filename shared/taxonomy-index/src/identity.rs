//! The version of an index file, and the names of its files.

use taxonomy_keys::{Culture, TenantId, Version};
use taxonomy_model::Hash;

use crate::INDEX_FORMAT;
use crate::digest::Digest;

/// The version that an index file belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The tenant.
    pub tenant: TenantId,
    /// The version.
    pub version: Version,
    /// The id of its changeset.
    pub changeset: Hash,
    /// Its state hash.
    pub state: Hash,
    /// The projection format that it was committed with.
    pub projection_format: u32,
}

impl Identity {
    /// Returns the key of the index file with this digest, in the changesets bucket.
    pub fn index_key(&self, digest: Digest) -> String {
        format!("{}-{digest}.index", self.stem())
    }

    /// Returns the key of the search object of a culture with this digest, in the changesets bucket.
    pub fn search_key(&self, culture: &Culture, digest: Digest) -> String {
        format!("{}-{digest}.search-{culture}", self.stem())
    }

    fn stem(&self) -> String {
        let Self {
            tenant,
            version,
            changeset,
            ..
        } = self;
        format!(
            "indexes/{tenant}/{INDEX_FORMAT}/{:012}-{changeset}",
            version.get()
        )
    }
}

/// Returns the index format that the key of a file names; none for another key.
pub fn format_of(key: &str) -> Option<u32> {
    let rest = key.strip_prefix("indexes/")?;
    rest.split('/').nth(1)?.parse().ok()
}
