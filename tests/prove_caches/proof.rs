//! What was tried, in a few lines when the last part is done.

use taxonomy_tests::closing::Closing;

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Walks,
    Valkey,
    Mistakes,
    Staleness,
}

static PROOF: Closing<Part> = Closing::new(4, |lines, _| lines.concat());

impl Part {
    /// The part in words, a line each, and what went wrong in it.
    pub(crate) fn say(self, words: &str, wrong: &[String]) {
        let what = if self == Self::Staleness {
            "staleness"
        } else {
            "caches"
        };
        let lines = words.lines().map(|line| format!("proof: {what}: {line}\n"));
        PROOF.say(self, lines.collect(), wrong);
    }
}
