//! Random inputs, compared with a lookup of each id in a map.

use std::collections::HashSet;
use std::hash::Hash;
use std::time::Duration;

use taxonomy_client::expander::{Expanded, ExpanderSettings};

use crate::world::{Read, Run, Step, World, metric, ms, run, terms};

/// The names and the unknown ids of a metric, by one lookup an id.
fn expected(world: &World, version: u64, ids: &[u64]) -> (Vec<String>, Vec<u64>) {
    let mut versions = world.versions.iter();
    let version = versions.find(|candidate| candidate.number == version).unwrap();
    let (mut names, mut unknown): (Vec<String>, Vec<u64>) = Default::default();
    for id in ids {
        match version.terms.get(id) {
            Some(texts) => names.extend(texts.iter().cloned()),
            None => unknown.push(*id),
        }
    }
    (once_each(names), once_each(unknown))
}

fn once_each<T: Clone + Eq + Hash>(mut all: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(one.clone()));
    all
}

pub(crate) fn assert_correct(world: &World, expanded: &Expanded<Read>, seed: u64) {
    let read = &expanded.value;
    let Some(version) = expanded.version else {
        let is_empty = read.ids.is_empty() && expanded.names.is_empty() && expanded.unknown.is_empty();
        assert!(is_empty, "seed {seed}");
        return;
    };
    let (names, unknown) = expected(world, version, &read.ids);
    let got: Vec<&str> = expanded.names.iter().map(|name| &**name).collect();
    assert_eq!(got, names, "seed {seed}, metric {}", read.place);
    let got: Vec<u64> = expanded.unknown.iter().map(|id| id.get()).collect();
    assert_eq!(got, unknown, "seed {seed}, metric {}", read.place);
}

/// Names are those of a version that was current at most `confirm_after` and the lag before the metric was read, and not newer than the
/// output.
fn assert_fresh(
    world: &World,
    expanded: &Expanded<Read>,
    at: Duration,
    settings: &ExpanderSettings,
    seed: u64,
) {
    let Some(version) = expanded.version else {
        return;
    };
    let allowed = settings.confirm_after + world.lag;
    let oldest = world.at(expanded.value.at.saturating_sub(allowed)).number;
    let newest = world.at(at).number;
    let shown = format!("seed {seed}, metric {}", expanded.value.place);
    let allowed = oldest..=newest;
    assert!(allowed.contains(&version), "{shown}: {version} of {allowed:?}");
}

fn assert_all(world: &World, steps: &[Step], run: &Run, settings: &ExpanderSettings, seed: u64) {
    assert!(run.error.is_none(), "seed {seed}: {:?}", run.error);
    let metrics = steps.iter().filter(|step| matches!(step, Step::Metric(_)));
    assert_eq!(run.metrics.len(), metrics.count(), "seed {seed}");
    let mut newest = 0;
    for (place, (expanded, at)) in run.metrics.iter().enumerate() {
        assert_eq!(expanded.value.place, place, "seed {seed}");
        assert_correct(world, expanded, seed);
        assert_fresh(world, expanded, *at, settings, seed);
        let version = expanded.version.unwrap_or(newest);
        assert!(version >= newest, "seed {seed}, metric {place}: {version}");
        newest = version;
    }
    let watched = world.watched();
    assert!(watched.most_requests <= settings.concurrency, "seed {seed}");
    assert_eq!(run.statistics.requests, watched.asked.len() as u64, "seed {seed}");
}

fn random_metric(random: &mut fastrand::Rng, ids: u64) -> Step {
    let most = *random.choice(&[1, 4, 4, 4, 30, 250]).unwrap();
    let hot = random.bool();
    let count = random.usize(0..=most);
    let ids = if hot { 20 } else { ids };
    metric((0..count).map(|_| random.u64(1..=ids)))
}

fn random_steps(random: &mut fastrand::Rng, ids: u64) -> Vec<Step> {
    let pauses = *random.choice(&[0.0, 0.02, 0.3]).unwrap();
    let longest = *random.choice(&[5, 30, 1_500]).unwrap();
    let step = |random: &mut fastrand::Rng| match random.f64() < pauses {
        true => Step::Pause(ms(random.u64(0..=longest))),
        false => random_metric(random, ids),
    };
    (0..random.usize(0..400)).map(|_| step(random)).collect()
}

fn random_settings(random: &mut fastrand::Rng) -> ExpanderSettings {
    ExpanderSettings {
        concurrency: random.usize(1..=8),
        cache_bytes: *random.choice(&[0, 2_000, 50_000, 16 << 20]).unwrap(),
        // 250 terms, the most of one metric, take less.
        metric_bytes: *random.choice(&[80_000, 8 << 20]).unwrap(),
        read_ahead_items: *random.choice(&[1, 10, 200, 16_384]).unwrap(),
        read_ahead_bytes: *random.choice(&[1, 10_000, 8 << 20]).unwrap(),
        confirm_after: ms(*random.choice(&[0, 300, 5_000]).unwrap()),
        ..ExpanderSettings::default()
    }
}

fn random_world(random: &mut fastrand::Rng, seed: u64, ids: u64) -> World {
    // A tenth of the ids is unknown, in some runs nearly all of them.
    let known = if random.u8(0..8) == 0 { 2 } else { ids * 9 / 10 };
    let mut world = World::new(seed, terms(known, 1));
    let mut from = Duration::ZERO;
    for number in 2..2 + random.u64(0..4) {
        from += ms(random.u64(20..4_000));
        let known = known + random.u64(0..=ids / 5);
        world = world.with_version(from, number, terms(known, number));
    }
    world.slowest = ms(*random.choice(&[0, 5, 200]).unwrap());
    world.lag = ms(*random.choice(&[0, 0, 500, 2_000]).unwrap());
    world.names_version = random.bool() || !world.lag.is_zero();
    world
}

#[tokio::test(start_paused = true)]
async fn every_metric_has_the_names_that_a_lookup_of_each_id_finds() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let ids = *random.choice(&[30, 1_000, 20_000]).unwrap();
        let world = random_world(&mut random, seed, ids);
        let steps = random_steps(&mut random, ids);
        let settings = random_settings(&mut random);
        let slow = ms(*random.choice(&[0, 0, 20]).unwrap());
        let run = run(&world, &steps, settings.clone(), slow).await;
        assert_all(&world, &steps, &run, &settings, seed);
    }
}
