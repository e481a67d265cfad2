//! The deadline of an invocation: work stops early enough to complete its requests and to save its progress.

use std::time::Duration;

use taxonomy_runtime::Clock;

use crate::error::VersioningError;

/// A time after which no new work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<u64>);

impl Deadline {
    /// The time that requests in flight need to complete, and the time to save the cursor and to send a message after them, each with the SDK's
    /// retries.
    pub const MARGIN_MS: u64 = 40_000;

    /// No deadline.
    pub const NONE: Self = Self(None);

    /// Returns the deadline of an invocation that Lambda ends at this time, in epoch milliseconds.
    pub fn of_invocation(cut_off_ms: u64) -> Self {
        Self(Some(cut_off_ms.saturating_sub(Self::MARGIN_MS)))
    }

    /// Whether the deadline has passed.
    pub fn is_over(self, clock: &dyn Clock) -> bool {
        self.0.is_some_and(|end| clock.now_ms() >= end)
    }

    /// Returns the time left.
    pub fn left(self, clock: &dyn Clock) -> Duration {
        match self.0 {
            Some(end) => Duration::from_millis(end.saturating_sub(clock.now_ms())),
            None => Duration::MAX,
        }
    }

    /// Fails before a transfer that the time does not suffice for: it may take `extra` longer than the requests that [`Deadline::MARGIN_MS`]
    /// covers. The next invocation has more time.
    pub(crate) fn in_time_for(self, extra: Duration, clock: &dyn Clock) -> Result<(), VersioningError> {
        let extra_ms = u64::try_from(extra.as_millis()).unwrap_or(u64::MAX);
        let suffices = |end: u64| clock.now_ms().saturating_add(extra_ms) <= end;
        match extra.is_zero() || self.0.is_none_or(suffices) {
            true => Ok(()),
            false => Err(VersioningError::OutOfTime),
        }
    }

    /// Fails after the deadline, for work that cannot be continued later.
    pub(crate) fn in_time(self, clock: &dyn Clock) -> Result<(), VersioningError> {
        match self.is_over(clock) {
            true => Err(VersioningError::OutOfTime),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_begins_only_where_time_suffices_for_it() {
        let deadline = Deadline::of_invocation(Deadline::MARGIN_MS + 100_000);
        let in_time = |seconds, now: u64| {
            let extra = Duration::from_secs(seconds);
            deadline.in_time_for(extra, &move || now).is_ok()
        };
        assert!(in_time(60, 40_000));
        assert!(!in_time(60, 40_001));
        assert!(in_time(0, 100_001), "a small body has the margin");
        assert!(Deadline::NONE.in_time_for(Duration::from_secs(60), &|| 0).is_ok());
    }
}
