//! The heads of tenants, each read at most once in two seconds.
//!
//! Every answer needs the head of its tenant: for the version, for the cultures, and to see whether the tenant exists. The absence of a
//! tenant is cached as well, so that requests for it cost no more than others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::Cache;
use taxonomy_keys::{TenantId, Version};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Consistency, Reader, StoreError, usage};

/// The largest age of a head when a request begins, in milliseconds. Every process serves a new version after at most this time.
const FRESH_MS: u64 = 2_000;
/// The maximum number of heads in memory, about 10 MB.
const CAPACITY: usize = 10_000;

/// A head, or `None` for a tenant without a commit.
type Head = Option<Arc<Committed>>;

/// The heads that this process has read.
pub(crate) struct HeadCache {
    reader: Reader,
    clock: Arc<dyn Clock>,
    seen: Cache<TenantId, CachedHead>,
    order: AtomicU64,
}

#[derive(Clone)]
struct CachedHead {
    head: Head,
    /// The start of the read, in epoch milliseconds.
    at: u64,
    /// The position of the read among those of this process. Unlike a clock it always increases.
    order: u64,
    /// The highest version of all hints at the time of the read.
    hinted: u64,
}

impl HeadCache {
    pub(crate) fn new(reader: Reader, clock: Arc<dyn Clock>) -> Self {
        Self {
            reader,
            clock,
            seen: Cache::new(CAPACITY),
            order: AtomicU64::new(0),
        }
    }

    /// Returns the head as it was at most two seconds before the call; `None` for a tenant without a commit. Another process may already serve a
    /// version that this head lacks: one older than the version that the request `named` is read again, by a read that begins after the call.
    pub(crate) async fn head(&self, tenant: &TenantId, named: Option<Version>) -> Result<Head, StoreError> {
        let (now, asked) = (self.clock.now_ms(), self.next_order());
        let head = self.unless(tenant, 0, |seen| is_fresh(seen.at, now)).await?;
        match head.as_ref().map(|head| head.version) < named {
            true => self.unless(tenant, 0, |seen| seen.order > asked).await,
            false => Ok(head),
        }
    }

    /// Forgets the head of a tenant.
    pub(crate) fn forget(&self, tenant: &TenantId) {
        self.seen.remove(tenant);
    }

    /// As [`Self::head`], for a hint that a version exists. A hint that the table did not confirm is ignored while the head is fresh: after a
    /// restore the hint may stay too high for ever.
    pub(crate) async fn look_for(&self, tenant: &TenantId, version: u64) -> Result<Head, StoreError> {
        let (now, asked) = (self.clock.now_ms(), self.next_order());
        let followed = |seen: &CachedHead| seen.hinted >= version && is_fresh(seen.at, now);
        self.unless(tenant, version, |seen| seen.order > asked || followed(seen))
            .await
    }

    async fn unless(
        &self,
        tenant: &TenantId,
        hinted: u64,
        suffices: impl Fn(&CachedHead) -> bool,
    ) -> Result<Head, StoreError> {
        let seen = self.seen.get(tenant);
        if let Some(seen) = seen.as_ref().filter(|seen| suffices(seen)) {
            usage::note(|usage| usage.cache_hits += 1);
            return Ok(seen.head.clone());
        }
        let (at, order) = (self.clock.now_ms(), self.next_order());
        usage::note(|usage| usage.cache_misses += 1);
        let head = self.reader.head(tenant, Consistency::Strong).await?;
        let head = head.and_then(|head| head.committed).map(Arc::new);
        let hinted = hinted.max(seen.map_or(0, |seen| seen.hinted));
        let seen = CachedHead {
            head: head.clone(),
            at,
            order,
            hinted,
        };
        self.seen.insert(tenant.clone(), seen);
        Ok(head)
    }

    fn next_order(&self) -> u64 {
        self.order.fetch_add(1, Ordering::Relaxed)
    }
}

/// If the clock was set back, the head counts as old. Otherwise it would stay fresh for as long as the clock was set back.
fn is_fresh(at: u64, now: u64) -> bool {
    now.abs_diff(at) < FRESH_MS
}
