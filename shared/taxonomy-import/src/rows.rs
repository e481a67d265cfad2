//! The rows of a CSV file (RFC 4180), each of bounded length and with the line on which it begins.
//!
//! The csv crate takes text behind a closing quote into the cell, and the rest of a file for one cell where a quote is not closed, so that rows
//! vanish without an error; its place of a row is the end of the row before, which blank lines shift. [`Checked`] passes on the bytes of a
//! file to it up to the first such fault, and knows the line of each row.

mod checked;

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;

use csv::{ByteRecord, ReaderBuilder, StringRecord};

use crate::concept::SourcePlace;
use crate::report::{Code, ImportReport};
use checked::Checked;
pub(crate) use checked::RowFault;

/// The bytes in which a delimiter is looked for.
const BEGINNING: u64 = 64 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The reason for which the reading of a file ends, and the line of its row.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) line: u64,
    pub(crate) reason: UnreadableReason,
}

/// The reason for which the reading of a file ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnreadableReason {
    #[error(transparent)]
    Io(io::Error),
    #[error(transparent)]
    Fault(RowFault),
    /// The number of the cell, from 1.
    #[error("cell {0} of the row is not UTF-8")]
    InvalidUtf8(usize),
}

/// The rows of a file.
pub(crate) struct CsvRows<R> {
    reader: csv::Reader<Checked<io::Chain<Cursor<Vec<u8>>, R>>>,
    record: ByteRecord,
}

impl<R: BufRead> CsvRows<R> {
    /// The rows of a file of at most `most_bytes`, whose first line has this number. The delimiter follows from the beginning of the file, and
    /// from a line `sep=;` in front, as spreadsheets write it; neither that line nor a byte order mark is a part of the table.
    ///
    /// # Errors
    /// An I/O error of the input.
    pub(crate) fn new(
        mut input: R,
        mut first_line: u64,
        delimiter: impl FnOnce(&[u8], Option<u8>) -> u8,
        most_bytes: u64,
    ) -> io::Result<Self> {
        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        if beginning.starts_with(BYTE_ORDER_MARK) {
            beginning.drain(..BYTE_ORDER_MARK.len());
        }
        let stated = stated_delimiter(&beginning);
        if let Some((_, bytes)) = stated {
            beginning.drain(..bytes);
            first_line += 1;
        }
        let delimiter = delimiter(&beginning, stated.map(|(delimiter, _)| delimiter));
        let input = Cursor::new(beginning).chain(input);
        let checked = Checked::new(input, first_line, delimiter, most_bytes);
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        Ok(Self {
            reader: builder.from_reader(checked),
            record: ByteRecord::new(),
        })
    }

    /// The next row and the line on which it begins.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, StringRecord)>, Unreadable> {
        let read = self.reader.read_byte_record(&mut self.record);
        let line = self.reader.get_mut().next_line();
        let reason = match read {
            Ok(false) => return Ok(None),
            Ok(true) => match StringRecord::from_byte_record(mem::take(&mut self.record)) {
                Ok(record) => return Ok(Some((line, record))),
                Err(error) => UnreadableReason::InvalidUtf8(error.utf8_error().field() + 1),
            },
            Err(error) => match (self.reader.get_ref().fault(), error.into_kind()) {
                (Some(fault), _) => UnreadableReason::Fault(fault),
                (None, csv::ErrorKind::Io(error)) => UnreadableReason::Io(error),
                // Bytes in rows of any length have no other error.
                (None, other) => UnreadableReason::Io(io::Error::other(format!("{other:?}"))),
            },
        };
        Err(Unreadable { line, reason })
    }

    /// Returns true if the bytes so far end with a line feed.
    fn ends_with_line(&self) -> bool {
        self.reader.get_ref().ends_with_line()
    }
}

/// The delimiter that the first line states, and the bytes of that line.
fn stated_delimiter(beginning: &[u8]) -> Option<(u8, usize)> {
    let (name, rest) = beginning.split_at_checked(4)?;
    let (delimiter, end) = rest.split_first()?;
    let end = match end {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => return None,
    };
    let is_stated = name.eq_ignore_ascii_case(b"sep=");
    is_stated.then_some((*delimiter, 5 + end))
}

/// A file of our own, whose cells are separated by commas and whose header is known.
pub(crate) struct OwnFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) columns: &'static [&'static str],
    /// The code of its errors.
    pub(crate) code: Code,
    /// Of a row without an end the last cells may be missing.
    pub(crate) last_row_has_end: bool,
}

impl OwnFile<'_> {
    /// Reads the rows behind the header. The report has those that `take` refuses, and the reason for which the reading ends, each with its line.
    ///
    /// # Errors
    /// [`Refused`] if the report has any.
    pub(crate) fn read(
        &self,
        input: impl Read,
        report: &mut ImportReport,
        take: impl FnMut(u64, &[&str]) -> Result<(), &'static str>,
    ) -> Result<(), Refused> {
        if let Err((line, message)) = self.read_rows(input, report, take) {
            self.add(report, line, message);
        }
        match report.count_of(self.code) {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }

    fn read_rows(
        &self,
        input: impl Read,
        report: &mut ImportReport,
        mut take: impl FnMut(u64, &[&str]) -> Result<(), &'static str>,
    ) -> Result<(), (u64, String)> {
        let rows = CsvRows::new(BufReader::new(input), 1, |_, _| b',', u64::MAX);
        let mut rows = rows.map_err(|error| (1, error.to_string()))?;
        let mut last = 0;
        let message = |Unreadable { line, reason }| (line, reason.to_string());
        while let Some((line, record)) = rows.next().map_err(message)? {
            let cells: Vec<&str> = record.iter().collect();
            let is_header = mem::replace(&mut last, line) == 0;
            if is_header && cells != self.columns {
                return Err((line, format!("the columns are {}", self.columns.join(","))));
            }
            if !is_header && let Err(message) = take(line, &cells) {
                self.add(report, line, message.to_owned());
            }
        }
        // A bad row needs no further reason.
        let may_end = !self.last_row_has_end || report.count_of(self.code) > 0;
        match may_end || rows.ends_with_line() {
            true => Ok(()),
            false => Err((
                last.max(1),
                "the last row has no end: the file is cut off".to_owned(),
            )),
        }
    }

    fn add(&self, report: &mut ImportReport, line: u64, message: String) {
        let place = SourcePlace::at(line, 1);
        report.add(self.code, Some(self.name), place, None, message);
    }
}

/// The file cannot be used; the report has the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file cannot be used")]
pub struct Refused;

#[cfg(test)]
mod tests;
