//! What was tried, told when the last part of a proof is done.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::sync::Mutex;

/// The parts of a proof, each of which says what it did. Whoever is last tells everything.
pub struct Closing<Part> {
    parts: usize,
    lines: fn(&[&str], u64) -> String,
    done: Mutex<BTreeMap<Part, (String, u64)>>,
}

impl<Part> fmt::Debug for Closing<Part> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Closing")
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

impl<Part: Ord> Closing<Part> {
    /// So many parts; `lines` makes of what they say, in their order, and of how many violations they found, what is printed.
    pub const fn new(parts: usize, lines: fn(&[&str], u64) -> String) -> Self {
        Self {
            parts,
            lines,
            done: Mutex::new(BTreeMap::new()),
        }
    }

    /// A part in words, and what went wrong in it.
    ///
    /// # Panics
    /// If anything did.
    pub fn say(&self, part: Part, words: String, wrong: &[String]) {
        let mut done = self.done.lock().unwrap();
        done.insert(part, (words, wrong.len() as u64));
        if done.len() == self.parts {
            let words: Vec<&str> = done.values().map(|(words, _)| words.as_str()).collect();
            tell(&(self.lines)(&words, done.values().map(|(_, wrong)| wrong).sum()));
        }
        drop(done);
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

/// Prints, not by a macro: what tests print is kept back while they succeed.
pub fn tell(lines: &str) {
    std::io::stderr().write_all(lines.as_bytes()).unwrap();
}

/// A number and what it counts.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}

/// A whole number as it is read most easily.
pub fn thousands(number: impl fmt::Display) -> String {
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
