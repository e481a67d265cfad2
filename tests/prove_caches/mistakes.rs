//! The negative controls: each rule is broken on purpose, and the walks have to notice.

use std::collections::BTreeMap;
use std::sync::Mutex;

use taxonomy_cache::Sabotage;

use crate::proof::Part;
use crate::second::Second;
use crate::walk::walk;
use taxonomy_tests::effort::spread;

/// So many seeds a mistake may survive.
const SEEDS: u64 = 400;

/// A mistake that is made in this thread while this lives.
struct Made;

impl Made {
    fn now(mistake: Sabotage) -> Self {
        Sabotage::set(Some(mistake));
        Self
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        Sabotage::set(None);
    }
}

#[test]
fn every_broken_rule_is_noticed() {
    let found = Mutex::new(BTreeMap::new());
    let wrong = spread(&Sabotage::ALL, async |mistake| {
        for seed in 0..SEEDS {
            let made = Made::now(*mistake);
            let walked = Box::pin(walk(seed, Second::drawn(seed))).await;
            drop(made);
            if walked.is_err() {
                found.lock().unwrap().insert(format!("{mistake:?}"), seed + 1);
                return Ok(());
            }
        }
        Err(format!("{mistake:?} was not noticed in {SEEDS} seeds"))
    });
    let found = found.into_inner().unwrap();
    let told: Vec<String> = found
        .iter()
        .map(|(mistake, seeds)| format!("{mistake} after {seeds}"))
        .collect();
    let told = format!(
        "{}/{} mistakes noticed ({})",
        found.len(),
        Sabotage::ALL.len(),
        told.join(", ")
    );
    Part::Mistakes.say(&told, &wrong);
}
