//! Many seeds of the workload.

use std::sync::Mutex;

use taxonomy_tests::budget::{in_paused_time, is_full, run_all, run_all_in_real_time, seeds};
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

/// Makes a run and adds what it did to a total.
async fn run_and_add(seed: u64, tier: Tier, total: &Mutex<Summary>) -> Result<(), String> {
    let (summary, _) = run(seed, tier).await?;
    add(&mut total.lock().unwrap(), &summary);
    Ok(())
}

fn record(part: &str, runs: usize, total: Mutex<Summary>, violations: &[String]) {
    let total = total.into_inner().unwrap();
    SUMMARY.record(part, runs, text(part, runs, &total), violations);
}

#[test]
fn every_response_is_fresh_and_of_one_version() {
    let (seeds, total) = (seeds(6, 2_000), Mutex::default());
    let violations = run_all(&seeds, async |seed| {
        run_and_add(*seed, Tier::drawn(*seed), &total).await
    });
    record("runs", seeds.len(), total, &violations);
}

/// Time is not paused here, because the responses of a real server would come too late.
#[test]
fn every_response_is_fresh_with_valkey() {
    let seeds: Vec<u64> = (10_000..10_000 + if is_full() { 40 } else { 2 }).collect();
    let total = Mutex::default();
    let violations = run_all_in_real_time(&seeds, async |seed| {
        run_and_add(*seed, Tier::valkey(), &total).await
    });
    record("runs over Valkey", seeds.len(), total, &violations);
}

/// A printed seed is of use only if it reproduces its run.
#[test]
fn a_seed_reproduces_its_run() {
    let once = || in_paused_time(run(3, Tier::drawn(3))).unwrap();
    assert_eq!(once(), once());
}
