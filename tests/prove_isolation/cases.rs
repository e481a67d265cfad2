//! Seed after seed: each neighbour beside the quiet tenants, compared with the quiet tenants alone.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use taxonomy_protocol::Sabotage;
use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{seeds, spread};
use taxonomy_tests::mistakes::Made;

use crate::case::{Outcome, run};
use crate::neighbour::Neighbour;
use crate::proof::Part;

/// A quiet tenant's version is published later by no more than this because of a neighbour: its record waits for one batch of its lane,
/// which takes a minute at most, and for what ends it (docs/decisions/0011-isolation.md).
const BOUND: Duration = Duration::from_secs(75);

/// The first thing that is not as in the run without the neighbour; else by how much the slowest version was later.
fn compare(alone: &Outcome, beside: &Outcome) -> Result<Duration, String> {
    for (id, message) in &alone.messages {
        if beside.messages.get(id) != Some(message) {
            return Err(format!(
                "{message} was not published so: {:?}",
                beside.messages.get(id)
            ));
        }
    }
    if alone.messages.len() != beside.messages.len() {
        return Err(format!("more was published: {:?}", beside.messages));
    }
    if alone.items != beside.items {
        return Err(format!(
            "stored is {:#?} instead of {:#?}",
            beside.items, alone.items
        ));
    }
    let mut most = Duration::ZERO;
    for (version, alone) in &alone.delays {
        let Some(beside) = beside.delays.get(version) else {
            return Err(format!("{version:?} was never published"));
        };
        let later = beside.saturating_sub(*alone);
        if later > BOUND {
            return Err(format!("{version:?} was published {later:?} later"));
        }
        most = most.max(later);
    }
    Ok(most)
}

#[test]
fn whatever_one_tenant_does_the_others_notice_nothing() {
    let (cases, most) = (AtomicUsize::new(0), AtomicU64::new(0));
    // Each seed is a run without a neighbour and one with each.
    let seeds = seeds(3, 225);
    let wrong = spread(&seeds, async |seed| {
        let alone = run(*seed, None).await;
        if alone.delays.is_empty() || alone.delays.values().any(|delay| *delay > BOUND) {
            return Err(format!("PROVE_SEED={seed}: alone it takes {:?}", alone.delays));
        }
        for neighbour in Neighbour::ALL {
            let beside = run(*seed, Some(neighbour)).await;
            let later = compare(&alone, &beside)
                .map_err(|wrong| format!("PROVE_SEED={seed} {neighbour:?}: {wrong}"))?;
            cases.fetch_add(1, Ordering::Relaxed);
            most.fetch_max(u64::try_from(later.as_millis()).unwrap(), Ordering::Relaxed);
        }
        Ok(())
    });
    let words = format!(
        "{} cases of {} neighbours, the others at most {} ms later",
        thousands(cases.into_inner()),
        Neighbour::ALL.len(),
        thousands(most.into_inner())
    );
    Part::Cases.say(words, &wrong);
}

/// Neighbours whose failure the aggregator meets; what others do, the projector and its queues keep apart.
const OF_THE_STREAM: [Neighbour; 4] = [
    Neighbour::DamagedChangeset,
    Neighbour::HoleInTheLog,
    Neighbour::UnknownFormat,
    Neighbour::ThrottledPartition,
];

/// Without isolation each of them is noticed, within a few seeds: a quiet tenant may be in another lane.
#[test]
fn the_proof_fails_without_isolation() {
    let most = AtomicU64::new(0);
    let wrong = spread(&OF_THE_STREAM, async |neighbour| {
        for seed in 0..20 {
            let alone = run(seed, None).await;
            let made = Made::now(Sabotage::set, Sabotage::NoIsolation);
            let beside = run(seed, Some(*neighbour)).await;
            drop(made);
            if compare(&alone, &beside).is_err() {
                most.fetch_max(seed + 1, Ordering::Relaxed);
                return Ok(());
            }
        }
        Err(format!("{neighbour:?} was not noticed without isolation"))
    });
    let words = format!(
        "without isolation {}/{} neighbours noticed, each within {} seeds",
        OF_THE_STREAM.len() - wrong.len(),
        OF_THE_STREAM.len(),
        most.into_inner()
    );
    Part::Removed.say(words, &wrong);
}
