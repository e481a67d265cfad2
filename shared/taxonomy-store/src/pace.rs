//! How many requests may be under way at once: a little more after each success, half after a throttle, as TCP does.

use std::cell::Cell;

/// The pace of one load.
#[derive(Debug)]
pub(crate) struct Pace {
    most: usize,
    allowed: Cell<f64>,
    /// Counts the times that it slowed down: requests that were under way then report the same overload only once.
    slowed: Cell<u64>,
}

/// When a request began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Began(u64);

impl Pace {
    /// Begins at `most`, and never exceeds it.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            allowed: Cell::new(to_float(most)),
            slowed: Cell::new(0),
        }
    }

    /// At least 1, so that a load always goes on.
    pub(crate) fn allowed(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the most, which is a usize"
        )]
        let allowed = self.allowed.get() as usize;
        allowed.clamp(1, self.most.max(1))
    }

    pub(crate) fn begin(&self) -> Began {
        Began(self.slowed.get())
    }

    /// One more for each round of successes.
    pub(crate) fn succeeded(&self) {
        let allowed = self.allowed.get();
        self.allowed
            .set((allowed + 1.0 / allowed).min(to_float(self.most)));
    }

    /// Half, unless the request began before the pace was last slowed down.
    pub(crate) fn throttled(&self, began: Began) {
        if began.0 == self.slowed.get() {
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
    fn it_halves_once_for_all_requests_of_a_round() {
        let pace = Pace::new(32);
        let round = pace.begin();
        for _ in 0..32 {
            pace.throttled(round);
        }
        assert_eq!(pace.allowed(), 16);
        pace.throttled(pace.begin());
        assert_eq!(pace.allowed(), 8);
    }

    #[test]
    fn it_never_stops_and_never_exceeds_the_most() {
        let pace = Pace::new(4);
        for _ in 0..20 {
            pace.throttled(pace.begin());
        }
        assert_eq!(pace.allowed(), 1);
        for _ in 0..100 {
            pace.succeeded();
        }
        assert_eq!(pace.allowed(), 4);
    }

    #[test]
    fn a_round_of_successes_allows_one_more() {
        let pace = Pace::new(32);
        pace.throttled(pace.begin());
        assert_eq!(pace.allowed(), 16);
        for _ in 0..17 {
            pace.succeeded();
        }
        assert_eq!(pace.allowed(), 17);
    }
}
