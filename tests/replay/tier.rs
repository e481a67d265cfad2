//! The second tier with a count of what it is asked for: what the first one did not have. Where there is none, an empty one counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_cache::{Kept, SecondTier, Trouble, ViewKey};
use taxonomy_valkey::{Valkey, ValkeyConfig};

/// Entries and requests.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) asked: AtomicU64,
    pub(crate) found: AtomicU64,
    pub(crate) requests: AtomicU64,
    pub(crate) trouble: AtomicU64,
}

#[derive(Debug)]
pub(crate) struct CountingTier {
    pub(crate) behind: Option<Valkey>,
    pub(crate) counts: Arc<Counts>,
}

/// A busy machine is no reason for a miss.
pub(crate) fn patient(config: ValkeyConfig) -> ValkeyConfig {
    ValkeyConfig {
        timeout: Duration::from_secs(10),
        ..config
    }
}

fn add(count: &AtomicU64, more: usize) {
    count.fetch_add(more as u64, Ordering::Relaxed);
}

impl SecondTier for CountingTier {
    fn get<'a>(&'a self, view: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, Kept> {
        async move {
            add(&self.counts.asked, entries.len());
            let Some(behind) = &self.behind else {
                return Kept::default();
            };
            add(&self.counts.requests, 1);
            let kept = SecondTier::get(behind, view, entries).await;
            add(&self.counts.found, kept.values.iter().flatten().count());
            kept
        }
        .boxed()
    }

    fn put<'a>(&'a self, view: &'a ViewKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            if let Some(behind) = &self.behind {
                add(&self.counts.requests, 1);
                SecondTier::put(behind, view, entries).await;
            }
        }
        .boxed()
    }

    fn warm_up(&self) -> BoxFuture<'_, ()> {
        async move {
            if let Some(behind) = &self.behind {
                SecondTier::warm_up(behind).await;
            }
        }
        .boxed()
    }

    fn take_trouble(&self) -> Trouble {
        let trouble = self
            .behind
            .as_ref()
            .map_or_else(Trouble::default, SecondTier::take_trouble);
        self.counts
            .trouble
            .fetch_add(trouble.failed + trouble.skipped, Ordering::Relaxed);
        trouble
    }
}
