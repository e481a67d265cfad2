//! Single rules.

use std::time::Duration;

use taxonomy_client::expander::{Error, ExpanderSettings};

use crate::reference::assert_correct;
use crate::world::{Step, World, expand, id, metric, ms, run, terms};

#[tokio::test(start_paused = true)]
async fn the_term_comes_before_its_ancestors_and_each_text_stands_once() {
    let world = World::new(1, terms(50, 1));
    let run = expand(&world, &[metric([1, 11, 77, 1, 2])]).await;
    let (expanded, _) = &run.metrics[0];
    let expected = ["Term 1", "Group 1", "All", "Term 11", "Term 2", "Group 2"];
    let expected = expected.map(|name| format!("Sector:{name} v1"));
    let names: Vec<&str> = expanded.names.iter().map(|name| &**name).collect();
    assert_eq!(names, expected);
    assert_eq!((expanded.version, expanded.ids), (Some(1), 4));
    assert_eq!(expanded.unknown, [id(77)]);
    let statistics = run.statistics;
    let counts = [statistics.metrics, statistics.ids, statistics.unknown];
    assert_eq!(counts, [1, 4, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_metric_without_ids_needs_no_request() {
    let world = World::new(1, terms(5, 1));
    let run = expand(&world, &[metric([]), metric([])]).await;
    let watched = world.watched();
    let counts = [run.metrics.len(), watched.asked.len(), watched.checks.len()];
    assert_eq!(counts, [2, 0, 0]);
    assert_eq!(run.metrics[1].0.version, None);
}

#[tokio::test(start_paused = true)]
async fn ids_without_any_name_take_the_version_that_was_current_before_and_after() {
    let mut world = World::new(1, terms(5, 1)).with_version(ms(500), 2, terms(950, 2));
    world.names_version = false;
    let pause = || Step::Pause(ms(300));
    let steps = [metric([900]), pause(), metric([901]), pause(), metric([902])];
    let run = expand(&world, &steps).await;
    let outcome = |at: usize| (run.metrics[at].0.version, run.metrics[at].0.unknown.len());
    let versions = [0, 1, 2].map(outcome);
    assert_eq!(versions, [(Some(1), 1), (Some(1), 1), (Some(2), 0)]);
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_is_too_small_asks_again_and_answers_the_same() {
    let steps: Vec<Step> = (0..600).map(|at| metric([at % 300 + 1])).collect();
    let world = World::new(1, terms(300, 1));
    let settings = ExpanderSettings {
        cache_bytes: 10_000,
        read_ahead_items: 10,
        ..ExpanderSettings::default()
    };
    let run = run(&world, &steps, settings, Duration::ZERO).await;
    assert_eq!(run.metrics.len(), 600);
    assert!(run.statistics.asked > 500, "{:?}", run.statistics);
}

#[tokio::test(start_paused = true)]
async fn ids_in_use_stay_in_the_cache_and_others_leave_it() {
    // One id in every metric, beside ids that come once.
    let steps: Vec<Step> = (0..2_000).map(|at| metric([1, at + 2])).collect();
    let world = World::new(1, terms(3_000, 1));
    let settings = ExpanderSettings {
        cache_bytes: 60_000,
        read_ahead_items: 100,
        ..ExpanderSettings::default()
    };
    run(&world, &steps, settings, Duration::ZERO).await;
    let asked = world.watched().asked;
    let asked_for_first = asked.iter().flatten().filter(|id| **id == 1).count();
    assert_eq!(asked_for_first, 1);
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
            metric_bytes: limit,
            ..ExpanderSettings::default()
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
