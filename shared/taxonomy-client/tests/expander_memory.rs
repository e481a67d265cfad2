//! The bytes that an expander counts, compared with those of the allocator.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use futures_util::stream;
use peak_alloc::PeakAlloc;
use taxonomy_client::expander::{Answer, Expander, Metric, Settings, Source};
use taxonomy_keys::TermId;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Knows every id below 10 million, four levels deep.
struct Everything;

impl Source for Everything {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        tokio::task::yield_now().await;
        let names = |id: &TermId| {
            let number = id.get();
            let name = |level: u64, number: u64| format!("Sector:A name of level {level}, number {number}");
            let names = [
                name(4, number),
                name(3, number / 10),
                name(2, number / 100),
                name(1, number / 1_000),
            ];
            (number < 10_000_000).then(|| names.to_vec())
        };
        Ok(Answer {
            version: Some(1),
            terms: ids.iter().map(names).collect(),
        })
    }

    async fn version(&self) -> Result<u64, String> {
        Ok(1)
    }
}

/// Expands metrics with the ids of `first..`, `each` in a metric, and returns the most and the last bytes in use.
async fn bytes_of(first: u64, metrics: u64, each: u64) -> (usize, usize) {
    let input = stream::iter((0..metrics).map(|at| {
        Metric {
            value: (),
            ids: (0..each)
                .map(|id| TermId::new(first + at * each + id).unwrap())
                .collect(),
            bytes: 0,
        }
    }));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut expander = Expander::new(&Everything, input, Settings::default());
    while let Some(next) = expander.next().await {
        next.unwrap();
    }
    (MEMORY.peak_usage() - before, MEMORY.current_usage() - before)
}

#[tokio::test]
async fn an_expander_takes_about_what_it_counts() {
    let cache = Settings::default().cache_bytes;
    let bounds = cache * 65 / 100..cache * 115 / 100;
    for (kind, first) in [("known", 0), ("unknown", 10_000_000)] {
        let (most, last) = bytes_of(first, 200_000, 2).await;
        assert!(bounds.contains(&last), "{kind}: {last} of {cache}");
        assert!(most < cache * 3 / 2, "{kind}: {most} of {cache}");
    }
    let both = Settings::default().read_ahead_bytes + cache;
    let (most, _) = bytes_of(0, 40, 10_000).await;
    assert!(most < both, "large metrics: {most} of {both}");
}
