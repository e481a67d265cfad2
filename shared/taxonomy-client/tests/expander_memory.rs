//! The bytes that an expander counts, compared with those of the allocator.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use futures_util::stream;
use peak_alloc::PeakAlloc;
use taxonomy_client::expander::{Answer, Expander, ExpanderSettings, Metric, Source};
use taxonomy_keys::TermId;
use tokio::sync::Mutex;
use tokio::time::{Duration, sleep};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Held by a test that measures, so that it measures itself alone.
static MEASURING: Mutex<()> = Mutex::const_new(());

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
async fn bytes_of(
    source: &impl Source<Error = String>,
    first: u64,
    metrics: u64,
    each: u64,
) -> (usize, usize) {
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
    let mut expander = Expander::new(source, input, ExpanderSettings::default());
    while let Some(next) = expander.next().await {
        next.unwrap();
    }
    (MEMORY.peak_usage() - before, MEMORY.current_usage() - before)
}

#[tokio::test]
#[ignore = "peak memory: make prove NAMES=memory"]
async fn an_expander_takes_about_what_it_counts() {
    let _alone = MEASURING.lock().await;
    let cache = ExpanderSettings::default().cache_bytes;
    let bounds = cache * 65 / 100..cache * 115 / 100;
    for (kind, first) in [("known", 0), ("unknown", 10_000_000)] {
        let (most, last) = bytes_of(&Everything, first, 200_000, 2).await;
        assert!(bounds.contains(&last), "{kind}: {last} of {cache}");
        assert!(most < cache * 3 / 2, "{kind}: {most} of {cache}");
    }
    let both = ExpanderSettings::default().read_ahead_bytes + cache;
    let (most, _) = bytes_of(&Everything, 0, 40, 10_000).await;
    assert!(most < both, "large metrics: {most} of {both}");
}

/// Answers with names of 2 KB; the answer with the first id comes last.
struct Verbose;

impl Source for Verbose {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        let has_first = ids.iter().any(|id| id.get() == 0);
        sleep(Duration::from_secs(if has_first { 60 } else { 0 })).await;
        let names = ids.iter().map(|id| Some(vec![format!("{id:02000}")]));
        Ok(Answer {
            version: Some(1),
            terms: names.collect(),
        })
    }

    async fn version(&self) -> Result<u64, String> {
        Ok(1)
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "peak memory: make prove NAMES=memory"]
async fn an_expander_stops_reading_while_names_of_metrics_in_flight_fill_the_cache() {
    let _alone = MEASURING.lock().await;
    let cache = ExpanderSettings::default().cache_bytes;
    let (most, _) = bytes_of(&Verbose, 0, 4_000, 10).await;
    assert!(most < cache * 3 / 2, "{most} of {cache}");
}
