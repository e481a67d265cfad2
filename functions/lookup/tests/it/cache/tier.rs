//! A second tier in memory, in several moods.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lookup::cache::{CachedEntries, SecondTier, VersionKey};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    #[default]
    Well,
    /// It finds nothing and keeps nothing.
    Down,
    /// It takes its whole time, and then the same.
    Slow(Duration),
    /// It confirms that no value exists.
    Denying,
}

#[derive(Debug, Default)]
pub(crate) struct Tier(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    mood: Mood,
    newest: Option<u64>,
    kept: BTreeMap<String, Vec<u8>>,
    asked: Vec<String>,
}

fn name(version: &VersionKey, entry: &str) -> String {
    let (number, changeset) = (version.version, version.changeset());
    format!("{} {number}-{changeset} {entry}", version.tenant)
}

impl Tier {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn is(&self, mood: Mood) {
        self.0.lock().unwrap().mood = mood;
    }

    pub(crate) fn hint(&self, version: u64) {
        self.0.lock().unwrap().newest = Some(version);
    }

    /// Names and values, ascending.
    pub(crate) fn lines(&self) -> Vec<String> {
        let inside = self.0.lock().unwrap();
        let kept = inside.kept.iter();
        kept.map(|(name, value)| format!("{name} = {}", String::from_utf8_lossy(value)))
            .collect()
    }

    /// Replaces every value.
    pub(crate) fn overwrite(&self, value: impl Fn(&str, &[u8]) -> Vec<u8>) {
        for (name, kept) in &mut self.0.lock().unwrap().kept {
            *kept = value(name, kept);
        }
    }

    /// The requests since the last call, one line for each.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }

    async fn mood(&self) -> Mood {
        let mood = self.0.lock().unwrap().mood;
        if let Mood::Slow(time) = mood {
            tokio::time::sleep(time).await;
        }
        mood
    }
}

impl SecondTier for Tier {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            let mood = self.mood().await;
            let mut inside = self.0.lock().unwrap();
            inside.asked.push(entries.join(" "));
            if matches!(mood, Mood::Down | Mood::Slow(_)) {
                return CachedEntries::default();
            }
            let kept = |entry: &String| inside.kept.get(&name(version, entry)).cloned();
            let kept = entries
                .iter()
                .map(|entry| kept(entry).filter(|_| mood != Mood::Denying));
            CachedEntries {
                values: kept.collect(),
                newest_version: inside.newest,
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, version: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            if matches!(self.mood().await, Mood::Well | Mood::Denying) {
                let entries = entries.into_iter();
                let named = entries.map(|(entry, value)| (name(version, &entry), value));
                self.0.lock().unwrap().kept.extend(named);
            }
        }
        .boxed()
    }
}
