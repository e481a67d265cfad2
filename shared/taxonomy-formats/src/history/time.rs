//! Times as RFC 3339 writes them, in UTC and always with milliseconds, so that texts sort as times do.

/// The last millisecond of the year 9999.
pub(super) const LAST_MS: u64 = 253_402_300_799_999;

const DAY_MS: u64 = 86_400_000;

/// Formats epoch milliseconds up to [`LAST_MS`].
pub(super) fn rfc3339(epoch_ms: u64) -> String {
    let (days, rest) = (epoch_ms / DAY_MS, epoch_ms % DAY_MS);
    let (year, month, day) = civil(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1000 % 60, rest % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Year, month and day of a day since 1970-01-01. Counted from 0000-03-01, so that a leap day ends its year; 400 years have 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
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

    #[test]
    fn every_day_follows_the_day_before_it() {
        let days_of = |year: u64, month: u64| match month {
            2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..=LAST_MS / DAY_MS {
            assert_eq!(civil(days), (year, month, day));
            day += 1;
            if day > days_of(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((year, month, day), (10_000, 1, 1));
    }
}
