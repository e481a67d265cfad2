//! Many seeds of the workload.

use std::sync::Mutex;

use taxonomy_tests::budget::{in_paused_time, is_full, run_all, seeds};
use taxonomy_tests::summary::thousands;

use super::SUMMARY;
use super::second_tier::Tier;
use super::workload::{Summary, run};

fn add(total: &mut Summary, one: &Summary) {
    total.counts.responses += one.counts.responses;
    total.counts.tagged += one.counts.tagged;
    total.counts.not_modified += one.counts.not_modified;
    total.counts.unavailable += one.counts.unavailable;
    total.versions += one.versions;
    total.crashes += one.crashes;
}

fn text(part: &str, runs: usize, total: &Summary) -> String {
    let Summary {
        counts,
        versions,
        crashes,
    } = total;
    let [versions, crashes, responses, tagged, not_modified, unavailable] = [
        *versions,
        *crashes,
        counts.responses,
        counts.tagged,
        counts.not_modified,
        counts.unavailable,
    ]
    .map(thousands);
    format!(
        "{} {part}, {versions} versions, {crashes} crashes, {responses} responses ({tagged} with an ETag, {not_modified} 304, {unavailable} without a file)",
        thousands(runs)
    )
}

#[test]
fn every_response_is_fresh_and_of_one_version() {
    let (seeds, total) = (seeds(6, 2_000), Mutex::new(Summary::default()));
    let violations = run_all(&seeds, async |seed| {
        let (summary, _) = run(*seed, Tier::drawn(*seed)).await?;
        add(&mut total.lock().unwrap(), &summary);
        Ok(())
    });
    let total = total.into_inner().unwrap();
    SUMMARY.record(
        "runs",
        seeds.len(),
        text("runs", seeds.len(), &total),
        &violations,
    );
}

/// Time is not paused here, because the responses of a real server would come too late.
#[test]
fn every_response_is_fresh_with_valkey() {
    const PART: &str = "runs over Valkey";
    let seeds: Vec<u64> = (10_000..10_000 + if is_full() { 40 } else { 2 }).collect();
    let (mut total, mut violations) = (Summary::default(), Vec::new());
    for seed in &seeds {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime.unwrap().block_on(Box::pin(run(*seed, Tier::valkey()))) {
            Ok((summary, _)) => add(&mut total, &summary),
            Err(violation) => violations.push(violation),
        }
    }
    SUMMARY.record(PART, seeds.len(), text(PART, seeds.len(), &total), &violations);
}

/// A printed seed is of use only if it reproduces its run.
#[test]
fn a_seed_reproduces_its_run() {
    let once = || in_paused_time(run(3, Tier::drawn(3))).unwrap();
    assert_eq!(once(), once());
}
