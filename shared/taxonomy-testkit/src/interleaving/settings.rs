//! The settings of a run.

use super::fault_rates::FaultRates;

/// A seed and the limits of its run. The same seed, fault rates and script make the same run, request for request, if the script's actors
/// are deterministic themselves: one thread, no clock but tokio's, no order of a hash map.
#[derive(Debug, Clone)]
pub struct Interleaving {
    pub(super) seed: u64,
    pub(super) fault_rates: FaultRates,
    pub(super) at_once: usize,
}

impl Interleaving {
    /// Creates a run of up to three actors at once, without faults.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            fault_rates: FaultRates::NONE,
            at_once: 3,
        }
    }

    /// Sets the fault rates.
    #[must_use]
    pub fn fault_rates(mut self, fault_rates: FaultRates) -> Self {
        fault_rates.check();
        self.fault_rates = fault_rates;
        self
    }

    /// Sets the largest number of actors that run at once; further actors wait until one has ended.
    #[must_use]
    pub fn at_once(mut self, actors: usize) -> Self {
        assert!(actors > 0, "at least one actor runs");
        self.at_once = actors;
        self
    }
}
