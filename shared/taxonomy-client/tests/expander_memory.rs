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

/// Knows every id below 10 million, four levels deep; or names every id by 2 KB, and answers the first id last.
struct Names {
    are_long: bool,
}

impl Source for Names {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        let has_first = ids.iter().any(|id| id.get() == 0);
        match self.are_long && has_first {
            true => sleep(Duration::from_secs(60)).await,
            false => tokio::task::yield_now().await,
        }
        let name = |level: u32, number: u64| format!("Sector:A name of level {level}, number {number}");
        let names = |id: &TermId| match id.get() {
            number if self.are_long => Some(vec![format!("{number:02000}")]),
            10_000_000.. => None,
            number => {
                let levels = (1..=4).rev();
                let names = levels.map(|level| name(level, number / 10_u64.pow(4 - level)));
                Some(names.collect())
            }
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
async fn bytes_of(are_long: bool, first: u64, metrics: u64, each: u64) -> (usize, usize) {
    let input = stream::iter((0..metrics).map(|at| {
        let ids = (0..each).map(|id| TermId::new(first + at * each + id).unwrap());
        Metric {
            value: (),
            ids: ids.collect(),
            bytes: 0,
        }
    }));
    let source = Names { are_long };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut expander = Expander::new(&source, input, ExpanderSettings::default());
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
        let (most, last) = bytes_of(false, first, 200_000, 2).await;
        assert!(bounds.contains(&last), "{kind}: {last} of {cache}");
        assert!(most < cache * 3 / 2, "{kind}: {most} of {cache}");
    }
    let both = ExpanderSettings::default().read_ahead_bytes + cache;
    let (most, _) = bytes_of(false, 0, 40, 10_000).await;
    assert!(most < both, "large metrics: {most} of {both}");
}

#[tokio::test(start_paused = true)]
#[ignore = "peak memory: make prove NAMES=memory"]
async fn an_expander_stops_reading_while_names_of_metrics_in_flight_fill_the_cache() {
    let _alone = MEASURING.lock().await;
    let cache = ExpanderSettings::default().cache_bytes;
    let (most, _) = bytes_of(true, 0, 4_000, 10).await;
    assert!(most < cache * 3 / 2, "{most} of {cache}");
}
