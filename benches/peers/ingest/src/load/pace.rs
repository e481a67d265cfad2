//! Concurrency and retries of the projector, as `taxonomy-store` (`adaptive_concurrency`, `concurrent`, `backoff`) and the SDK have them.

use fastrand::Rng;

use super::Micros;

/// Writes at once.
const MOST: f64 = 32.0;
/// Repetitions of a write after those of the SDK.
const MOST_RETRIES: u32 = 20;
/// Attempts of the SDK, and the first of its pauses: `RetryPolicy::EVENTS`.
const ATTEMPTS: u32 = 5;
const FIRST_PAUSE: Micros = 100_000;
/// Retries of all requests of a client share these tokens; a retry after a throttle costs five, and a success without one returns one.
const TOKENS: u32 = 500;
const COST: u32 = 5;

/// The pace of one invocation.
#[derive(Debug)]
pub(super) struct Pace {
    allowed: f64,
    slowed: u64,
    tokens: u32,
    rng: Rng,
}

/// The tries of one write.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tries {
    attempts: u32,
    repeated: u32,
    began: u64,
    holds: bool,
}

/// The effect of a throttle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another attempt after a pause; the projector looks at the deadline first if the SDK has given up.
    Again { pause: Micros, by_sdk: bool },
    /// No further attempt.
    GiveUp,
}

impl Pace {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            allowed: MOST,
            slowed: 0,
            tokens: TOKENS,
            rng: Rng::with_seed(seed),
        }
    }

    /// Returns the number of writes at once.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and 32"
    )]
    pub(super) fn allowed(&self) -> usize {
        self.allowed.clamp(1.0, MOST) as usize
    }

    /// Begins a write.
    pub(super) fn begin(&self) -> Tries {
        Tries {
            attempts: 1,
            began: self.slowed,
            ..Tries::default()
        }
    }

    pub(super) fn succeeded(&mut self, tries: Tries) {
        let returned = if tries.holds { COST } else { 1 };
        self.tokens = (self.tokens + returned).min(TOKENS);
        self.allowed = (self.allowed + 1.0 / self.allowed).min(MOST);
    }

    pub(super) fn throttled(&mut self, tries: &mut Tries) -> Next {
        if tries.attempts < ATTEMPTS && self.tokens >= COST {
            self.tokens -= COST;
            let ceiling = FIRST_PAUSE << (tries.attempts - 1);
            tries.attempts += 1;
            tries.holds = true;
            let pause = self.rng.u64(0..=ceiling);
            return Next::Again { pause, by_sdk: true };
        }
        if tries.repeated == MOST_RETRIES {
            return Next::GiveUp;
        }
        if tries.began == self.slowed {
            self.allowed = (self.allowed / 2.0).max(1.0);
            self.slowed += 1;
        }
        let pause = self.rng.u64(0..=50_u64 << tries.repeated.min(6)) * 1_000;
        *tries = Tries {
            attempts: 1,
            repeated: tries.repeated + 1,
            began: self.slowed,
            holds: false,
        };
        Next::Again { pause, by_sdk: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_tried_by_the_sdk_then_by_the_projector_then_given_up() {
        let mut pace = Pace::new(1);
        let mut tries = pace.begin();
        let mut by_sdk = 0;
        let mut by_projector = 0;
        loop {
            match pace.throttled(&mut tries) {
                Next::Again { by_sdk: true, .. } => by_sdk += 1,
                Next::Again { by_sdk: false, pause } => {
                    by_projector += 1;
                    assert!(pause <= 3_200_000);
                }
                Next::GiveUp => break,
            }
        }
        // 4 retries of each of 21 requests, as long as the tokens last: 500 are 100 retries.
        assert_eq!((by_sdk, by_projector), (84, 20));
        assert_eq!(pace.allowed(), 1);
    }

    #[test]
    fn one_round_of_throttles_halves_once() {
        let mut pace = Pace::new(1);
        let mut round = [pace.begin(); 32];
        for tries in &mut round {
            tries.attempts = ATTEMPTS;
            pace.throttled(tries);
        }
        assert_eq!(pace.allowed(), 16);
        for _ in 0..17 {
            pace.succeeded(Tries::default());
        }
        assert_eq!(pace.allowed(), 17);
    }
}
