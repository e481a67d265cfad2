//! The circuit breaker: a server that is down must not cost every request its time-out.

/// The number of consecutive failures that open the breaker.
const ENOUGH: u32 = 3;
/// The time for which an open breaker lets no request through, in milliseconds. Then one request probes the server.
const PAUSE_MS: u64 = 5_000;

/// The state of the breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Closed: every request passes. Counts consecutive failures.
    Closed { failures: u32 },
    /// Open since then: no request passes.
    Open { since_ms: u64 },
    /// Half-open: one request probes the server, and no other passes until it ends.
    HalfOpen { since_ms: u64 },
}

/// Counts failures and decides whether a request passes.
#[derive(Debug)]
pub(crate) struct CircuitBreaker {
    state: State,
}

/// Whether a request that passes is the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Admitted {
    probes: bool,
}

impl CircuitBreaker {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Closed { failures: 0 },
        }
    }

    /// Decides whether a request passes. Its caller then reports the outcome once: [`CircuitBreaker::succeeded`], [`CircuitBreaker::failed`] or [`CircuitBreaker::dropped`].
    pub(crate) fn admit(&mut self, now_ms: u64) -> Option<Admitted> {
        match self.state {
            State::Closed { .. } => Some(Admitted { probes: false }),
            // A clock that was set back ends the pause; otherwise the pause would last for as long as it was set back.
            State::Open { since_ms } if now_ms.abs_diff(since_ms) >= PAUSE_MS => {
                self.state = State::HalfOpen { since_ms };
                Some(Admitted { probes: true })
            }
            State::Open { .. } | State::HalfOpen { .. } => None,
        }
    }

    /// Reports that the server answered.
    pub(crate) fn succeeded(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// Reports that the server did not answer. Returns true if this failure opens the breaker.
    pub(crate) fn failed(&mut self, admitted: Admitted, now_ms: u64) -> bool {
        let failures = match self.state {
            State::Closed { failures } => failures + 1,
            State::HalfOpen { .. } if admitted.probes => ENOUGH,
            // The request began before the breaker opened.
            State::HalfOpen { .. } | State::Open { .. } => return false,
        };
        let enough = failures >= ENOUGH;
        self.state = if enough {
            State::Open { since_ms: now_ms }
        } else {
            State::Closed { failures }
        };
        enough
    }

    /// Reports that the caller gave the request up, which means nothing for the server: the next request probes instead.
    pub(crate) fn dropped(&mut self, admitted: Admitted) {
        if let State::HalfOpen { since_ms } = self.state
            && admitted.probes
        {
            self.state = State::Open { since_ms };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A breaker that opened at `now_ms`.
    fn open(now_ms: u64) -> CircuitBreaker {
        let mut breaker = CircuitBreaker::new();
        for _ in 0..ENOUGH {
            let admitted = breaker.admit(now_ms).unwrap();
            breaker.failed(admitted, now_ms);
        }
        breaker
    }

    #[test]
    fn the_third_failure_in_a_row_is_one_too_many() {
        let mut breaker = CircuitBreaker::new();
        let fail = |breaker: &mut CircuitBreaker| {
            let admitted = breaker.admit(0).unwrap();
            breaker.failed(admitted, 0)
        };
        assert!(!fail(&mut breaker) && !fail(&mut breaker));
        breaker.succeeded();
        assert!(!fail(&mut breaker) && !fail(&mut breaker), "not in a row");
        assert!(fail(&mut breaker));
        assert_eq!(breaker.admit(0), None);
    }

    #[test]
    fn after_five_seconds_exactly_one_tries() {
        let mut breaker = open(1_000);
        assert_eq!(breaker.admit(5_999), None);
        assert_eq!(breaker.admit(6_000), Some(Admitted { probes: true }));
        assert_eq!(breaker.admit(6_000), None, "one probes");
        assert_eq!(breaker.admit(60_000), None, "however long it takes");
        breaker.succeeded();
        assert_eq!(breaker.admit(6_001), Some(Admitted { probes: false }));
    }

    #[test]
    fn a_try_that_fails_begins_the_pause_anew() {
        let mut breaker = open(1_000);
        let tried = breaker.admit(6_000).unwrap();
        assert!(breaker.failed(tried, 6_020));
        assert_eq!(breaker.admit(11_019), None);
        assert!(breaker.admit(11_020).is_some());
    }

    #[test]
    fn a_try_that_was_given_up_is_made_by_the_next() {
        let mut breaker = open(1_000);
        let tried = breaker.admit(6_000).unwrap();
        breaker.dropped(tried);
        assert_eq!(breaker.admit(6_000), Some(Admitted { probes: true }));
    }

    #[test]
    fn stragglers_of_before_prolong_nothing_and_spoil_no_try() {
        let straggler = Admitted { probes: false };
        let mut breaker = open(1_000);
        assert!(!breaker.failed(straggler, 5_000));
        assert!(breaker.admit(6_000).is_some(), "still since 1,000");
        assert!(!breaker.failed(straggler, 6_001));
        breaker.dropped(straggler);
        assert_eq!(breaker.admit(6_002), None, "the try goes on");
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_prolong_the_pause() {
        let mut breaker = open(3_600_000);
        assert!(breaker.admit(0).is_some());
    }
}
