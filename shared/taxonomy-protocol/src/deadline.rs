//! When to stop, so that what is under way can end and be noted.

use std::time::Duration;

use taxonomy_runtime::Clock;

use crate::error::ProtocolError;

/// A moment after which nothing new is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<u64>);

impl Deadline {
    /// What requests under way need to end, and what noting the cursor and asking for more need after them, each with the SDK's
    /// retries.
    pub const MARGIN_MS: u64 = 40_000;

    /// Take all the time there is.
    pub const NONE: Self = Self(None);

    /// Of an invocation that is cut off at this moment, in epoch milliseconds.
    #[must_use]
    pub fn of_invocation(cut_off_ms: u64) -> Self {
        Self(Some(cut_off_ms.saturating_sub(Self::MARGIN_MS)))
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(self, clock: &dyn Clock) -> bool {
        self.0.is_some_and(|end| clock.now_ms() >= end)
    }

    /// The time left until then.
    #[must_use]
    pub fn left(self, clock: &dyn Clock) -> Duration {
        match self.0 {
            Some(end) => Duration::from_millis(end.saturating_sub(clock.now_ms())),
            None => Duration::MAX,
        }
    }

    /// Gives up before a transfer for which time does not suffice: it may take `extra` longer than the requests that
    /// [`Deadline::MARGIN_MS`] is made for. The next invocation has more.
    pub(crate) fn in_time_for(self, extra: Duration, clock: &dyn Clock) -> Result<(), ProtocolError> {
        let extra_ms = u64::try_from(extra.as_millis()).unwrap_or(u64::MAX);
        let suffices = |end: u64| clock.now_ms().saturating_add(extra_ms) <= end;
        match extra.is_zero() || self.0.is_none_or(suffices) {
            true => Ok(()),
            false => Err(ProtocolError::OutOfTime),
        }
    }

    /// Gives up what cannot be continued later.
    pub(crate) fn in_time(self, clock: &dyn Clock) -> Result<(), ProtocolError> {
        match self.is_over(clock) {
            true => Err(ProtocolError::OutOfTime),
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
