//! The partitions of a table.

use super::{Micros, SECOND};

/// Write units of a partition in a second (developer guide, "Partitions and data distribution").
const UNITS_A_SECOND: f64 = 1_000.0;
/// Partitions of a fresh on-demand table: 4,000 write units a second (developer guide, "Initial throughput and scaling properties").
const FRESH: usize = 4;
/// Twice a peak is available when the peak lies so far back (the same).
const GROWTH: Micros = 30 * MINUTE;
const MINUTE: Micros = 60 * SECOND;

/// Partitions that divide the hashes of keys evenly.
#[derive(Debug)]
pub(super) struct Partitions {
    buckets: Vec<Bucket>,
    /// The units of each minute.
    minutes: Vec<f64>,
}

/// The unused capacity of the current second.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    units: f64,
    at: Micros,
}

impl Partitions {
    pub(super) fn fresh() -> Self {
        Self {
            buckets: full(FRESH, 0),
            minutes: Vec::new(),
        }
    }

    /// Returns whether the partition of a key has so many units left.
    pub(super) fn has(&mut self, key: u64, units: u32, now: Micros) -> bool {
        self.grow(now);
        let bucket = self.bucket(key);
        let passed = now.saturating_sub(bucket.at) as f64 / SECOND as f64;
        bucket.units = (bucket.units + passed * UNITS_A_SECOND).min(UNITS_A_SECOND);
        bucket.at = bucket.at.max(now);
        bucket.units >= f64::from(units)
    }

    /// Takes units of the partition of a key.
    pub(super) fn take(&mut self, key: u64, units: u32, now: Micros) {
        self.bucket(key).units -= f64::from(units);
        let minute = usize::try_from(now / MINUTE).unwrap_or(usize::MAX);
        if self.minutes.len() <= minute {
            self.minutes.resize(minute + 1, 0.0);
        }
        self.minutes[minute] += f64::from(units);
    }

    fn bucket(&mut self, key: u64) -> &mut Bucket {
        let place = (u128::from(key) * self.buckets.len() as u128) >> u64::BITS;
        &mut self.buckets[usize::try_from(place).unwrap_or(0)]
    }

    /// Splits the partitions until they have twice the highest minute of more than half an hour ago.
    fn grow(&mut self, now: Micros) {
        let whole = now.saturating_sub(GROWTH) / MINUTE;
        let past = self
            .minutes
            .iter()
            .take(usize::try_from(whole).unwrap_or(usize::MAX));
        let peak = past.copied().fold(0.0, f64::max) / 60.0;
        while 2.0 * peak > self.buckets.len() as f64 * UNITS_A_SECOND {
            self.buckets = full(2 * self.buckets.len(), now);
        }
    }
}

fn full(partitions: usize, at: Micros) -> Vec<Bucket> {
    vec![
        Bucket {
            units: UNITS_A_SECOND,
            at
        };
        partitions
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_has_a_thousand_units_a_second() {
        let mut partitions = Partitions::fresh();
        assert!(partitions.has(0, 1_000, 0));
        partitions.take(0, 1_000, 0);
        assert!(!partitions.has(0, 1, 0));
        assert!(!partitions.has(0, 501, SECOND / 2));
        assert!(partitions.has(0, 500, SECOND / 2));
        assert!(
            !partitions.has(0, 1_001, 10 * SECOND),
            "unused seconds are not kept"
        );
    }

    #[test]
    fn four_partitions_take_the_quarters_of_the_hashes() {
        let mut partitions = Partitions::fresh();
        let quarters = [0, 1 << 62, 2 << 62, 3 << 62];
        for key in quarters {
            partitions.take(key, 1_000, 0);
        }
        assert!(quarters.iter().all(|key| !partitions.has(*key, 1, 0)));
        let mut partitions = Partitions::fresh();
        partitions.take((1 << 62) - 1, 1_000, 0);
        assert!(!partitions.has(0, 1, 0) && partitions.has(1 << 62, 1, 0));
    }

    #[test]
    fn twice_the_peak_is_there_half_an_hour_after_its_minute() {
        // 4,000 a second for a minute, the fifth.
        let mut partitions = Partitions::fresh();
        partitions.take(0, 240_000, 4 * MINUTE);
        partitions.grow(34 * MINUTE);
        assert_eq!(partitions.buckets.len(), 4);
        partitions.grow(35 * MINUTE);
        assert_eq!(partitions.buckets.len(), 8);
        // 800 a second is no reason to grow.
        let mut partitions = Partitions::fresh();
        partitions.take(0, 48_000, 0);
        partitions.grow(60 * MINUTE);
        assert_eq!(partitions.buckets.len(), 4);
    }
}
