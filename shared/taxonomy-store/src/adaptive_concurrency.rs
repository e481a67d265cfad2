//! Adaptive concurrency: the limit grows a little after each success and halves after a throttle, as in TCP.

use std::cell::Cell;

/// The concurrency limit of one load.
#[derive(Debug)]
pub(crate) struct AdaptiveConcurrency {
    most: usize,
    allowed: Cell<f64>,
    /// The number of reductions: requests that were in flight then report the same overload only once.
    slowed: Cell<u64>,
}

impl AdaptiveConcurrency {
    /// Begins at `most`, and never exceeds it.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            allowed: Cell::new(to_float(most)),
            slowed: Cell::new(0),
        }
    }

    /// Returns the limit, at least 1, so that a load always continues.
    pub(crate) fn allowed(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the most, which is a usize"
        )]
        let allowed = self.allowed.get() as usize;
        allowed.clamp(1, self.most.max(1))
    }

    /// Returns the number of reductions so far, which a request states that is throttled.
    pub(crate) fn begin(&self) -> u64 {
        self.slowed.get()
    }

    /// Raises the number of concurrent requests, by one for each round of successes.
    pub(crate) fn succeeded(&self) {
        let allowed = self.allowed.get();
        self.allowed
            .set((allowed + 1.0 / allowed).min(to_float(self.most)));
    }

    /// Halves the number of concurrent requests, unless the throttled request began before the last reduction.
    pub(crate) fn throttled(&self, began: u64) {
        if began == self.slowed.get() {
            self.allowed.set((self.allowed.get() / 2.0).max(1.0));
            self.slowed.set(self.slowed.get() + 1);
        }
    }
}

fn to_float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_halves_once_for_all_requests_of_a_round_and_a_round_of_successes_allows_one_more() {
        let pace = AdaptiveConcurrency::new(32);
        let round = pace.begin();
        for _ in 0..32 {
            pace.throttled(round);
        }
        assert_eq!(pace.allowed(), 16);
        for _ in 0..17 {
            pace.succeeded();
        }
        assert_eq!(pace.allowed(), 17);
        pace.throttled(pace.begin());
        assert_eq!(pace.allowed(), 8);
    }

    #[test]
    fn it_never_stops_and_never_exceeds_the_most() {
        let pace = AdaptiveConcurrency::new(4);
        for _ in 0..20 {
            pace.throttled(pace.begin());
        }
        assert_eq!(pace.allowed(), 1);
        for _ in 0..100 {
            pace.succeeded();
        }
        assert_eq!(pace.allowed(), 4);
    }
}
