//! What was tried, in one line when the last part is done.

use taxonomy_tests::closing::{Closing, counted};

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Streams,
    Crashes,
    Pairs,
    Mistakes,
}

static PROOF: Closing<Part> = Closing::new(4, |words, violations| {
    let (last, others) = words.split_last().unwrap();
    let others = others.join(", ");
    format!(
        "proof: aggregates: {others}, {}; {last}\n",
        counted(violations, "violation")
    )
});

impl Part {
    /// The part in words, and what went wrong in it.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        PROOF.say(self, words, wrong);
    }
}
