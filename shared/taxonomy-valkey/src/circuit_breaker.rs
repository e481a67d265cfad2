//! The circuit breaker: a server that is down must not cost every request its time-out.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
pub(crate) struct CircuitBreaker(Mutex<State>);

/// A request that passes. Its caller reports the outcome. A request without an outcome was given up, which means nothing for the server: if it
/// was the probe, the next request probes instead.
#[derive(Debug)]
pub(crate) struct Admission<'a> {
    breaker: &'a CircuitBreaker,
    probes: bool,
}

impl CircuitBreaker {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State::Closed { failures: 0 }))
    }

    /// Decides whether a request passes.
    pub(crate) fn admit(&self, now_ms: u64) -> Option<Admission<'_>> {
        let mut state = self.state();
        let probes = match *state {
            State::Closed { .. } => false,
            // A clock that was set back ends the pause; otherwise the pause would last for as long as it was set back.
            State::Open { since_ms } if now_ms.abs_diff(since_ms) >= PAUSE_MS => {
                *state = State::HalfOpen { since_ms };
                true
            }
            State::Open { .. } | State::HalfOpen { .. } => return None,
        };
        Some(Admission {
            breaker: self,
            probes,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission<'_> {
    /// Reports that the server answered.
    pub(crate) fn succeeded(mut self) {
        self.probes = false;
        *self.breaker.state() = State::Closed { failures: 0 };
    }

    /// Reports that the server did not answer. Returns true if this failure opens the breaker.
    pub(crate) fn failed(mut self, now_ms: u64) -> bool {
        let probed = mem::take(&mut self.probes);
        let mut state = self.breaker.state();
        let failures = match *state {
            State::Closed { failures } => failures + 1,
            State::HalfOpen { .. } if probed => ENOUGH,
            // The request began before the breaker opened.
            State::HalfOpen { .. } | State::Open { .. } => return false,
        };
        let enough = failures >= ENOUGH;
        *state = if enough {
            State::Open { since_ms: now_ms }
        } else {
            State::Closed { failures }
        };
        enough
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        if self.probes {
            let mut state = self.breaker.state();
            if let State::HalfOpen { since_ms } = *state {
                *state = State::Open { since_ms };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(breaker: &CircuitBreaker, now_ms: u64) -> bool {
        breaker.admit(now_ms).unwrap().failed(now_ms)
    }

    fn is_left_alone(breaker: &CircuitBreaker, now_ms: u64) -> bool {
        breaker.admit(now_ms).is_none()
    }

    /// A breaker that opened at `now_ms`.
    fn open(now_ms: u64) -> CircuitBreaker {
        let breaker = CircuitBreaker::new();
        for _ in 0..ENOUGH {
            fail(&breaker, now_ms);
        }
        breaker
    }

    #[test]
    fn the_third_failure_in_a_row_is_one_too_many() {
        let breaker = CircuitBreaker::new();
        assert!(!fail(&breaker, 0) && !fail(&breaker, 0));
        breaker.admit(0).unwrap().succeeded();
        assert!(!fail(&breaker, 0) && !fail(&breaker, 0), "not in a row");
        assert!(fail(&breaker, 0));
        assert!(is_left_alone(&breaker, 0));
    }

    #[test]
    fn after_five_seconds_exactly_one_tries() {
        let breaker = open(1_000);
        assert!(is_left_alone(&breaker, 5_999));
        let probe = breaker.admit(6_000).unwrap();
        assert!(probe.probes);
        assert!(is_left_alone(&breaker, 6_000), "one probes");
        assert!(is_left_alone(&breaker, 60_000), "however long it takes");
        probe.succeeded();
        assert!(!breaker.admit(6_001).unwrap().probes);
    }

    #[test]
    fn a_try_that_fails_begins_the_pause_anew() {
        let breaker = open(1_000);
        assert!(breaker.admit(6_000).unwrap().failed(6_020));
        assert!(is_left_alone(&breaker, 11_019));
        assert!(breaker.admit(11_020).is_some());
    }

    #[test]
    fn stragglers_of_before_prolong_nothing_and_spoil_no_try() {
        let breaker = CircuitBreaker::new();
        let stragglers: Vec<_> = (0..6).map(|_| breaker.admit(1_000).unwrap()).collect();
        let [first, second, third, fourth, fifth, sixth] = stragglers.try_into().unwrap();
        assert!(!first.failed(1_000) && !second.failed(1_000) && third.failed(1_000));
        assert!(!fourth.failed(5_000));
        let probe = breaker.admit(6_000);
        assert!(probe.is_some(), "still since 1,000");
        assert!(!fifth.failed(6_001));
        drop(sixth);
        assert!(is_left_alone(&breaker, 6_002), "the try goes on");
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_prolong_the_pause() {
        let breaker = open(3_600_000);
        assert!(breaker.admit(0).is_some());
    }
}
