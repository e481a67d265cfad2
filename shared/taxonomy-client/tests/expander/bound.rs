//! The number of requests.

use std::collections::HashSet;
use std::time::Duration;

use taxonomy_client::expander::{BATCH, ExpanderSettings};

use crate::world::{METRIC_BYTES, Step, World, expand, metric, ms, run, terms};

/// The bytes that the window counts of a metric besides its value, and of each distinct id.
const COUNTED: (usize, usize) = (128, 64);

/// The ids of each metric.
fn metrics(steps: &[Step]) -> impl Iterator<Item = &[u64]> {
    steps.iter().filter_map(|step| match step {
        Step::Metric(ids) => Some(ids.as_slice()),
        Step::Pause(_) => None,
    })
}

fn distinct<'i>(ids: impl Iterator<Item = &'i u64>) -> usize {
    ids.collect::<HashSet<_>>().len()
}

fn allowed(steps: &[Step], settings: &ExpanderSettings, duration: Duration) -> usize {
    let bytes = metrics(steps).map(|ids| METRIC_BYTES + COUNTED.0 + COUNTED.1 * distinct(ids.iter()));
    let is_pause = |step: &&Step| matches!(step, Step::Pause(pause) if *pause >= settings.idle_after);
    let pauses = steps.iter().filter(is_pause).count();
    let waits = usize::try_from(duration.as_millis() / settings.longest_wait.as_millis()).unwrap();
    distinct(metrics(steps).flatten()) / BATCH
        + metrics(steps).count() / settings.read_ahead_items
        + bytes.sum::<usize>() / settings.read_ahead_bytes
        + pauses
        + waits
        + 1
}

#[tokio::test(start_paused = true)]
async fn requests_stay_within_the_bound() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let ids = *random.choice(&[50, 500, 10_000]).unwrap();
        let steps: Vec<Step> = (0..random.usize(1..600))
            .map(|_| match random.u8(0..60) {
                // Every pause that counts is longer than `idle_after`; the others are shorter by a margin.
                0 => Step::Pause(ms(random.u64(10..2_500))),
                1 => Step::Pause(ms(random.u64(0..5))),
                _ => metric((0..random.usize(0..8)).map(|_| random.u64(1..=ids))),
            })
            .collect();
        let settings = ExpanderSettings {
            concurrency: random.usize(1..=8),
            read_ahead_items: *random.choice(&[10, 100, 16_384]).unwrap(),
            read_ahead_bytes: *random.choice(&[5_000, 8 << 20]).unwrap(),
            confirm_after: Duration::from_secs(3_600),
            ..ExpanderSettings::default()
        };
        let mut world = World::new(seed, terms(ids * 9 / 10, 1));
        world.slowest = ms(*random.choice(&[0, 5, 200]).unwrap());
        let started = world.now();
        let slow = ms(*random.choice(&[0, 3]).unwrap());
        let run = run(&world, &steps, settings.clone(), slow).await;
        let allowed = allowed(&steps, &settings, world.now() - started);
        let batches = world.watched().asked;
        let requests = batches.len();
        assert!(requests <= allowed, "seed {seed}: {requests} of {allowed}");
        let asked: usize = batches.iter().map(Vec::len).sum();
        let distinct = distinct(metrics(&steps).flatten());
        assert_eq!(asked, distinct, "seed {seed}: each id is asked for once");
        assert!(run.error.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn every_batch_but_the_last_is_full_where_the_input_does_not_pause() {
    let steps: Vec<Step> = (0..5_000).map(|at| metric([at, at / 2, 9_999])).collect();
    let world = World::new(1, terms(20_000, 1));
    let run = expand(&world, &steps).await;
    let distinct = distinct(metrics(&steps).flatten());
    assert_eq!(world.watched().asked.len(), distinct.div_ceil(BATCH));
    assert_eq!(run.statistics.asked, distinct as u64);
    assert_eq!(world.watched().most_requests, 8);
}

#[tokio::test(start_paused = true)]
async fn a_partial_batch_waits_for_a_pause_of_the_input() {
    for (pause, expect) in [(5, &[&[1, 2, 3][..]][..]), (15, &[&[1], &[2, 3]])] {
        let steps = [metric([1]), Step::Pause(ms(pause)), metric([2]), metric([3])];
        let world = World::new(1, terms(10, 1));
        expand(&world, &steps).await;
        assert_eq!(world.watched().asked, expect);
    }
}

#[tokio::test(start_paused = true)]
async fn an_input_that_trickles_waits_no_longer_than_the_longest_wait() {
    let trickle = |at| [metric([at]), Step::Pause(ms(8))];
    let steps: Vec<Step> = (1..=1_000).flat_map(trickle).collect();
    let mut world = World::new(1, terms(10_000, 1));
    world.slowest = Duration::ZERO;
    let settings = ExpanderSettings {
        longest_wait: ms(400),
        ..ExpanderSettings::default()
    };
    let run = run(&world, &steps, settings, Duration::ZERO).await;
    let waits = run.metrics.iter().map(|(expanded, at)| *at - expanded.value.at);
    let longest = waits.max().unwrap();
    assert!(longest <= ms(401), "{longest:?}");
    let requests = world.watched().asked.len();
    assert!((20..=25).contains(&requests), "{requests} requests");
}

#[tokio::test(start_paused = true)]
async fn a_full_window_sends_a_partial_batch_and_waits_no_longer() {
    let hour = Duration::from_secs(3_600);
    let three = |at: u64| metric((1..=3).map(|nth| 3 * at + nth));
    for (steps, read_ahead_items, idle_after, requests) in [
        // 150 new ids in each window of 50 metrics.
        ((0..500).map(three).collect::<Vec<Step>>(), 50, None, 20),
        // The first metric of a window waits for the queue.
        ((1..=20).map(|at| metric([at])).collect(), 5, Some(hour), 4),
    ] {
        let settings = ExpanderSettings::default();
        let settings = ExpanderSettings {
            read_ahead_items,
            idle_after: idle_after.unwrap_or(settings.idle_after),
            longest_wait: hour,
            ..settings
        };
        let world = World::new(1, terms(2_000, 1));
        let run = run(&world, &steps, settings, Duration::ZERO).await;
        assert_eq!(world.watched().asked.len(), requests, "{:?}", run.statistics);
        assert!(world.now() < Duration::from_secs(30), "{:?}", world.now());
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_in_a_short_pause_sends_no_partial_batch() {
    let hesitant = |at: u64| [metric([2 * at + 1, 2 * at + 2]), Step::Pause(ms(4))];
    let steps: Vec<Step> = (0..300).flat_map(hesitant).collect();
    for seed in 0..20 {
        let mut world = World::new(seed, terms(1_000, 1));
        // Several requests are under way, and answered in another order.
        world.slowest = ms(400);
        let settings = ExpanderSettings {
            longest_wait: Duration::from_secs(3_600),
            ..ExpanderSettings::default()
        };
        run(&world, &steps, settings, Duration::ZERO).await;
        let asked = world.watched().asked;
        assert_eq!(asked.len(), 6, "seed {seed}: {asked:?}");
    }
}
