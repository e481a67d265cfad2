//! The file that says which key replaced which, where the source itself does not.

use std::io::Read;

use csv::ReaderBuilder;

use crate::concept::Place;
use crate::ids::Refused;
use crate::quotes::Quotes;
use crate::report::{Code, Report};

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
    pub fn read(input: impl Read, file: &str, report: &mut Report) -> Result<Self, Refused> {
        let input = Quotes::new(input, b',');
        let mut reader = ReaderBuilder::new().has_headers(false).from_reader(input);
        let mut record = csv::StringRecord::new();
        let mut pairs = Vec::new();
        let (mut is_first, mut last) = (true, 1);
        loop {
            let issue = match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) if std::mem::take(&mut is_first) => {
                    (!record.iter().eq(COLUMNS)).then(|| format!("the columns are {}", COLUMNS.join(",")))
                }
                Ok(true) => match (record.get(0), record.get(1)) {
                    (Some(old), Some(new)) if !old.is_empty() && !new.is_empty() => {
                        pairs.push((old.to_owned(), new.to_owned()));
                        None
                    }
                    _ => Some("a row has two keys".to_owned()),
                },
                Err(error) => Some(error.to_string()),
            };
            last = record.position().map_or(last, csv::Position::line);
            if let Some(message) = issue {
                let line = reader.position().line();
                let line = record.position().map_or(line, csv::Position::line);
                report.add(
                    Code::InvalidReplacements,
                    Some(file),
                    Place::at(line, 1),
                    None,
                    || message,
                );
            }
        }
        if reader.get_ref().is_open() {
            let message = || "a quote is not closed".to_owned();
            report.add(
                Code::InvalidReplacements,
                Some(file),
                Place::at(last, 1),
                None,
                message,
            );
        }
        if report.count_of(Code::InvalidReplacements) > 0 {
            return Err(Refused);
        }
        Ok(Self { pairs })
    }

    /// Adds a pair.
    pub fn push(&mut self, old: &str, new: &str) {
        self.pairs.push((old.to_owned(), new.to_owned()));
    }
}
