//! Days of the calendar as RFC 3339 writes them.

use time::{Date, Month};

/// Returns whether a text is a day of the calendar, such as `2026-01-31`.
pub fn is_day(text: &str) -> bool {
    let is_written = text.bytes().enumerate().all(|(position, byte)| match position {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if text.len() != 10 || !is_written {
        return false;
    }
    let number = |part: &str| part.parse::<u8>().unwrap_or_default();
    let month = Month::try_from(number(&text[5..7]));
    let year = text[..4].parse().unwrap_or_default();
    month.is_ok_and(|month| Date::from_calendar_date(year, month, number(&text[8..])).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_of_the_calendar() {
        for day in ["2026-01-31", "2024-02-29", "2000-02-29", "0001-12-01"] {
            assert!(is_day(day), "{day}");
        }
        for other in [
            "",
            "2026-1-31",
            "2026-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "2026-01-31T00:00:00Z",
            "20260131",
            "2026-01-3é",
        ] {
            assert!(!is_day(other), "{other}");
        }
    }
}
