//! What was tried, in one line when the last part is done.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Mutex;

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Streams,
    Crashes,
    Pairs,
    Mistakes,
}

const PARTS: usize = 4;

/// What each part says, and how many violations it found.
static DONE: Mutex<BTreeMap<Part, (String, usize)>> = Mutex::new(BTreeMap::new());

impl Part {
    /// The part in words, and what went wrong in it. Whoever is last says everything.
    pub(crate) fn say(self, words: String, wrong: &[String]) {
        let mut done = DONE.lock().unwrap();
        done.insert(self, (words, wrong.len()));
        if done.len() == PARTS {
            let words: Vec<&str> = done.values().map(|(words, _)| words.as_str()).collect();
            let violations: usize = done.values().map(|(_, violations)| violations).sum();
            let (last, others) = words.split_last().unwrap();
            let others = others.join(", ");
            // Not by a macro: what tests print is kept back while they succeed.
            let line = format!("proof: aggregates: {others}, {violations} violations; {last}\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
        }
        drop(done);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

/// A number as it is read most easily.
pub(crate) fn thousands(number: usize) -> String {
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
