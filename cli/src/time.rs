//! Times in output and arguments: RFC 3339 in UTC.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

/// Formats epoch milliseconds. A time beyond the calendar is formatted as a number.
pub(crate) fn rfc3339(epoch_ms: u64) -> String {
    let time = i64::try_from(epoch_ms).map(DateTime::from_millis);
    let text = time.ok().and_then(|time| time.fmt(Format::DateTime).ok());
    text.unwrap_or_else(|| epoch_ms.to_string())
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
        assert_eq!(rfc3339(1_767_225_600_050), "2026-01-01T00:00:00.05Z");
        assert_eq!(parse("2026-01-01T00:00:00.05Z"), Ok(1_767_225_600_050));
        assert_eq!(parse("2026-01-01T01:00:00+01:00"), Ok(1_767_225_600_000));
        assert!(parse("yesterday").is_err());
        assert!(parse("1969-12-31T23:59:59Z").is_err());
    }
}
