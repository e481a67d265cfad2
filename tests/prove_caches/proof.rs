//! What was tried, in a few lines when the last part is done.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Mutex;

/// The parts of the proof, in the order they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Walks,
    Valkey,
    Mistakes,
    Staleness,
}

const PARTS: usize = 4;

static DONE: Mutex<BTreeMap<Part, String>> = Mutex::new(BTreeMap::new());

impl Part {
    /// The part in words, a line each. Whoever is last says everything.
    pub(crate) fn say(self, words: &str, wrong: &[String]) {
        let what = if self == Self::Staleness {
            "staleness"
        } else {
            "caches"
        };
        let lines = words.lines().map(|line| format!("proof: {what}: {line}\n"));
        let mut done = DONE.lock().unwrap();
        done.insert(self, lines.collect());
        if done.len() == PARTS {
            // Not by a macro: what tests print is kept back while they succeed.
            let told: String = done.values().map(String::as_str).collect();
            std::io::stderr().write_all(told.as_bytes()).unwrap();
        }
        drop(done);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

/// A number as it is read most easily.
pub(crate) fn thousands(number: u64) -> String {
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
