//! Seed after seed. A few seeds share a history, which takes longer to make than to deliver.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{alone, seeds, spread};

use crate::history::{History, drawn};
use crate::proof::Part;
use crate::stream::{Run, run};

/// So many seeds share a history.
pub(crate) const SCHEDULES: u64 = 10;

/// What is wrong with a run.
pub(crate) fn verdict(seed: u64, run: &Run) -> Result<(), String> {
    let first = run.violation.clone().or_else(|| {
        let wrong = run.wrong.first().map(|wrong| format!("in the end: {wrong:?}"));
        wrong.or_else(|| run.told.clone().err())
    });
    match first {
        Some(wrong) => Err(format!("PROVE_SEED={seed}: {wrong}\n{}", run.account)),
        None => Ok(()),
    }
}

/// The history that a seed delivers.
pub(crate) async fn history(seed: u64) -> History {
    History::of(&drawn(seed / SCHEDULES, true), 0).await
}

#[test]
fn however_the_stream_delivers_what_is_counted_is_the_same() {
    let (mut shared, mut runs) = (BTreeMap::<u64, Vec<u64>>::new(), 0);
    for seed in seeds(80, 10_000) {
        shared.entry(seed / SCHEDULES).or_default().push(seed);
        runs += 1;
    }
    let shared: Vec<Vec<u64>> = shared.into_values().collect();
    let (records, crashes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = spread(&shared, async |seeds| {
        let history = history(seeds[0]).await;
        for seed in seeds {
            let run = run(&history, *seed).await;
            verdict(*seed, &run)?;
            records.fetch_add(run.records, Ordering::Relaxed);
            crashes.fetch_add(run.crashes, Ordering::Relaxed);
        }
        Ok(())
    });
    let words = format!(
        "{} streams over {} records with {} deaths",
        thousands(runs),
        thousands(records.into_inner()),
        thousands(crashes.into_inner())
    );
    Part::Streams.say(words, &wrong);
}

/// A seed that is printed is of use only if it brings back what it found.
#[test]
fn a_seed_brings_the_same_run_back() {
    let again = || alone(async { run(&history(7).await, 7).await });
    assert_eq!(again(), again());
}
