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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_the_decision_page_says() {
        let tenant = "acme".parse().unwrap();
        let of = EntriesOf::new(Version::new(12).unwrap(), "0123456789abcdef0123456789abcdef");
        assert_eq!(version_key(&tenant), "tx3:{acme}:version");
        assert_eq!(of.key(&tenant, "term:7"), "tx3:{acme}:12-0123456789abcdef:term:7");
    }

    #[test]
    fn a_short_id_is_taken_as_it_is() {
        let of = EntriesOf::new(Version::FIRST, "abc");
        assert_eq!(of.key(&"acme".parse().unwrap(), "x"), "tx3:{acme}:1-abc:x");
    }

    /// The key of an entry, by the caller's name for it; braces after the first pair have no effect.
    #[test]
    fn the_first_braces_are_the_tenants() {
        let of = EntriesOf::new(Version::FIRST, "abc");
        let key = of.key(&"~a.b-_C".parse().unwrap(), "{other}");
        assert!(key.starts_with("tx3:{~a.b-_C}:"), "{key}");
    }
}
