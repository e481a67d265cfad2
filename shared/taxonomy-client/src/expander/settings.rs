//! Input, output, settings and statistics of an expansion.

use std::sync::Arc;
use std::time::Duration;

use taxonomy_keys::TermId;

/// An item of the input.
#[derive(Debug, Clone)]
pub struct Metric<T> {
    /// Returned unchanged.
    pub value: T,
    /// The term ids, which may repeat.
    pub ids: Vec<TermId>,
    /// The bytes that `value` takes.
    pub bytes: usize,
}

/// An item of the output.
#[derive(Debug, Clone)]
pub struct Expanded<T> {
    /// The value of the metric.
    pub value: T,
    /// For each known id, in order: the FinalName of the term, then those of its ancestors, nearest first. Each text occurs once.
    pub names: Vec<Arc<str>>,
    /// The ids without a term, in order, each once.
    pub unknown: Vec<TermId>,
    /// The number of distinct ids.
    pub ids: usize,
    /// The version that the names belong to; `None` for a metric without ids.
    pub version: Option<u64>,
}

/// The limits of an expander.
#[derive(Debug, Clone)]
pub struct ExpanderSettings {
    /// Most requests at once.
    pub concurrency: usize,
    /// Most bytes of names, and of ids known to be unknown. The names of the window come on top: those of one metric, or of as many ids as
    /// are requested at once.
    pub cache_bytes: usize,
    /// Most bytes of the names of one metric.
    pub metric_bytes: usize,
    /// Most metrics that are read and not returned yet.
    pub read_ahead_items: usize,
    /// Most bytes of those metrics, exceeded by one metric.
    pub read_ahead_bytes: usize,
    /// The pause of the input after which the ids of the window are requested.
    pub idle_after: Duration,
    /// The longest time that a metric waits for others before its ids are requested.
    pub longest_wait: Duration,
    /// The age of the last response from which the current version is requested before names from the cache are used.
    pub confirm_after: Duration,
}

impl Default for ExpanderSettings {
    fn default() -> Self {
        Self {
            concurrency: 8,
            cache_bytes: 16 << 20,
            metric_bytes: 8 << 20,
            read_ahead_items: 16_384,
            read_ahead_bytes: 8 << 20,
            idle_after: Duration::from_millis(10),
            longest_wait: Duration::from_secs(1),
            confirm_after: Duration::from_secs(5),
        }
    }
}

/// Counts of an expansion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Metrics returned.
    pub metrics: u64,
    /// Distinct ids of each metric returned, summed.
    pub ids: u64,
    /// Unknown ids of each metric returned, summed.
    pub unknown: u64,
    /// Requests for names.
    pub requests: u64,
    /// Requested ids.
    pub asked: u64,
    /// Requests for the current version.
    pub version_requests: u64,
}

impl Statistics {
    pub(super) fn count<T>(&mut self, expanded: &Expanded<T>) {
        self.metrics += 1;
        self.ids += expanded.ids as u64;
        self.unknown += expanded.unknown.len() as u64;
    }
}
