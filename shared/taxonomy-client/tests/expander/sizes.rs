//! The bytes of names: of one metric, and of all metrics that were read.

use std::time::Duration;

use taxonomy_client::expander::{Error, ExpanderSettings};

use crate::reference::assert_correct;
use crate::world::{World, metric, run, terms};

fn settings(metric_bytes: usize) -> ExpanderSettings {
    ExpanderSettings {
        cache_bytes: 0,
        metric_bytes,
        ..ExpanderSettings::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_metric_whose_names_are_too_long_ends_the_stream_after_those_before_it() {
    // 1,000 terms have 19 KB of text.
    let cache = 16 << 20;
    for (cache_bytes, limit, returned) in [
        (0, 40, 0),
        (0, 1_000, 2),
        (0, 18_000, 2),
        (0, 100_000, 4),
        (0, 1_000_000, 4),
        (cache, 40, 0),
        (cache, 10_000, 2),
        (cache, 30_000, 4),
    ] {
        let settings = ExpanderSettings {
            cache_bytes,
            ..settings(limit)
        };
        let world = World::new(1, terms(1_000, 1));
        let steps = [metric([1]), metric([2]), metric(1..=1_000), metric([3])];
        let run = run(&world, &steps, settings, Duration::ZERO).await;
        assert_eq!(run.metrics.len(), returned, "{cache_bytes} {limit}");
        for (expanded, _) in &run.metrics {
            assert_correct(&world, expanded, 1);
        }
        match run.error {
            None => assert_eq!(returned, 4),
            Some(Error::TooManyNames { limit: stated }) => assert_eq!(stated, limit),
            Some(other) => panic!("{cache_bytes} {limit}: {other}"),
        }
    }
}
