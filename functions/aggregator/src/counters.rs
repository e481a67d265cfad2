//! The function's metrics, shared by everything that counts.

use std::sync::Mutex;

use taxonomy_protocol::Tallied;
use taxonomy_runtime::{Clock, Metric, Metrics};

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

    /// Records one more value.
    pub(crate) fn observe(&self, metric: Metric, value: u64) {
        if let Ok(mut metrics) = self.0.lock() {
            metrics.observe(metric, value);
        }
    }

    /// Adds what was written of a tenant.
    pub(crate) fn tallied(&self, tallied: &Tallied) {
        self.count(Metric::AggregateWritten, tallied.written);
        self.count(Metric::AggregateAlready, tallied.already);
    }

    /// Prints what was counted since the last time.
    pub(crate) fn emit(&self, clock: &dyn Clock) {
        if let Ok(mut metrics) = self.0.lock() {
            metrics.emit(clock);
        }
    }
}
