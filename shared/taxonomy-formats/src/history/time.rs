//! Times as RFC 3339 writes them, in UTC and always with milliseconds, so that texts sort as times do.

use std::time::Duration;

use time::OffsetDateTime;

/// The last millisecond of the year 9999.
pub(super) const LAST_MS: u64 = 253_402_300_799_999;

/// Formats epoch milliseconds up to [`LAST_MS`].
pub(super) fn rfc3339(epoch_ms: u64) -> String {
    let time = OffsetDateTime::UNIX_EPOCH + Duration::from_millis(epoch_ms);
    let (date, (hour, minute, second, milli)) = (time.date(), time.to_hms_milli());
    let (year, month, day) = date.to_calendar_date();
    format!(
        "{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z",
        u8::from(month)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_of_the_calendar() {
        for (epoch_ms, expect) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_767_225_600_050, "2026-01-01T00:00:00.050Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (LAST_MS, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339(epoch_ms), expect);
        }
    }
}
