//! AWS's documented behaviour, checked on the engine under test, one behaviour at a time.
//!
//! A [`Behaviour`] names the page of AWS's documentation, the result that follows from it, and a probe. A [`Deviation`] is a listed
//! difference of a named engine: the test fails if an engine differs without being listed, and if a listed difference no longer exists.
//! The table of `docs/conformance.md` is generated from both, and a test compares the page with them.
#![expect(
    clippy::needless_pass_by_value,
    reason = "the arguments are literals of JSON, which read better without a sign before them"
)]

mod capacity;
mod deviations;
mod expressions;
mod page;
mod probe;
mod reads;
mod stream;
mod transactions;
mod values;

use deviations::{DEVIATIONS, Deviation};
use probe::Probe;
use taxonomy_testkit::dynamodb::engine_name;

/// A documented behaviour of AWS.
pub(crate) struct Behaviour {
    /// The behaviour as a sentence; also its name.
    pub(crate) name: &'static str,
    /// The title of the page.
    pub(crate) page: &'static str,
    /// The response that AWS documents on the page.
    pub(crate) aws: &'static str,
    /// Sends the requests to the engine and returns its response.
    pub(crate) probe: fn(&Probe) -> String,
}

pub(crate) fn behaviours() -> impl Iterator<Item = &'static Behaviour> {
    let rooms: [&'static [Behaviour]; 6] = [
        values::BEHAVIOURS,
        expressions::BEHAVIOURS,
        transactions::BEHAVIOURS,
        reads::BEHAVIOURS,
        capacity::BEHAVIOURS,
        stream::BEHAVIOURS,
    ];
    rooms.into_iter().flatten()
}

/// Returns the listed difference of an engine.
pub(crate) fn listed(engine: &str, behaviour: &Behaviour) -> Option<&'static Deviation> {
    let mut deviations = DEVIATIONS.iter();
    deviations.find(|one| one.engine == engine && one.behaviour == behaviour.name)
}

#[test]
fn the_engine_behaves_as_aws_documents_but_for_what_is_listed() {
    let engine = engine_name();
    let mut surprises = Vec::new();
    for behaviour in behaviours() {
        let seen = (behaviour.probe)(&Probe::new());
        let listed = listed(engine, behaviour);
        let expected = listed.map_or(behaviour.aws, |deviation| deviation.seen);
        if seen != expected {
            surprises.push(format!(
                "{}\n  {}: {}\n  {engine}: {seen}\n  listed: {}",
                behaviour.name,
                behaviour.page,
                behaviour.aws,
                listed.map_or("no deviation", |deviation| deviation.seen)
            ));
        }
    }
    assert!(
        surprises.is_empty(),
        "{engine} is not as listed:\n{}",
        surprises.join("\n")
    );
}
