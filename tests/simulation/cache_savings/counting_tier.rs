//! The second tier with counts of the entries that the first tier lacked. Without a second tier, an empty one counts them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lookup::cache::{CachedEntries, SecondTier, TierErrors, VersionKey};
use taxonomy_valkey::{Valkey, ValkeyConfig};

/// The numbers of entries and requests.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Entries that the first tier lacked.
    pub(crate) missed: AtomicU64,
    /// Those that the second tier had.
    pub(crate) found: AtomicU64,
    /// Requests to the second tier.
    pub(crate) requests: AtomicU64,
    /// Requests that failed or were skipped.
    pub(crate) trouble: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct CountingTier {
    pub(crate) tier: Option<Valkey>,
    pub(crate) counts: Arc<Counts>,
}

/// Returns the configuration with a time-out that a slow machine does not reach.
pub(crate) fn with_long_timeout(config: ValkeyConfig) -> ValkeyConfig {
    ValkeyConfig {
        timeout: Duration::from_secs(10),
        ..config
    }
}

fn add(count: &AtomicU64, more: usize) {
    count.fetch_add(more as u64, Ordering::Relaxed);
}

impl SecondTier for CountingTier {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            add(&self.counts.missed, entries.len());
            let Some(tier) = &self.tier else {
                return CachedEntries::default();
            };
            add(&self.counts.requests, 1);
            let kept = SecondTier::get(tier, version, entries).await;
            add(&self.counts.found, kept.values.iter().flatten().count());
            kept
        }
        .boxed()
    }

    fn put<'a>(&'a self, version: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            if let Some(tier) = &self.tier {
                add(&self.counts.requests, 1);
                SecondTier::put(tier, version, entries).await;
            }
        }
        .boxed()
    }

    fn warm_up(&self) -> BoxFuture<'_, ()> {
        async move {
            if let Some(tier) = &self.tier {
                SecondTier::warm_up(tier).await;
            }
        }
        .boxed()
    }

    fn take_errors(&self) -> TierErrors {
        let trouble = self
            .tier
            .as_ref()
            .map_or_else(TierErrors::default, SecondTier::take_errors);
        self.counts
            .trouble
            .fetch_add(trouble.failed + trouble.skipped, Ordering::Relaxed);
        trouble
    }
}
