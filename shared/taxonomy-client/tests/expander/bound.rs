//! The number of requests.

use std::collections::HashSet;
use std::time::Duration;

use taxonomy_client::expander::{BATCH, ExpanderSettings};

use crate::world::{METRIC_BYTES, Step, World, metric, run, terms};

/// The bytes that the window counts of a metric besides its value, and of each distinct id.
const COUNTED: (usize, usize) = (128, 64);

fn distinct(steps: &[Step]) -> usize {
    let ids = steps.iter().flat_map(|step| match step {
        Step::Metric(ids) => ids.as_slice(),
        Step::Pause(_) => &[],
    });
    ids.collect::<HashSet<_>>().len()
}

fn counted_bytes(steps: &[Step]) -> usize {
    let bytes = steps.iter().map(|step| match step {
        Step::Metric(ids) => METRIC_BYTES + COUNTED.0 + COUNTED.1 * ids.iter().collect::<HashSet<_>>().len(),
        Step::Pause(_) => 0,
    });
    bytes.sum()
}

fn allowed(steps: &[Step], settings: &ExpanderSettings, duration: Duration) -> usize {
    let items = steps
        .iter()
        .filter(|step| matches!(step, Step::Metric(_)))
        .count();
    let is_pause = |step: &&Step| matches!(step, Step::Pause(pause) if *pause >= settings.idle_after);
    let pauses = steps.iter().filter(is_pause).count();
    let waits = usize::try_from(duration.as_millis() / settings.longest_wait.as_millis()).unwrap();
    distinct(steps) / BATCH
        + items / settings.read_ahead_items
        + counted_bytes(steps) / settings.read_ahead_bytes
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
                0 => Step::Pause(Duration::from_millis(random.u64(10..2_500))),
                1 => Step::Pause(Duration::from_millis(random.u64(0..5))),
                _ => metric(
                    (0..random.usize(0..8))
                        .map(|_| random.u64(1..=ids))
                        .collect::<Vec<_>>(),
                ),
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
        world.slowest = Duration::from_millis(*random.choice(&[0, 5, 200]).unwrap());
        let started = world.now();
        let slow = Duration::from_millis(*random.choice(&[0, 3]).unwrap());
        let run = run(&world, &steps, settings.clone(), slow).await;
        let allowed = allowed(&steps, &settings, world.now() - started);
        let requests = world.asked().len();
        assert!(
            requests <= allowed,
            "seed {seed}: {requests} requests, {allowed} allowed"
        );
        let asked: usize = world.asked().iter().map(Vec::len).sum();
        assert_eq!(asked, distinct(&steps), "seed {seed}: each id is asked for once");
        assert!(run.error.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn every_batch_but_the_last_is_full_where_the_input_does_not_pause() {
    let steps: Vec<Step> = (0..5_000).map(|at| metric([at, at / 2, 9_999])).collect();
    let world = World::new(1, terms(20_000, 1));
    let run = run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    let distinct = distinct(&steps);
    assert_eq!(world.asked().len(), distinct.div_ceil(BATCH));
    assert_eq!(run.statistics.asked, distinct as u64);
    assert_eq!(world.most_requests(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_partial_batch_waits_for_a_pause_of_the_input() {
    let steps = [
        metric([1]),
        Step::Pause(Duration::from_millis(5)),
        metric([2]),
        metric([3]),
    ];
    let world = World::new(1, terms(10, 1));
    run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    assert_eq!(world.asked(), [[1, 2, 3]]);
    let steps = [
        metric([1]),
        Step::Pause(Duration::from_millis(15)),
        metric([2]),
        metric([3]),
    ];
    let world = World::new(1, terms(10, 1));
    run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    assert_eq!(world.asked(), [vec![1], vec![2, 3]]);
}

#[tokio::test(start_paused = true)]
async fn an_input_that_trickles_waits_no_longer_than_the_longest_wait() {
    let trickle = |at| [metric([at]), Step::Pause(Duration::from_millis(8))];
    let steps: Vec<Step> = (1..=1_000).flat_map(trickle).collect();
    let mut world = World::new(1, terms(10_000, 1));
    world.slowest = Duration::ZERO;
    let settings = ExpanderSettings {
        longest_wait: Duration::from_millis(400),
        ..ExpanderSettings::default()
    };
    let run = run(&world, &steps, settings, Duration::ZERO).await;
    let waits = run.metrics.iter().map(|(expanded, at)| *at - expanded.value.at);
    let longest = waits.max().unwrap();
    assert!(longest <= Duration::from_millis(401), "{longest:?}");
    assert!(
        (20..=25).contains(&world.asked().len()),
        "{} requests",
        world.asked().len()
    );
}

#[tokio::test(start_paused = true)]
async fn a_full_window_sends_a_partial_batch() {
    // 150 new ids in each window of 50 metrics.
    let steps: Vec<Step> = (0..500)
        .map(|at| metric([3 * at + 1, 3 * at + 2, 3 * at + 3]))
        .collect();
    let world = World::new(1, terms(2_000, 1));
    let settings = ExpanderSettings {
        read_ahead_items: 50,
        longest_wait: Duration::from_secs(60),
        ..ExpanderSettings::default()
    };
    let run = run(&world, &steps, settings, Duration::ZERO).await;
    assert_eq!(world.asked().len(), 20, "{:?}", run.statistics);
}

#[tokio::test(start_paused = true)]
async fn a_full_window_whose_first_metric_waits_for_the_queue_waits_no_longer() {
    let hour = Duration::from_secs(3_600);
    let steps: Vec<Step> = (1..=20).map(|at| metric([at])).collect();
    let world = World::new(1, terms(100, 1));
    let settings = ExpanderSettings {
        read_ahead_items: 5,
        idle_after: hour,
        longest_wait: hour,
        ..ExpanderSettings::default()
    };
    run(&world, &steps, settings, Duration::ZERO).await;
    assert_eq!(world.asked().len(), 4);
    assert!(world.now() < Duration::from_secs(1), "{:?}", world.now());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_in_a_short_pause_sends_no_partial_batch() {
    let hesitant = |at: u64| {
        [
            metric([2 * at + 1, 2 * at + 2]),
            Step::Pause(Duration::from_millis(4)),
        ]
    };
    let steps: Vec<Step> = (0..300).flat_map(hesitant).collect();
    for seed in 0..20 {
        let mut world = World::new(seed, terms(1_000, 1));
        // Several requests are under way, and answered in another order.
        world.slowest = Duration::from_millis(400);
        let settings = ExpanderSettings {
            longest_wait: Duration::from_secs(3_600),
            ..ExpanderSettings::default()
        };
        run(&world, &steps, settings, Duration::ZERO).await;
        assert_eq!(world.asked().len(), 6, "seed {seed}: {:?}", world.asked());
    }
}
