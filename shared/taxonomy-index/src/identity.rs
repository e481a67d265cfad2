//! The version of an index file.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;

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
    /// Its commit time in epoch milliseconds.
    pub committed_at: u64,
}
