//! Times in responses.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

use crate::response::problem::Problem;

/// Formats a time by RFC 3339.
pub(crate) fn rfc3339(epoch_ms: u64) -> Result<String, Problem> {
    let time = DateTime::from_millis(i64::try_from(epoch_ms).map_err(Problem::internal)?);
    time.fmt(Format::DateTime).map_err(Problem::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_for_people_and_machines() {
        assert_eq!(rfc3339(1_767_225_600_000).unwrap(), "2026-01-01T00:00:00Z");
        assert_eq!(rfc3339(1_767_225_600_050).unwrap(), "2026-01-01T00:00:00.05Z");
        assert!(rfc3339(u64::MAX).is_err());
    }
}
