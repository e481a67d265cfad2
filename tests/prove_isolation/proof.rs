//! The closing line of the proof.

use taxonomy_tests::closing::{Closing, counted};

/// The parts of the proof, in the order of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Cases,
    Removed,
}

static PROOF: Closing<Part> = Closing::new(2, |words, violations| {
    format!(
        "proof: isolation: {}, {}; {}\n",
        words[0],
        counted(violations, "violation"),
        words[1]
    )
});

impl Part {
    /// Notes the part in words, and its violations.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        PROOF.say(self, words, wrong);
    }
}
