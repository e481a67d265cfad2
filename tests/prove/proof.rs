//! What was tried, in one line when the last part is done.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Mutex;

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Crashes,
    Pairs,
    Overtakings,
    Interleavings,
    Mistakes,
}

const PARTS: usize = 5;

/// What each part says, and how many violations it found.
static DONE: Mutex<BTreeMap<Part, (String, usize)>> = Mutex::new(BTreeMap::new());

impl Part {
    /// So many runs, and what went wrong in them.
    pub(crate) fn done(self, runs: usize, wrong: &[String]) {
        let what = format!("{self:?}").to_lowercase();
        self.say(format!("{} {what}", thousands(runs as u64)), wrong);
    }

    /// The part in words. Whoever is last says everything.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        let mut done = DONE.lock().unwrap();
        done.insert(self, (words, wrong.len()));
        if done.len() == PARTS {
            let words: Vec<&str> = done.values().map(|(words, _)| words.as_str()).collect();
            let violations: usize = done.values().map(|(_, violations)| violations).sum();
            let (last, others) = words.split_last().unwrap();
            // Not by a macro: what tests print is kept back while they succeed.
            let line = format!(
                "proof: {}, {}; {last}\n",
                others.join(", "),
                counted(violations as u64, "violation")
            );
            std::io::stderr().write_all(line.as_bytes()).unwrap();
        }
        drop(done);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

/// A number and what it counts.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}

/// A number as it is read most easily.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
