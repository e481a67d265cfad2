//! A second tier in memory that loses and delays entries, and receives hints of versions early, late, with a wrong version or never.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fastrand::Rng;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lookup::cache::{CachedEntries, SecondTier, VersionKey};

/// A second tier. The lookup processes of a run share it.
#[derive(Debug, Default)]
pub(crate) struct MemoryTier(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    rng: Rng,
    /// Whether entries are lost and delayed.
    is_lossy: bool,
    newest: BTreeMap<String, u64>,
    entries: BTreeMap<String, Vec<u8>>,
    delayed: Vec<(String, Vec<u8>)>,
}

fn key(version: &VersionKey, entry: &str) -> String {
    let (number, changeset) = (version.version, version.changeset());
    format!("{} {number}-{changeset} {entry}", version.tenant)
}

impl MemoryTier {
    pub(crate) fn new(seed: u64, is_lossy: bool) -> Arc<Self> {
        let rng = Rng::with_seed(seed);
        Arc::new(Self(Mutex::new(State {
            rng,
            is_lossy,
            ..State::default()
        })))
    }

    /// Removes all entries.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().entries.clear();
    }

    /// Stores the delayed entries.
    pub(crate) fn store_delayed(&self) {
        let mut state = self.0.lock().unwrap();
        let delayed = std::mem::take(&mut state.delayed);
        state.entries.extend(delayed);
    }

    /// Receives the hint that a version is served.
    pub(crate) fn hint(&self, tenant: &str, version: u64) {
        let mut state = self.0.lock().unwrap();
        let newest = state.newest.entry(tenant.to_owned()).or_default();
        *newest = version.max(*newest);
    }
}

impl SecondTier for MemoryTier {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            tokio::task::yield_now().await;
            let mut state = self.0.lock().unwrap();
            let is_lost = state.is_lossy && state.rng.u8(0..8) == 0;
            if is_lost {
                return CachedEntries::default();
            }
            let values = entries
                .iter()
                .map(|entry| state.entries.get(&key(version, entry)).cloned());
            CachedEntries {
                values: values.collect(),
                newest_version: state.newest.get(version.tenant.as_str()).copied(),
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, version: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            tokio::task::yield_now().await;
            let mut state = self.0.lock().unwrap();
            for (entry, value) in entries {
                let key = key(version, &entry);
                match if state.is_lossy { state.rng.u8(0..6) } else { 3 } {
                    0 => {}
                    1 | 2 => state.delayed.push((key, value)),
                    _ => drop(state.entries.insert(key, value)),
                }
            }
        }
        .boxed()
    }
}
