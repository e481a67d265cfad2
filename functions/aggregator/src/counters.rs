//! The metrics of the function, shared by its parts.

use std::sync::Mutex;

use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_versioning::AggregateUpdate;

/// Sums and values since the last emission.
#[derive(Debug)]
pub(crate) struct Counters(Mutex<Metrics>);

impl Counters {
    pub(crate) fn new(function: &str) -> Self {
        Self(Mutex::new(Metrics::new(function)))
    }

    /// Adds to a sum.
    pub(crate) fn count(&self, metric: Metric, by: u64) {
        if let Ok(mut metrics) = self.0.lock() {
            metrics.count(metric, by);
        }
    }

    /// Records a value.
    pub(crate) fn observe(&self, metric: Metric, value: u64) {
        if let Ok(mut metrics) = self.0.lock() {
            metrics.observe(metric, value);
        }
    }

    /// Adds the result of an update.
    pub(crate) fn updated(&self, updated: &AggregateUpdate) {
        self.count(Metric::AggregateWritten, updated.written);
        self.count(Metric::AggregateAlready, updated.already);
    }

    /// Prints the metrics since the last call.
    pub(crate) fn emit(&self, clock: &dyn Clock) {
        if let Ok(mut metrics) = self.0.lock() {
            metrics.emit(clock);
        }
    }
}
