//! Draws by Zipf's law with exponent 1: the first rank twice as often as the second, three times as often as the third and so on.

use fastrand::Rng;

/// The ids of terms by rank, which a shuffle determines.
pub(crate) struct Zipf {
    ids: Vec<u64>,
    /// The sum of `1 / rank` up to each rank.
    sums: Vec<f64>,
}

impl Zipf {
    /// Ranks ids at random.
    pub(crate) fn new(mut ids: Vec<u64>, rng: &mut Rng) -> Self {
        rng.shuffle(&mut ids);
        let mut sum = 0.0;
        let sums = (1..=ids.len()).map(|rank| {
            sum += 1.0 / rank as f64;
            sum
        });
        let sums = sums.collect();
        Self { ids, sums }
    }

    /// Draws an id; 0 if there are none.
    pub(crate) fn draw(&self, rng: &mut Rng) -> u64 {
        let point = rng.f64() * self.sums.last().copied().unwrap_or_default();
        let rank = self.sums.partition_point(|sum| *sum <= point);
        let rank = rank.min(self.ids.len().saturating_sub(1));
        self.ids.get(rank).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_rank_is_drawn_as_often_as_the_law_says() {
        let mut rng = Rng::with_seed(1);
        let zipf = Zipf::new((1..=200).collect(), &mut rng);
        let mut counts: HashMap<u64, f64> = HashMap::new();
        for _ in 0..200_000 {
            *counts.entry(zipf.draw(&mut rng)).or_default() += 1.0;
        }
        for rank in [2, 4, 10] {
            let ratio = counts[&zipf.ids[0]] / counts[&zipf.ids[rank - 1]];
            assert!((ratio / rank as f64 - 1.0).abs() < 0.1, "rank {rank}: {ratio}");
        }
        assert_eq!(counts.len(), 200, "every id is drawn");
    }

    #[test]
    fn the_same_seed_draws_the_same_ids() {
        let draw = |seed| {
            let mut rng = Rng::with_seed(seed);
            let zipf = Zipf::new((1..=50).collect(), &mut rng);
            (0..20).map(|_| zipf.draw(&mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
