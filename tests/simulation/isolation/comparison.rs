//! Many seeds: each neighbour beside the quiet tenants, compared with the quiet tenants alone.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use taxonomy_tests::budget::{run_all, seeds, variable};
use taxonomy_tests::summary::thousands;

use super::SUMMARY;
use super::neighbour::Neighbour;
use super::run::{Outcome, run};

/// The most by which a batch with records of a neighbour delays the publication of a quiet tenant's version: it takes a minute at most, and then
/// has to end (docs/decisions/0011-isolation.md).
const OF_BATCH: Duration = Duration::from_secs(75);

/// Compares a run with the run without the neighbour. Returns the longest delay by a batch, or the first difference.
fn compare(alone: &Outcome, beside: &Outcome) -> Result<Duration, String> {
    for (id, message) in &alone.messages {
        if beside.messages.get(id) != Some(message) {
            return Err(format!(
                "{message} was published as {:?}",
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
    let (mut most, batches) = (Duration::ZERO, beside.deployment.slow_batches());
    for (version, alone) in &alone.delays {
        let Some(beside) = beside.delays.get(version) else {
            return Err(format!("{version:?} was never published"));
        };
        let later = beside.saturating_sub(*alone);
        if later > OF_BATCH * batches {
            return Err(format!("{version:?} was published {later:?} later"));
        }
        most = most.max(later / batches);
    }
    Ok(most)
}

#[test]
fn a_noisy_tenant_does_not_affect_the_others() {
    let (comparisons, most) = (AtomicUsize::new(0), AtomicU64::new(0));
    // Each seed is a run without a neighbour and one with each, or with the one that the environment names.
    let seeds = seeds(1, 225);
    let named = variable("PROVE_NEIGHBOUR");
    let is_chosen = |neighbour: Neighbour| {
        named
            .as_ref()
            .is_none_or(|named| *named == format!("{neighbour:?}"))
    };
    let violations = run_all(&seeds, async |seed| {
        let alone = run(*seed, None).await;
        if alone.delays.is_empty() || alone.delays.values().any(|delay| *delay > OF_BATCH) {
            return Err(format!("PROVE_SEED={seed}: alone it takes {:?}", alone.delays));
        }
        for neighbour in Neighbour::ALL.into_iter().filter(|one| is_chosen(*one)) {
            let beside = run(*seed, Some(neighbour)).await;
            let later = compare(&alone, &beside)
                .map_err(|violation| format!("PROVE_SEED={seed} {neighbour:?}: {violation}"))?;
            comparisons.fetch_add(1, Ordering::Relaxed);
            most.fetch_max(u64::try_from(later.as_millis()).unwrap(), Ordering::Relaxed);
        }
        Ok(())
    });
    let cases = comparisons.into_inner();
    let text = format!(
        "{} cases of {} neighbours, the others at most {} ms later by a batch",
        thousands(cases),
        Neighbour::ALL.len(),
        thousands(most.into_inner())
    );
    SUMMARY.record("comparison", cases, text, &violations);
}
