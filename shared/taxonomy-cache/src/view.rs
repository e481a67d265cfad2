//! Which version a request looks at.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{Committed, Consistency};

use crate::sabotage::Sabotage;

/// So long after a version was projected its items are read consistently: replicas lag by a second at most as a rule, and clocks
/// that are ahead make the time shorter.
const YOUNG_MS: u64 = 60_000;

/// A tenant as one request sees it: everything that is answered through it is of this version, or newer, or from a moment at
/// which the version was being written. Only what is exactly of this version carries a [`tag`](Self::tag).
#[derive(Debug)]
pub struct View {
    key: ViewKey,
    head: Arc<Committed>,
    is_young: bool,
    is_firm: AtomicBool,
    /// The newest version that wrote any of the items that were read from the table through it.
    newest_read: AtomicU64,
}

/// What entries belong to: a tenant, one of its versions, and the changeset that made it, because a table that was restored may
/// give a version number again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewKey {
    tenant: TenantId,
    version: u64,
    changeset: u64,
}

impl View {
    pub(crate) fn new(tenant: &TenantId, head: Arc<Committed>, now: u64) -> Self {
        let is_settled = head.is_settled();
        Self {
            key: ViewKey::new(tenant, &head),
            // Also where this clock is behind the one that wrote the time.
            is_young: now < head.projected_at.saturating_add(YOUNG_MS),
            is_firm: AtomicBool::new(is_settled),
            newest_read: AtomicU64::new(0),
            head,
        }
    }

    /// The view of a head that no table has: it never changes.
    #[must_use]
    pub fn of_preview(tenant: &TenantId, head: Arc<Committed>) -> Self {
        Self::new(tenant, head, u64::MAX)
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.key.tenant
    }

    /// The head that this is the view of, at most two seconds old when the request began.
    #[must_use]
    pub fn head(&self) -> &Committed {
        &self.head
    }

    /// The version that is served; none until the first one is projected completely.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.head.projected
    }

    /// `{version}-{first 16 digits of the changeset's id}`, if everything that was answered through this view so far is exactly
    /// what that version says: at first that is so wherever the version is settled.
    #[must_use]
    pub fn tag(&self) -> Option<String> {
        self.is_firm.load(Ordering::Relaxed).then(|| self.key.to_string())
    }

    pub(crate) fn key(&self) -> &ViewKey {
        &self.key
    }

    /// Rule 3: while a version is being written, nothing is taken from a cache or put into one.
    pub(crate) fn may_cache(&self) -> bool {
        self.head.is_settled() || Sabotage::UnsettledCached.is_on()
    }

    /// Rule 4, for the index: while the version is young, what the index says may be older.
    pub(crate) fn may_cache_index(&self) -> bool {
        self.may_cache() && (!self.is_young || Sabotage::YoungIndexCached.is_on())
    }

    /// Whether the index shows exactly what the version has: it is settled, and no longer young.
    #[must_use]
    pub fn may_answer_lists(&self) -> bool {
        self.may_cache_index()
    }

    /// Rule 4: how items are read. Also while the next version is being written already: what is then answered is not kept, and must
    /// not be older than the version that is served all the same.
    pub(crate) fn consistency(&self) -> Consistency {
        if self.is_young && !Sabotage::YoungReadEventually.is_on() {
            Consistency::Strong
        } else {
            Consistency::Eventual
        }
    }

    /// Rule 5: whether everything that was read is of this version or of one before it.
    pub(crate) fn covers(&self, newest: u64) -> bool {
        newest <= self.key.version || Sabotage::NewerCached.is_on()
    }

    /// An item, or a tombstone, was read that this version wrote.
    pub(crate) fn has_read(&self, newest: u64) {
        self.newest_read.fetch_max(newest, Ordering::Relaxed);
    }

    /// Rule 7: whether something was read that a version after the head's wrote.
    pub(crate) fn is_outdated(&self) -> bool {
        self.newest_read.load(Ordering::Relaxed) > self.head.version.get()
    }

    /// Something was answered that may not be exactly of this version.
    pub(crate) fn soften(&self) {
        self.is_firm.store(false, Ordering::Relaxed);
    }

    /// Whether this head is the one of the view: then no load has begun between the two.
    pub(crate) fn is_of(&self, head: Option<&Committed>) -> bool {
        let same = |head: &Committed| {
            (head.version, &head.changeset, head.projected)
                == (self.head.version, &self.head.changeset, self.head.projected)
        };
        head.is_some_and(same)
    }
}

impl ViewKey {
    /// The first 16 digits of the changeset's id.
    pub(crate) fn changeset(&self) -> String {
        format!("{:016x}", self.changeset)
    }

    fn new(tenant: &TenantId, head: &Committed) -> Self {
        let version = match head.projected {
            Some(_) if Sabotage::UnsettledCached.is_on() => Some(head.version),
            projected => projected,
        };
        let digits = head.changeset.as_str().get(..16).unwrap_or_default();
        // Hashes are hex digits, so nothing is ever replaced.
        let changeset = u64::from_str_radix(digits, 16).unwrap_or_default();
        Self {
            tenant: tenant.clone(),
            version: version.map_or(0, Version::get),
            changeset,
        }
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The version; 0 before the first.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What caches know entries by.
    pub(crate) fn kept(&self) -> Self {
        let mut key = self.clone();
        if Sabotage::VersionOmitted.is_on() {
            (key.version, key.changeset) = (0, 0);
        }
        key
    }
}

/// `{version}-{first 16 digits of the changeset's id}`.
impl fmt::Display for ViewKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.version, self.changeset)
    }
}
