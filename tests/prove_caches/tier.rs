//! A second tier in memory that loses, forgets and delays, and is told of versions early, late, wrongly or not at all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use fastrand::Rng;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_cache::{Kept, SecondTier, ViewKey};

/// Entries, and those that are on their way there.
#[derive(Debug, Default)]
pub(crate) struct Tier(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    rng: Rng,
    is_rough: bool,
    newest: BTreeMap<String, u64>,
    kept: BTreeMap<String, Vec<u8>>,
    late: Vec<(String, Vec<u8>)>,
}

fn name(view: &ViewKey, entry: &str) -> String {
    format!("{} {view} {entry}", view.tenant())
}

impl Tier {
    pub(crate) fn new(seed: u64, is_rough: bool) -> Arc<Self> {
        let rng = Rng::with_seed(seed);
        Arc::new(Self(Mutex::new(Inside {
            rng,
            is_rough,
            ..Inside::default()
        })))
    }

    pub(crate) fn forget(&self) {
        self.0.lock().unwrap().kept.clear();
    }

    /// What was put late arrives.
    pub(crate) fn arrive(&self) {
        let mut inside = self.0.lock().unwrap();
        let late = std::mem::take(&mut inside.late);
        inside.kept.extend(late);
    }

    /// Somebody says that there is this version.
    pub(crate) fn hint(&self, tenant: &str, version: u64) {
        let mut inside = self.0.lock().unwrap();
        let newest = inside.newest.entry(tenant.to_owned()).or_default();
        *newest = version.max(*newest);
    }
}

impl SecondTier for Tier {
    fn get<'a>(&'a self, view: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, Kept> {
        async move {
            tokio::task::yield_now().await;
            let mut inside = self.0.lock().unwrap();
            let lost = inside.is_rough && inside.rng.u8(0..8) == 0;
            if lost {
                return Kept::default();
            }
            let values = entries
                .iter()
                .map(|entry| inside.kept.get(&name(view, entry)).cloned());
            Kept {
                values: values.collect(),
                newest_version: inside.newest.get(view.tenant().as_str()).copied(),
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, view: &'a ViewKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            tokio::task::yield_now().await;
            let mut inside = self.0.lock().unwrap();
            for (entry, value) in entries {
                let named = (name(view, &entry), value);
                match if inside.is_rough { inside.rng.u8(0..6) } else { 9 } {
                    0 => {}
                    1 | 2 => inside.late.push(named),
                    _ => drop(inside.kept.insert(named.0, named.1)),
                }
            }
        }
        .boxed()
    }
}
