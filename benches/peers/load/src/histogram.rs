//! Counts of durations in a fixed amount of memory, so that an hour of requests needs no more than a minute.

use std::time::Duration;

use serde_json::{Value, json};

/// Buckets of each power of two: a quantile is at most a sixteenth too high.
const STEPS: u64 = 16;
/// Up to 2^36 microseconds, 19 hours.
const BUCKETS: usize = 33 * 16;

/// Counts by duration, in microseconds.
#[derive(Clone)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
    largest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            total: 0,
            largest: 0,
        }
    }
}

impl Histogram {
    /// Counts a duration.
    pub(crate) fn add(&mut self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = bucket_of(micros).min(BUCKETS - 1);
        self.counts[bucket] += 1;
        self.total += 1;
        self.largest = self.largest.max(micros);
    }

    /// Adds the counts of another histogram.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.largest = self.largest.max(other.largest);
    }

    /// Returns the duration that this share of the durations does not exceed, in microseconds: the upper end of its bucket.
    pub(crate) fn quantile(&self, share: f64) -> u64 {
        let wanted = share * self.total as f64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if *count > 0 && seen as f64 >= wanted {
                return upper_end(bucket).min(self.largest);
            }
        }
        self.largest
    }

    /// Returns quantiles, the maximum and the buckets that are not empty, as `[upper end, count]`.
    pub(crate) fn report(&self) -> Value {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let buckets: Vec<_> = filled
            .map(|(bucket, count)| json!([upper_end(bucket), count]))
            .collect();
        json!({
            "count": self.total,
            "p50": self.quantile(0.5),
            "p90": self.quantile(0.9),
            "p99": self.quantile(0.99),
            "p99.9": self.quantile(0.999),
            "max": self.largest,
            "buckets": buckets,
        })
    }
}

fn bucket_of(micros: u64) -> usize {
    if micros < STEPS {
        return usize::try_from(micros).unwrap_or_default();
    }
    let power = u64::from(micros.ilog2());
    let step = (micros >> (power - 4)) - STEPS;
    usize::try_from((power - 3) * STEPS + step).unwrap_or(usize::MAX)
}

fn upper_end(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    match bucket / STEPS {
        0 => bucket,
        row => ((STEPS + bucket % STEPS + 1) << (row - 1)) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_duration_is_in_the_bucket_that_ends_at_or_above_it() {
        for micros in (0..5_000).chain([65_535, 65_536, 1_000_000, 36_000_000, 3_600_000_000]) {
            let end = upper_end(bucket_of(micros));
            assert!(end >= micros, "{micros} in {end}");
            assert!(end <= micros + micros / 16 + 1, "{micros} in {end}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_durations() {
        let mut histogram = Histogram::default();
        for micros in 1..=10_000 {
            histogram.add(Duration::from_micros(micros));
        }
        for (share, exact) in [(0.5, 5_000), (0.9, 9_000), (0.99, 9_900), (0.999, 9_990)] {
            let found = histogram.quantile(share);
            assert!(
                (exact..=exact + exact / 16 + 1).contains(&found),
                "{share}: {found}"
            );
        }
        assert_eq!(histogram.quantile(1.0), 10_000);
        assert_eq!(histogram.report()["count"], 10_000);
    }

    #[test]
    fn histograms_of_several_processes_add_up() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        one.add(Duration::from_micros(10));
        other.add(Duration::from_millis(20));
        one.merge(&other);
        assert_eq!((one.total, one.largest, one.quantile(0.5)), (2, 20_000, 10));
    }
}
