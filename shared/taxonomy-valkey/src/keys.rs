//! The keys of the second tier. The braces are part of them: what stands between them alone decides the cluster slot, so that
//! everything of a tenant is in one and a single MGET may ask for it.

use taxonomy_keys::{TenantId, Version};

/// Raised when the shape of keys or values changes, so that two releases side by side never read each other's.
const FORMAT: &str = "tx2";
/// How much of a changeset's id is in a key.
const CHANGESET_DIGITS: usize = 16;

/// What an entry belongs to: a version, and the changeset that made it, since a table that was restored may give a number again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntriesOf<'a> {
    version: Version,
    changeset: &'a str,
}

impl<'a> EntriesOf<'a> {
    /// The entries of a version; of the changeset's id the first 16 digits count.
    #[must_use]
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

/// Where the highest version is that anybody saw projected.
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
        assert_eq!(version_key(&tenant), "tx2:{acme}:version");
        assert_eq!(of.key(&tenant, "term:7"), "tx2:{acme}:12-0123456789abcdef:term:7");
    }

    #[test]
    fn a_short_id_is_taken_as_it_is() {
        let of = EntriesOf::new(Version::FIRST, "abc");
        assert_eq!(of.key(&"acme".parse().unwrap(), "x"), "tx2:{acme}:1-abc:x");
    }

    /// An entry is whatever the caller calls it; braces further on decide nothing.
    #[test]
    fn the_first_braces_are_the_tenants() {
        let of = EntriesOf::new(Version::FIRST, "abc");
        let key = of.key(&"~a.b-_C".parse().unwrap(), "{other}");
        assert!(key.starts_with("tx2:{~a.b-_C}:"), "{key}");
    }
}
