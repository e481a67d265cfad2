//! The file with the replacements of keys, for sources that have none.

use std::io::Read;
use std::mem;

use crate::concept::SourcePlace;
use crate::ids::Refused;
use crate::report::{Code, ImportReport};
use crate::rows::{self, Unreadable};

/// The columns. These names are published.
pub const COLUMNS: [&str; 2] = ["old", "new"];

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
        if let Err((line, message)) = replacements.read_rows(input, file, report) {
            let place = SourcePlace::at(line, 1);
            report.add(Code::InvalidReplacements, Some(file), place, None, || message);
        }
        match report.count_of(Code::InvalidReplacements) {
            0 => Ok(replacements),
            _ => Err(Refused),
        }
    }

    /// Reads the rows.
    ///
    /// # Errors
    /// The reason for which the reading ends, and its line.
    fn read_rows(
        &mut self,
        input: impl Read,
        file: &str,
        report: &mut ImportReport,
    ) -> Result<(), (u64, String)> {
        let mut rows = rows::of_commas(input).map_err(|error| (1, error.to_string()))?;
        let mut is_header = true;
        while let Some((line, record)) = rows.next().map_err(Unreadable::into_message)? {
            let cells: Vec<&str> = record.iter().collect();
            match cells.as_slice() {
                _ if mem::take(&mut is_header) => {
                    if cells != COLUMNS {
                        return Err((line, format!("the columns are {}", COLUMNS.join(","))));
                    }
                }
                [old, new] if !old.is_empty() && !new.is_empty() => self.push(old, new),
                _ => {
                    let (place, message) = (SourcePlace::at(line, 1), || "a row has two keys".to_owned());
                    report.add(Code::InvalidReplacements, Some(file), place, None, message);
                }
            }
        }
        Ok(())
    }

    /// Adds a pair.
    pub fn push(&mut self, old: &str, new: &str) {
        self.pairs.push((old.to_owned(), new.to_owned()));
    }
}
