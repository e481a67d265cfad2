//! The closing line of the proof.

use taxonomy_tests::closing::{Closing, counted};

/// The parts of the proof, in the order of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Cases,
    Removed,
    Counting,
}

static PROOF: Closing<Part> = Closing::new(3, |words, violations| {
    format!(
        "proof: isolation: {}, {}; {}; {}\n",
        words[0],
        counted(violations, "violation"),
        words[1],
        words[2]
    )
});

impl Part {
    /// Notes the part in words, and its violations.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        PROOF.say(self, words, wrong);
    }
}
