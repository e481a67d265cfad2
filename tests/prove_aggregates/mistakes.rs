//! The negative controls: mistakes that somebody made before, each of which has to be noticed by what it does, and by that alone.

use taxonomy_protocol::Sabotage;
use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{alone, spread};
use taxonomy_tests::mistakes::{self, Made};

use crate::history::{History, drawn};
use crate::judge::Wrong;
use crate::proof::Part;
use crate::stream::{Run, Weather, run, run_in};
use crate::streams::{self, SCHEDULES};

/// So many seeds a mistake may survive.
const SEEDS: u64 = 600;

/// The harm that a mistake does in the end, if it is the one that this mistake does.
fn harm(mistake: Sabotage, run: &Run) -> Option<String> {
    let tenant_is_right = |wrong: &Wrong| !run.wrong.iter().any(|other| same_tenant(other, wrong));
    let does = |wrong: &&Wrong| match mistake {
        // It knows of nothing else, so of nothing else it is accused.
        Sabotage::PlainAdd => wrong.sort == "TENANT" && field(wrong, "Terms") != expected(wrong, "Terms"),
        Sabotage::UnguardedAggregates => {
            number(&field(wrong, "V")).is_some_and(|found| Some(found) < number(&expected(wrong, "V")))
        }
        Sabotage::CountedWithoutProof => {
            wrong.sort.starts_with("MONTH#")
                && number(&field(wrong, "Versions")) > number(&expected(wrong, "Versions"))
        }
        // That it says another version does no harm: what it counts does.
        Sabotage::OnlyWhatCountsOtherwise => {
            wrong.sort.starts_with("CATEGORY#") && wrong.found.is_some() && counts(wrong)
        }
        Sabotage::TotalsFirst => wrong.sort != "TENANT" && tenant_is_right(wrong),
        _ => false,
    };
    let wrong = run.wrong.iter().find(does)?;
    Some(format!("{wrong:?}"))
}

fn same_tenant(tenant: &Wrong, wrong: &Wrong) -> bool {
    let partition = |wrong: &Wrong| {
        let line = wrong.expected.as_deref().or(wrong.found.as_deref());
        line.and_then(|line| line.split(" | ").next().map(str::to_owned))
    };
    tenant.sort == "TENANT" && partition(tenant) == partition(wrong)
}

fn counts(wrong: &Wrong) -> bool {
    let counted = ["Terms", "Leaves", "Deprecated", "Depths", "Names", "Removed"];
    counted
        .iter()
        .any(|name| field(wrong, name) != expected(wrong, name))
}

fn field(wrong: &Wrong, name: &str) -> Option<String> {
    read(wrong.found.as_deref()?, name)
}

fn expected(wrong: &Wrong, name: &str) -> Option<String> {
    read(wrong.expected.as_deref()?, name)
}

/// A field of a line, up to the next one.
fn read(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!(" {name}="))?;
    let end = rest
        .find('=')
        .map_or(rest.len(), |next| rest[..next].rfind(' ').unwrap_or(next));
    Some(rest[..end].to_owned())
}

fn number(text: &Option<String>) -> Option<u64> {
    text.as_deref()?.parse().ok()
}

/// The seeds until a mistake was noticed, and what was said of it.
async fn noticed(mistake: Sabotage) -> Result<(u64, String), String> {
    let mut history = streams::history(0).await;
    for seed in 0..SEEDS {
        if seed.is_multiple_of(SCHEDULES) {
            history = streams::history(seed).await;
        }
        let made = Made::now(Sabotage::set, mistake);
        let run = Box::pin(run(&history, seed)).await;
        drop(made);
        if let Some(harm) = harm(mistake, &run) {
            return Ok((seed + 1, harm));
        }
    }
    Err(format!("{mistake:?} was not noticed in {SEEDS} seeds"))
}

#[test]
fn every_known_mistake_is_noticed() {
    let (found, wrong) = mistakes::noticed(&Sabotage::OF_AGGREGATES, noticed);
    let told: Vec<String> = found
        .iter()
        .map(|(mistake, seeds)| format!("{mistake:?} after {seeds}"))
        .collect();
    let words = format!(
        "{}/{} mistakes noticed (seeds: {})",
        thousands(found.len()),
        Sabotage::OF_AGGREGATES.len(),
        told.join(", ")
    );
    Part::Mistakes.say(words, &wrong);
}

/// What everybody tries first is right as long as every record comes once: that it is noticed is the stream's doing, not the judge's.
#[test]
fn plain_addition_is_right_about_a_stream_that_delivers_once() {
    let seeds: Vec<u64> = (0..10).collect();
    let wrong = spread(&seeds, async |seed| {
        let history = History::of(&drawn(*seed, false), 0).await;
        let made = Made::now(Sabotage::set, Sabotage::PlainAdd);
        let run = Box::pin(run_in(Weather::FAIR, &history, *seed)).await;
        drop(made);
        harm(Sabotage::PlainAdd, &run).map_or(Ok(()), Err)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without a mistake nothing is noticed.
#[test]
fn the_judge_accuses_nobody_who_made_no_mistake() {
    let run = alone(async { run(&streams::history(3).await, 3).await });
    for mistake in Sabotage::OF_AGGREGATES {
        assert_eq!(harm(mistake, &run), None);
    }
}
