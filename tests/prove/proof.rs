//! What was tried, in one line when the last part is done.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Parts in the order they are told, each once done.
static DONE: Mutex<BTreeMap<usize, (String, usize)>> = Mutex::new(BTreeMap::new());

const PARTS: [&str; 4] = ["crashes", "pairs", "overtakings", "interleavings"];

/// A part of the proof.
pub(crate) struct Part(&'static str);

impl Part {
    pub(crate) fn new(name: &'static str) -> Self {
        assert!(PARTS.contains(&name));
        Self(name)
    }

    /// So many runs, and what went wrong in them.
    pub(crate) fn done(&self, runs: usize, wrong: &[String]) {
        self.say(format!("{} {}", thousands(runs), self.0), wrong);
    }

    /// The part in words.
    pub(crate) fn say(&self, words: String, wrong: &[String]) {
        let place = PARTS.iter().position(|name| *name == self.0).unwrap();
        let mut done = DONE.lock().unwrap();
        done.insert(place, (words, wrong.len()));
        if done.len() == PARTS.len() {
            let words: Vec<&str> = done.values().map(|(words, _)| words.as_str()).collect();
            let violations: usize = done.values().map(|(_, violations)| violations).sum();
            let (last, others) = words.split_last().unwrap();
            println!("proof: {}, {violations} violations; {last}", others.join(", "));
        }
        drop(done);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

/// A number as it is read most easily.
fn thousands(number: usize) -> String {
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
