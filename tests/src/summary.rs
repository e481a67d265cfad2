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
    results: Mutex<BTreeMap<usize, Part>>,
}

/// The result of a part.
#[derive(Debug)]
struct Part {
    cases: usize,
    text: String,
    violations: usize,
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

    /// Records the result of a part: the number of its cases, one or more lines of text, and its violations.
    ///
    /// # Panics
    /// Panics if there is a violation.
    pub fn record(&self, part: &str, cases: usize, text: String, violations: &[String]) {
        let position = self.parts.iter().position(|known| *known == part);
        let position = position.unwrap_or_else(|| panic!("the proof has no part {part}"));
        let mut results = self.results.lock().unwrap();
        let part = Part {
            cases,
            text,
            violations: violations.len(),
        };
        results.insert(position, part);
        if results.len() == self.parts.len() {
            print(&self.lines(&results));
        }
        drop(results);
        assert!(violations.is_empty(), "{}", violations.join("\n\n"));
    }

    /// Returns the lines of each part, and one of all.
    fn lines(&self, results: &BTreeMap<usize, Part>) -> String {
        let parts = results
            .values()
            .map(|part| format!("{}, {}", part.text, counted(part.violations, "violation")));
        let cases = results.values().map(|part| part.cases).sum::<usize>();
        let violations = results.values().map(|part| part.violations).sum::<usize>();
        let all = format!("{} cases, {} violations", thousands(cases), thousands(violations));
        let lines = parts.chain([all]).collect::<Vec<_>>().join("\n");
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
