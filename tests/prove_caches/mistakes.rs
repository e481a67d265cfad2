//! The negative controls: each rule is broken on purpose, and the walks have to notice.

use taxonomy_cache::Sabotage;
use taxonomy_tests::mistakes::{self, Made};

use crate::proof::Part;
use crate::second::Second;
use crate::walk::walk;

/// So many seeds a mistake may survive.
const SEEDS: u64 = 400;

#[test]
fn every_broken_rule_is_noticed() {
    let (found, wrong) = mistakes::noticed(&Sabotage::ALL, async |mistake| {
        for tried in 0..SEEDS {
            // Odd seeds walk without index files, which hide most of these mistakes.
            let seed = 2 * tried + 1;
            let made = Made::now(Sabotage::set, mistake);
            let walked = Box::pin(walk(seed, Second::drawn(seed))).await;
            drop(made);
            if let Err(harm) = walked {
                return Ok((tried + 1, harm));
            }
        }
        Err(format!("{mistake:?} was not noticed in {SEEDS} seeds"))
    });
    let told: Vec<String> = found
        .iter()
        .map(|(mistake, seeds)| format!("{mistake:?} after {seeds}"))
        .collect();
    let told = format!(
        "{}/{} mistakes noticed ({})",
        found.len(),
        Sabotage::ALL.len(),
        told.join(", ")
    );
    Part::Mistakes.say(&told, &wrong);
}
