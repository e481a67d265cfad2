//! Counts of requests and items, and the times and the memory of each phase of an ingest.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::memory;

/// A phase of an ingest, recognised by its first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Reading, parsing, comparing.
    Compare,
    /// Building and storing the files of the version, and the commit, from which on it is served.
    Files,
    /// Reading the snapshots and writing the items.
    Items,
    /// The end.
    Over,
}

impl Phase {
    /// Returns the name in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Files => "files",
            Self::Items => "items",
            Self::Over => "over",
        }
    }
}

/// The time and the memory of a phase.
#[derive(Debug, Clone, Copy)]
pub struct PhaseUsage {
    /// By the clock.
    pub time: Duration,
    /// Of the processor.
    pub processor: Duration,
    /// The most resident memory, in bytes.
    pub peak: u64,
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
    /// The phases that are over.
    pub phases: BTreeMap<Phase, PhaseUsage>,
    phase: (Phase, Instant, Duration),
}

impl Default for Usage {
    fn default() -> Self {
        Self {
            requests: BTreeMap::new(),
            items: BTreeMap::new(),
            item_bytes: 0,
            phases: BTreeMap::new(),
            phase: (
                Phase::Compare,
                Instant::now(),
                memory::processor_time().unwrap_or_default(),
            ),
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
    }

    /// The time until the version was served.
    pub fn served(&self) -> Duration {
        let until = self.phases.range(..Phase::Items);
        until.map(|(_, phase)| phase.time).sum()
    }

    /// Ends the current phase and begins another one. A phase is never left twice.
    pub(super) fn enter(&mut self, phase: Phase) {
        let (current, since, spent) = self.phase;
        if phase <= current {
            return;
        }
        let processor = memory::processor_time().unwrap_or_default();
        let usage = PhaseUsage {
            time: since.elapsed(),
            processor: processor.saturating_sub(spent),
            peak: memory::peak().unwrap_or_default(),
        };
        self.phases.insert(current, usage);
        // Without permission to reset it, the peak of a phase is that of all phases up to it.
        drop(memory::reset_peak());
        self.phase = (phase, Instant::now(), processor);
    }
}
