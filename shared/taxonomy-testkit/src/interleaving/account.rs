//! The result of a run.

use std::fmt;

/// The result of a run. Prints as its seed and log.
#[derive(Debug, Clone)]
pub struct Account {
    /// The seed of the run.
    pub seed: u64,
    pub(super) crashes: usize,
    /// One line per event: step, milliseconds, actor, request, outcome.
    pub log: Vec<String>,
}

impl Account {
    /// Returns the number of actors whose future was dropped before it returned.
    pub fn crashes(&self) -> usize {
        self.crashes
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}", self.seed)?;
        self.log.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}
