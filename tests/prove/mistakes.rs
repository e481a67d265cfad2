//! The negative controls: mistakes that somebody made before, each of which the proof has to notice by what it does.

use taxonomy_protocol::Sabotage;
use taxonomy_tests::closing::counted;
use taxonomy_tests::effort::alone;
use taxonomy_tests::mistakes::{self, Made};

use crate::overtakings::races;
use crate::proof::Part;
use crate::storm;
use crate::watch::Rules;

/// So many seeds a mistake may survive.
const SEEDS: u64 = 400;

/// The seeds until a mistake was noticed, and what was said of it.
async fn noticed(mistake: Sabotage) -> Result<(u64, String), String> {
    for seed in 0..SEEDS {
        let made = Made::now(Sabotage::set, mistake);
        let run = Box::pin(storm::run(seed, Rules::EffectsOnly)).await;
        drop(made);
        if let Err(wrong) = run {
            return Ok((seed + 1, wrong));
        }
    }
    Err(format!("{mistake:?} was not noticed in {SEEDS} seeds"))
}

#[test]
fn every_known_mistake_is_noticed() {
    let (found, wrong) = mistakes::noticed(&Sabotage::ALL, noticed);
    let told: Vec<String> = found
        .iter()
        .map(|(mistake, seeds)| format!("{} after {}", dashed(*mistake), counted(*seeds, "seed")))
        .collect();
    let (caught, all) = (found.len(), Sabotage::ALL.len());
    Part::Mistakes.say(
        format!("{caught} of {all} mistakes caught ({})", told.join(", ")),
        &wrong,
    );
}

/// `SourceBeforeHead` as `source-before-head`.
fn dashed(mistake: Sabotage) -> String {
    let mut text = String::new();
    for letter in format!("{mistake:?}").chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// What needs no luck at all: one interruption, tried everywhere.
#[test]
fn a_source_that_is_read_too_early_is_noticed_by_holding_its_reader() {
    let races = races();
    let race = races
        .iter()
        .find(|race| race.name == "an upload and a newer one")
        .unwrap();
    let noticed = race.holds().into_iter().any(|holds| {
        alone(async {
            let _made = Made::now(Sabotage::set, Sabotage::SourceBeforeHead);
            race.run(holds, Rules::EffectsOnly).await.is_err()
        })
    });
    assert!(noticed);
}

/// A seed that is printed is of use only if it brings back what it found.
#[test]
fn a_seed_brings_the_same_run_back() {
    let run = |seed| {
        alone(async {
            let _made = Made::now(Sabotage::set, Sabotage::UnguardedWrites);
            storm::run(seed, Rules::EffectsOnly).await
        })
    };
    let found = (0..100)
        .map(|seed| (seed, run(seed)))
        .find(|(_, run)| run.is_err());
    let (seed, first) = found.unwrap();
    assert_eq!(first, run(seed));
}
