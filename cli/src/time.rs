//! Times in output and arguments: RFC 3339 in UTC.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

/// Formats epoch milliseconds, always with three digits of them, so that lines align. A time beyond the calendar is formatted as a number.
pub(crate) fn rfc3339(epoch_ms: u64) -> String {
    let second = i64::try_from(epoch_ms / 1000).map(DateTime::from_secs);
    let text = second.ok().and_then(|second| second.fmt(Format::DateTime).ok());
    match text.as_deref().and_then(|text| text.strip_suffix('Z')) {
        Some(second) => format!("{second}.{:03}Z", epoch_ms % 1000),
        None => epoch_ms.to_string(),
    }
}

/// Parses a time with any offset to UTC into epoch milliseconds.
///
/// # Errors
/// A message for the user.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let time = DateTime::from_str(text, Format::DateTimeWithOffset)
        .ok()
        .and_then(|time| time.to_millis().ok())
        .and_then(|millis| u64::try_from(millis).ok());
    time.ok_or_else(|| "a time is written like 2026-01-31T12:00:00Z".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (epoch_ms, text) in [
            (1_767_225_600_050, "2026-01-01T00:00:00.050Z"),
            (1_767_225_600_000, "2026-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(epoch_ms), text);
            assert_eq!(parse(text), Ok(epoch_ms));
        }
        assert_eq!(rfc3339(u64::MAX), u64::MAX.to_string());
        assert_eq!(parse("2026-01-01T01:00:00+01:00"), Ok(1_767_225_600_000));
        assert!(parse("yesterday").is_err());
        assert!(parse("1969-12-31T23:59:59Z").is_err());
    }
}
