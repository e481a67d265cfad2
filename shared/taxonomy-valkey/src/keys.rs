//! The keys of the second tier. The braces are part of a key: the text between them decides the cluster slot, so all keys of a tenant are in
//! one slot and one MGET can read them.

use taxonomy_keys::{TenantId, Version};

/// The format of keys and values. A new format has a new prefix, so that two releases never read each other's entries.
const FORMAT: &str = "tx3";
/// The number of digits of a changeset's id in a key.
const CHANGESET_DIGITS: usize = 16;

/// The key prefix of entries: a version and its changeset, since a restored table can assign a version number twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntriesOf<'a> {
    version: Version,
    changeset: &'a str,
}

impl<'a> EntriesOf<'a> {
    /// The entries of a version; the first 16 digits of the changeset's id are used.
    pub fn new(version: Version, changeset_id: &'a str) -> Self {
        let changeset = changeset_id.get(..CHANGESET_DIGITS).unwrap_or(changeset_id);
        Self { version, changeset }
    }

    pub(crate) fn key(&self, tenant: &TenantId, entry: &str) -> String {
        format!(
            "{FORMAT}:{{{tenant}}}:{}-{}:{entry}",
            self.version, self.changeset
        )
    }
}

/// The key of the highest version that any process saw committed.
pub(crate) fn version_key(tenant: &TenantId) -> String {
    format!("{FORMAT}:{{{tenant}}}:version")
}
