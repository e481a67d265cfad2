//! The version that a tenant's head has.

use std::sync::Arc;

use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{Committed, Consistency};

/// The time after its projection for which the items of a version are read consistently. Replicas usually lag by less than a second; a clock
/// that is ahead shortens the time.
const YOUNG_MS: u64 = 60_000;

/// The version of a tenant's head as one request sees it.
#[derive(Debug)]
pub(crate) struct CurrentVersion {
    key: VersionKey,
    head: Arc<Committed>,
    is_young: bool,
}

/// The key of a version's entries: a tenant, a version and its changeset. The changeset is part of it because a restored table can
/// assign a version number twice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionKey {
    /// The tenant.
    pub tenant: TenantId,
    /// The version.
    pub version: Version,
    pub(super) changeset: u64,
}

impl CurrentVersion {
    pub(crate) fn new(tenant: &TenantId, head: Arc<Committed>, now: u64) -> Self {
        Self {
            key: VersionKey::new(tenant, &head),
            // Also true where this clock is behind the one that wrote the time.
            is_young: now < head.projected_at.saturating_add(YOUNG_MS),
            head,
        }
    }

    /// Returns the tenant.
    pub(crate) fn tenant(&self) -> &TenantId {
        &self.key.tenant
    }

    /// Returns the head, at most two seconds old when the request began.
    pub(crate) fn head(&self) -> &Committed {
        &self.head
    }

    /// Returns the version: the commit publishes it.
    pub(crate) fn version(&self) -> Version {
        self.head.version
    }

    /// Returns the tag of every answer of the version: `{version}-{first 16 digits of the changeset's id}`.
    pub(crate) fn tag(&self) -> String {
        // Every request needs one, and formatted it takes five times the instructions.
        let mut version = itoa::Buffer::new();
        let version = version.format(self.key.version.get());
        [version, "-", first_digits(&self.head)].concat()
    }

    pub(crate) fn key(&self) -> &VersionKey {
        &self.key
    }

    /// Rule 3 of page 10: whether the table has all items of the version.
    pub(crate) fn trusts_the_table(&self) -> bool {
        self.head.is_settled()
    }

    /// Rule 4 of page 10: the consistency of item reads.
    pub(crate) fn consistency(&self) -> Consistency {
        if self.is_young {
            Consistency::Strong
        } else {
            Consistency::Eventual
        }
    }

    /// Rule 5 of page 10: whether a value whose newest item is of version `newest` belongs to this version or an earlier one.
    pub(crate) fn covers(&self, newest: u64) -> bool {
        newest <= self.key.version.get()
    }

    /// Whether this is its head.
    pub(crate) fn is_of(&self, head: Option<&Committed>) -> bool {
        head.is_some_and(|head| VersionKey::new(self.tenant(), head) == self.key)
    }
}

impl VersionKey {
    /// Returns the first 16 digits of the changeset's id.
    pub fn changeset(&self) -> String {
        format!("{:016x}", self.changeset)
    }

    fn new(tenant: &TenantId, head: &Committed) -> Self {
        // Hashes are hex digits, so the default is never used.
        let changeset = u64::from_str_radix(first_digits(head), 16).unwrap_or_default();
        Self {
            tenant: tenant.clone(),
            version: head.version,
            changeset,
        }
    }
}

/// Returns the first 16 digits of the changeset's id.
fn first_digits(head: &Committed) -> &str {
    head.changeset.as_str().get(..16).unwrap_or_default()
}
