//! The result of a run.

use std::fmt;

/// The outcome of an actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending<T> {
    /// It returned this value.
    Finished(T),
    /// Its future was dropped before it returned.
    Crashed,
}

/// The result of a run. Prints as its seed and log.
#[derive(Debug, Clone)]
pub struct Account<T> {
    /// The seed of the run.
    pub seed: u64,
    /// Every actor, in the order in which they ended.
    pub endings: Vec<(String, Ending<T>)>,
    /// One line per event: step, milliseconds, actor, request, outcome.
    pub log: Vec<String>,
}

impl<T> Account<T> {
    /// Returns the value that an actor finished with; `None` if it crashed or never existed.
    pub fn finished(&self, actor: &str) -> Option<&T> {
        let endings = self.endings.iter();
        endings
            .filter(|(name, _)| name == actor)
            .find_map(|(_, ending)| match ending {
                Ending::Finished(output) => Some(output),
                Ending::Crashed => None,
            })
    }

    /// Returns the number of actors that crashed.
    pub fn crashes(&self) -> usize {
        let endings = self.endings.iter();
        endings
            .filter(|(_, ending)| matches!(ending, Ending::Crashed))
            .count()
    }
}

impl<T> fmt::Display for Account<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}", self.seed)?;
        self.log.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}
