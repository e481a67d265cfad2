//! Days of the calendar as RFC 3339 writes them.

use time::{Date, Month};

/// Returns whether a text is a day of the calendar, such as `2026-01-31`.
pub fn is_day(text: &str) -> bool {
    // The comparison excludes other spellings, such as a month of one digit.
    read(text).is_some_and(|day| day.to_string() == text)
}

fn read(text: &str) -> Option<Date> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
    Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_of_the_calendar() {
        for day in ["2026-01-31", "2024-02-29", "2000-02-29", "0001-12-01"] {
            assert!(is_day(day), "{day}");
        }
        let others = "2026-1-31,2026-02-29,1900-02-29,2026-04-31,2026-13-01,2026-00-10,2026-01-00,\
            2026-01-31T00:00:00Z,20260131,2026-01-3é,";
        for other in others.split(',') {
            assert!(!is_day(other), "{other}");
        }
    }
}
