//! Many seeds of the workload. Ten seeds share a history, which takes longer to make than to deliver.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use taxonomy_tests::budget::{effect, in_paused_time, run_all, seeds};
use taxonomy_tests::summary::thousands;

use super::SUMMARY;
use super::harm::harms;
use super::history::{History, drawn};
use super::workload::{Plan, Run, run};

/// The number of seeds that share a history.
const SHARED: u64 = 10;

/// Returns the violation of a run. A mutant is killed by its effect alone.
fn violation(seed: u64, run: &Run) -> Result<(), String> {
    let harms: Vec<String> = harms(&run.wrong).iter().map(ToString::to_string).collect();
    let last = run.wrong.first();
    let last = last.map(|wrong| format!("at the end {}: {wrong:?}", harms.join(", ")));
    let first = match effect() {
        Some(effect) => last.filter(|_| harms.contains(&effect)),
        None => run
            .violation
            .clone()
            .or(last)
            .or_else(|| run.messages.clone().err()),
    };
    match first {
        Some(violation) => Err(format!("PROVE_SEED={seed}: {violation}\n{}", run.account)),
        None => Ok(()),
    }
}

async fn history(seed: u64) -> History {
    History::of(&drawn(seed / SHARED, true), 0).await
}

#[test]
fn every_stream_leaves_the_counts_exact() {
    let (mut shared, mut runs) = (BTreeMap::<u64, Vec<u64>>::new(), 0);
    for seed in seeds(40, 10_000) {
        shared.entry(seed / SHARED).or_default().push(seed);
        runs += 1;
    }
    let shared: Vec<Vec<u64>> = shared.into_values().collect();
    let (records, crashes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let violations = run_all(&shared, async |seeds| {
        let history = history(seeds[0]).await;
        for seed in seeds {
            let run = run(Plan::drawn(*seed), &history, *seed).await;
            violation(*seed, &run)?;
            records.fetch_add(run.records, Ordering::Relaxed);
            crashes.fetch_add(run.crashes, Ordering::Relaxed);
        }
        Ok(())
    });
    let text = format!(
        "{} streams over {} records with {} crashes",
        thousands(runs),
        thousands(records.into_inner()),
        thousands(crashes.into_inner())
    );
    SUMMARY.record("streams", runs, text, &violations);
}

/// Plain addition is exact here. It shows that mutants are killed by the faults of the stream, and not by a wrong checker.
#[test]
fn a_stream_without_faults_is_counted() {
    let seeds: Vec<u64> = (0..10).collect();
    let violations = run_all(&seeds, async |seed| {
        let history = History::of(&drawn(*seed, false), 0).await;
        violation(*seed, &run(Plan::FAULTLESS, &history, *seed).await)
    });
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// A printed seed is of use only if it reproduces its run.
#[test]
fn a_seed_reproduces_its_run() {
    let once = || in_paused_time(async { run(Plan::drawn(7), &history(7).await, 7).await });
    assert_eq!(once(), once());
}
