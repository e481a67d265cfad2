//! The heads of tenants, each read at most once in two seconds.
//!
//! Every answer needs its tenant's head: for the version it states, for the cultures to choose from, and to know that there is such a
//! tenant at all. A tenant that is not there is remembered as well, so that asking for it costs no more than for others.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use taxonomy_keys::TenantId;
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Consistency, Reader, StoreError, usage};

/// How old a head may be when a request begins. A new version is seen by everybody after at most so long.
const FRESH_MS: u64 = 2_000;
/// Some 10 MB of heads.
const CAPACITY: usize = 10_000;

/// What was seen of a tenant: its head, or that nothing was ever committed for it.
type Head = Option<Arc<Committed>>;

/// The heads that this process has read. Of those who want the same one at once, one reads.
pub(crate) struct Heads {
    reader: Reader,
    clock: Arc<dyn Clock>,
    seen: Cache<TenantId, Seen>,
    order: AtomicU64,
}

/// A place in the order of the reads of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(u64);

#[derive(Clone)]
struct Seen {
    head: Head,
    /// When the read began, in epoch milliseconds.
    at: u64,
    /// Which of the reads of this process it was: clocks may stand still or go back, this does not.
    order: u64,
    /// The highest version that was hinted at when it was read.
    hinted: u64,
}

impl fmt::Debug for Heads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heads").finish_non_exhaustive()
    }
}

impl Heads {
    pub(crate) fn new(reader: Reader, clock: Arc<dyn Clock>) -> Self {
        Self {
            reader,
            clock,
            seen: Cache::new(CAPACITY),
            order: AtomicU64::new(0),
        }
    }

    /// The head of a tenant as it was at most two seconds before this is called; none where nothing was ever committed. A read that
    /// another request began is waited for, and is good enough only if it began late enough.
    pub(crate) async fn head(&self, tenant: &TenantId) -> Result<Head, StoreError> {
        let now = self.clock.now_ms();
        self.unless(tenant, 0, |seen| is_fresh(seen.at, now)).await
    }

    /// The head by a read that begins after this is called.
    pub(crate) async fn look_again(&self, tenant: &TenantId) -> Result<Head, StoreError> {
        self.read_after(tenant, self.now()).await
    }

    /// The head by a read that began after that moment.
    pub(crate) async fn read_after(&self, tenant: &TenantId, moment: Moment) -> Result<Head, StoreError> {
        self.unless(tenant, 0, |seen| seen.order > moment.0).await
    }

    /// This moment, in the order of this process's reads.
    pub(crate) fn now(&self) -> Moment {
        Moment(self.next_order())
    }

    /// The same because of a hint that there is this version. A hint that the table did not confirm is not followed again for as long
    /// as the head is fresh: after a restore it may stay too high for ever.
    pub(crate) async fn look_for(&self, tenant: &TenantId, version: u64) -> Result<Head, StoreError> {
        let (now, asked) = (self.clock.now_ms(), self.next_order());
        let followed = |seen: &Seen| seen.hinted >= version && is_fresh(seen.at, now);
        self.unless(tenant, version, |seen| seen.order > asked || followed(seen))
            .await
    }

    async fn unless(
        &self,
        tenant: &TenantId,
        hinted: u64,
        suffices: impl Fn(&Seen) -> bool,
    ) -> Result<Head, StoreError> {
        let known = self.seen.entry_async(tenant, |_, seen| {
            if suffices(seen) {
                EntryAction::Retain(seen.head.clone())
            } else {
                EntryAction::ReplaceWithGuard
            }
        });
        let (guard, before) = match known.await {
            EntryResult::Retained(head) => {
                usage::note(|usage| usage.cache_hits += 1);
                return Ok(head);
            }
            EntryResult::Vacant(guard) => (Some(guard), 0),
            EntryResult::Replaced(guard, seen) => (Some(guard), seen.hinted),
            EntryResult::Removed(..) | EntryResult::Timeout => (None, 0),
        };
        let (at, order) = (self.clock.now_ms(), self.next_order());
        usage::note(|usage| usage.cache_misses += 1);
        let head = self.reader.head(tenant, Consistency::Strong).await?;
        let head = head.and_then(|head| head.committed).map(Arc::new);
        if let Some(guard) = guard {
            let seen = Seen {
                head: head.clone(),
                at,
                order,
                hinted: hinted.max(before),
            };
            // Refused only where it was removed meanwhile, which nobody does.
            drop(guard.insert(seen));
        }
        Ok(head)
    }

    fn next_order(&self) -> u64 {
        self.order.fetch_add(1, Ordering::Relaxed)
    }
}

/// A clock that was set back makes old what would otherwise stay fresh for as long as it was set back.
fn is_fresh(at: u64, now: u64) -> bool {
    now.abs_diff(at) < FRESH_MS
}
