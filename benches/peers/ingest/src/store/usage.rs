//! Counts of requests and items, and the time and memory of each phase of an ingest.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::memory;

/// A phase of an ingest, recognised by its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Reading, parsing, comparing, storing snapshot and changeset, committing.
    Commit,
    /// Reading the snapshots and writing the items.
    Items,
    /// Search objects and index file.
    Index,
    /// The end.
    Over,
}

impl Phase {
    /// Returns the name in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Items => "items",
            Self::Index => "index",
            Self::Over => "over",
        }
    }
}

/// The requests of an ingest.
#[derive(Debug, Clone)]
pub struct Usage {
    /// Requests by operation.
    pub requests: BTreeMap<String, u64>,
    /// Items of the taxonomy that were put, by entity type.
    pub items: BTreeMap<String, u64>,
    /// Bytes of the bodies of these puts.
    pub item_bytes: u64,
    /// From the first of these puts to the last.
    pub writing: Duration,
    /// Time and peak memory of each phase.
    pub phases: BTreeMap<Phase, (Duration, u64)>,
    phase: (Phase, Instant),
    first_item: Option<Instant>,
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            requests: BTreeMap::new(),
            items: BTreeMap::new(),
            item_bytes: 0,
            writing: Duration::ZERO,
            phases: BTreeMap::new(),
            phase: (Phase::Commit, Instant::now()),
            first_item: None,
        }
    }
}

impl Usage {
    pub(super) fn request(&mut self, operation: &str) {
        *self.requests.entry(operation.to_owned()).or_default() += 1;
    }

    pub(super) fn item(&mut self, kind: &str, bytes: usize) {
        match self.items.get_mut(kind) {
            Some(count) => *count += 1,
            None => drop(self.items.insert(kind.to_owned(), 1)),
        }
        self.item_bytes += bytes as u64;
        let now = Instant::now();
        self.writing = now.duration_since(*self.first_item.get_or_insert(now));
    }

    /// Ends the current phase and begins another one. A phase is never left twice.
    pub(super) fn enter(&mut self, phase: Phase) {
        let (current, since) = self.phase;
        if phase <= current {
            return;
        }
        let peak = memory::peak().unwrap_or_default();
        self.phases.insert(current, (since.elapsed(), peak));
        // Without permission to reset it, the peak of a phase is that of all phases up to it.
        drop(memory::reset_peak());
        self.phase = (phase, Instant::now());
    }
}
