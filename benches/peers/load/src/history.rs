//! The versions that were published, each with its file's meaning and the times of its publication.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use serde_json::Value;

use crate::oracle::{Kind, Taxonomy};
use crate::results::FRESH;
use crate::stores::Stores;

/// The versions from 1, and the stores that know since when each is served.
#[derive(Clone)]
pub(crate) struct History {
    stores: Stores,
    versions: Arc<RwLock<Vec<Version>>>,
}

#[derive(Clone)]
struct Version {
    taxonomy: Arc<Taxonomy>,
    /// A time at which it was the newest version, as RFC 3339 has it and by the monotonic clock, once there was one.
    settled_at: Option<(String, Instant)>,
}

/// A term in the eyes of a version.
pub(crate) enum Seen {
    /// The response about it.
    Live(Value),
    /// The response of the last version that had it.
    Removed(Value),
    /// No version had it.
    Unknown,
}

impl History {
    /// Begins without versions.
    pub(crate) fn new(stores: Stores) -> Self {
        Self {
            stores,
            versions: Arc::default(),
        }
    }

    /// Adds the next version, before its file is uploaded.
    pub(crate) fn add(&self, taxonomy: Taxonomy) {
        let version = Version {
            taxonomy: Arc::new(taxonomy),
            settled_at: None,
        };
        self.versions
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(version);
    }

    /// Notes a time at which the newest version is served and no newer file was uploaded.
    pub(crate) fn settle(&self, time: String) {
        if let Some(newest) = self
            .versions
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .last_mut()
        {
            newest.settled_at = Some((time, Instant::now()));
        }
    }

    fn version(&self, version: u64) -> Option<Version> {
        let place = usize::try_from(version).ok()?.checked_sub(1)?;
        self.versions
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(place)
            .cloned()
    }

    /// Returns the content of a version.
    pub(crate) fn taxonomy(&self, version: u64) -> Option<Arc<Taxonomy>> {
        Some(self.version(version)?.taxonomy)
    }

    /// Returns a time at which a version was the newest one, once every process knows the version.
    pub(crate) fn settled_at(&self, version: u64) -> Option<String> {
        let (time, since) = self.version(version)?.settled_at?;
        (since.elapsed() > FRESH).then_some(time)
    }

    /// Returns the time since which each version is served.
    pub(crate) fn served(&self) -> MutexGuard<'_, BTreeMap<u64, Instant>> {
        self.stores.served()
    }

    /// Returns the newest version that the head names as served.
    pub(crate) fn newest_served(&self) -> Option<(u64, Arc<Taxonomy>)> {
        let newest = self
            .stores
            .served()
            .last_key_value()
            .map(|(version, _)| *version)?;
        Some((newest, self.taxonomy(newest)?))
    }

    /// Returns a term as a version has it.
    pub(crate) fn term(&self, version: u64, id: u64, culture: Option<&str>) -> Seen {
        let mut earlier = (1..=version).rev();
        let found = earlier.find_map(|number| {
            let taxonomy = self.taxonomy(number)?;
            taxonomy.has(Kind::Term, id).then_some((number, taxonomy))
        });
        match found {
            None => Seen::Unknown,
            Some((number, taxonomy)) if number == version => {
                taxonomy.term(id, culture).map_or(Seen::Unknown, Seen::Live)
            }
            Some((_, taxonomy)) => taxonomy.term(id, None).map_or(Seen::Unknown, Seen::Removed),
        }
    }
}
