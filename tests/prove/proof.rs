//! What was tried, in one line when the last part is done.

use taxonomy_tests::closing::{Closing, counted, thousands};

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Crashes,
    Pairs,
    Overtakings,
    Interleavings,
    Mistakes,
}

static PROOF: Closing<Part> = Closing::new(5, |words, violations| {
    let (last, others) = words.split_last().unwrap();
    let others = others.join(", ");
    format!("proof: {others}, {}; {last}\n", counted(violations, "violation"))
});

impl Part {
    /// So many runs, and what went wrong in them.
    pub(crate) fn done(self, runs: usize, wrong: &[String]) {
        let what = format!("{self:?}").to_lowercase();
        self.say(format!("{} {what}", thousands(runs)), wrong);
    }

    /// The part in words, and what went wrong in it.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        PROOF.say(self, words, wrong);
    }
}
