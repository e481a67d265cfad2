//! The policy of retries, and their timing.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::ClientError;

/// The longest pause that the client chooses itself. `Retry-After` may demand a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The bounds of a policy.
const MAX_ATTEMPTS: u32 = 100;
const MAX_TIME: Duration = Duration::from_secs(3600);

/// The number of attempts of a request, and their timing. Every request of the API only reads, so each may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts in all, the first included: 1 to 100.
    pub attempts: u32,
    /// The most that the pause before the second attempt can be; the bound doubles with each further attempt, up to 5 s. The pause is
    /// a random part of it ("full jitter").
    pub first_pause: Duration,
    /// The time of one attempt, until the body is complete.
    pub attempt: Duration,
    /// The time of the whole operation: credentials, all attempts and the pauses between them. At most an hour.
    pub operation: Duration,
}

impl RetryPolicy {
    pub(crate) fn check(&self) -> Result<(), ClientError> {
        if !(1..=MAX_ATTEMPTS).contains(&self.attempts) {
            return Err(ClientError::Configuration("attempts are 1 to 100"));
        }
        let times = [self.attempt, self.operation];
        if times.iter().any(|time| time.is_zero() || *time > MAX_TIME) || self.first_pause > MAX_TIME {
            return Err(ClientError::Configuration(
                "times are above 0 and at most an hour",
            ));
        }
        Ok(())
    }

    /// The pause after this many attempts and this error, at least the one that the service asks for; none where the error is final: it
    /// is no passing one, the attempts are used up, or the next attempt would begin after the deadline.
    pub(crate) fn pause(
        &self,
        attempts: u32,
        error: &ClientError,
        asked: Duration,
        deadline: Instant,
    ) -> Option<Duration> {
        if attempts >= self.attempts || !error.is_retryable() {
            return None;
        }
        let doubled = 1_u32.checked_shl(attempts - 1).unwrap_or(u32::MAX);
        let bound = self.first_pause.saturating_mul(doubled).min(LONGEST_PAUSE);
        let pause = bound.mul_f64(fastrand::f64()).max(asked);
        let left = deadline.saturating_duration_since(Instant::now());
        (pause < left).then_some(pause)
    }
}

impl Default for RetryPolicy {
    /// Four attempts within 30 s. An attempt has 10 s, since the lookup answers within 8 s.
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_millis(100),
            attempt: Duration::from_secs(10),
            operation: Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RetryPolicy = RetryPolicy {
        attempts: 60,
        first_pause: Duration::from_millis(100),
        attempt: Duration::from_secs(1),
        operation: Duration::from_secs(60),
    };

    /// The longest of many pauses, which comes near its bound.
    fn longest(attempts: u32) -> Duration {
        let (deadline, within) = (Instant::now() + POLICY.operation, POLICY.attempt);
        let timeout = ClientError::Timeout { within };
        let pause = |_| {
            POLICY
                .pause(attempts, &timeout, Duration::ZERO, deadline)
                .unwrap()
        };
        (0..2_000).map(pause).max().unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_bound_of_a_pause_doubles_up_to_five_seconds() {
        for (attempts, bound_ms) in [(1, 100), (2, 200), (3, 400), (6, 3_200), (7, 5_000), (59, 5_000)] {
            let bound = Duration::from_millis(bound_ms);
            let longest = longest(attempts);
            let near = bound.mul_f64(0.9)..=bound;
            assert!(near.contains(&longest), "{attempts}: {longest:?}");
        }
    }

    #[test]
    fn a_policy_without_bounds_is_refused() {
        let changes: [fn(&mut RetryPolicy); 5] = [
            |policy| policy.attempts = 0,
            |policy| policy.attempts = 101,
            |policy| policy.attempt = Duration::ZERO,
            |policy| policy.operation = Duration::from_secs(7_200),
            |policy| policy.first_pause = Duration::MAX,
        ];
        for change in changes {
            let mut policy = POLICY;
            change(&mut policy);
            assert!(policy.check().is_err(), "{policy:?}");
        }
        assert!(RetryPolicy::default().check().is_ok());
    }
}
