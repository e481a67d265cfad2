//! The file with the replacements of keys, for sources that have none.

use std::io::Read;

use crate::report::{Code, ImportReport};
use crate::rows::{OwnFile, Refused};

/// The columns. These names are published.
const COLUMNS: [&str; 2] = ["old", "new"];

/// Pairs of an old key and one that replaced it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    pub(crate) pairs: Vec<(String, String)>,
}

impl Replacements {
    /// Reads the file.
    ///
    /// # Errors
    /// The errors are in the report, each with its line.
    pub fn read(input: impl Read, file: &str, report: &mut ImportReport) -> Result<Self, Refused> {
        let mut replacements = Self::default();
        let file = OwnFile {
            name: file,
            columns: &COLUMNS,
            code: Code::InvalidReplacements,
            last_row_has_end: false,
        };
        file.read(input, report, |_, cells| match cells {
            [old, new] if !old.is_empty() && !new.is_empty() => {
                replacements.push(old, new);
                Ok(())
            }
            _ => Err("a row has two keys"),
        })?;
        Ok(replacements)
    }

    /// Adds a pair.
    pub fn push(&mut self, old: &str, new: &str) {
        self.pairs.push((old.to_owned(), new.to_owned()));
    }
}
