//! The summary of a proof, printed when its last part has ended.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::sync::Mutex;

/// Collects the results of the parts of a proof, which run as tests of one binary, in any order. The part that ends last prints the summary.
#[derive(Debug)]
pub struct Summary {
    proof: &'static str,
    parts: &'static [&'static str],
    results: Mutex<BTreeMap<usize, (String, usize)>>,
}

impl Summary {
    /// Creates the summary of a proof with these parts, in the order in which they are printed.
    pub const fn new(proof: &'static str, parts: &'static [&'static str]) -> Self {
        Self {
            proof,
            parts,
            results: Mutex::new(BTreeMap::new()),
        }
    }

    /// Records the result of a part: one or more lines of text, and its violations.
    ///
    /// # Panics
    /// Panics if there is a violation.
    pub fn record(&self, part: &str, text: String, violations: &[String]) {
        let position = self.parts.iter().position(|known| *known == part);
        let position = position.unwrap_or_else(|| panic!("the proof has no part {part}"));
        let mut results = self.results.lock().unwrap();
        results.insert(position, (text, violations.len()));
        if results.len() == self.parts.len() {
            print(&self.lines(results.values()));
        }
        drop(results);
        assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    }

    fn lines<'r>(&self, results: impl Iterator<Item = &'r (String, usize)>) -> String {
        let results =
            results.map(|(text, violations)| format!("{text}, {}", counted(*violations, "violation")));
        let lines = results.collect::<Vec<_>>().join("\n");
        let lines = lines
            .lines()
            .map(|line| format!("proof: {}: {line}\n", self.proof));
        lines.collect()
    }
}

/// Prints text, not by a macro: the test harness captures the output of print macros while tests succeed.
pub fn print(lines: &str) {
    std::io::stderr().write_all(lines.as_bytes()).unwrap();
}

/// Returns a number with the noun it counts, in the plural if needed.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// Returns a whole number with commas between the thousands.
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
