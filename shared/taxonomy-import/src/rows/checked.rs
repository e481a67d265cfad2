//! The bytes of a CSV file up to the first fault that a reader of cells would pass over.

use std::collections::VecDeque;
use std::io::{self, Read};

/// The maximum number of bytes of a row.
const MOST_BYTES: u64 = 4 << 20;
/// The maximum number of line breaks between two rows.
const MOST_BLANK: u64 = 16 << 20;

/// A fault of a file. Cells are numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowFault {
    #[error(
        "the row has more than {MOST_BYTES} bytes, blank lines before it more, or the file more than an import takes"
    )]
    TooLarge,
    #[error("the quote of cell {0} is not closed")]
    OpenQuote(usize),
    /// The cell, and the line of the text.
    #[error(
        "cell {0} has text after its closing quote, on line {1}; a quote inside of a quoted cell is written twice"
    )]
    TextAfterQuote(usize, u64),
}

/// The place of a byte. A row begins with its first byte that is no line break; quotes inside of a cell without quotes are text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    BeforeRow,
    BeforeCell,
    Plain,
    Quoted,
    /// Behind the quote that closes the cell, or the first of two that stand for one.
    Closed,
}

impl State {
    /// The state behind a byte; none for text behind a closing quote.
    fn after(self, byte: u8, delimiter: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::BeforeRow, b'\n' | b'\r') => Self::BeforeRow,
            (Self::Quoted, b'"') => Self::Closed,
            (Self::Quoted, _) | (Self::BeforeRow | Self::BeforeCell | Self::Closed, b'"') => Self::Quoted,
            _ if byte == delimiter => Self::BeforeCell,
            (_, b'\n' | b'\r') => Self::BeforeRow,
            (Self::Closed, _) => return None,
            _ => Self::Plain,
        })
    }
}

/// The bytes of a file up to its first fault, behind which every read fails, and the lines of its rows. A line ends with LF, CRLF or CR.
pub(super) struct Checked<R> {
    input: R,
    delimiter: u8,
    state: State,
    /// The byte before.
    last: Option<u8>,
    /// The line of the next byte, from 1.
    line: u64,
    /// The lines of the rows that were passed on and not asked for: as many as fit into the buffer of the csv crate.
    rows: VecDeque<u64>,
    /// The cell of the next byte, from 1.
    cell: usize,
    left_of_row: u64,
    left_of_blank: u64,
    left_of_file: u64,
    fault: Option<RowFault>,
}

impl<R: Read> Checked<R> {
    /// The bytes of a file of at most `most_bytes`, the first of them on this line.
    pub(super) fn new(input: R, line: u64, delimiter: u8, most_bytes: u64) -> Self {
        Self {
            input,
            delimiter,
            state: State::BeforeRow,
            last: None,
            line,
            rows: VecDeque::new(),
            cell: 1,
            left_of_row: MOST_BYTES,
            left_of_blank: MOST_BLANK,
            left_of_file: most_bytes,
            fault: None,
        }
    }

    /// The line of the first row that was not asked for; without one, that of the next byte.
    pub(super) fn next_line(&mut self) -> u64 {
        self.rows.pop_front().unwrap_or(self.line)
    }

    /// The fault for which a read failed.
    pub(super) fn fault(&self) -> Option<RowFault> {
        self.fault
    }

    pub(super) fn ends_with_line(&self) -> bool {
        self.last == Some(b'\n')
    }

    fn check(&mut self, byte: u8) -> Result<(), RowFault> {
        let after = self.state.after(byte, self.delimiter);
        let after = after.ok_or(RowFault::TextAfterQuote(self.cell, self.line))?;
        if self.state == State::BeforeRow && after != State::BeforeRow {
            self.rows.push_back(self.line);
            (self.cell, self.left_of_row) = (1, MOST_BYTES);
        }
        self.left_of_file = self.left_of_file.checked_sub(1).ok_or(RowFault::TooLarge)?;
        if after != State::BeforeRow {
            self.left_of_row = self.left_of_row.checked_sub(1).ok_or(RowFault::TooLarge)?;
            self.left_of_blank = MOST_BLANK;
        } else {
            self.left_of_blank = self.left_of_blank.checked_sub(1).ok_or(RowFault::TooLarge)?;
        }
        if after == State::BeforeCell {
            self.cell += 1;
        }
        // The second half of a CRLF belongs to the line that has ended.
        if matches!(byte, b'\n' | b'\r') && (self.last, byte) != (Some(b'\r'), b'\n') {
            self.line += 1;
        }
        (self.state, self.last) = (after, Some(byte));
        Ok(())
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.fault.is_some() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let count = self.input.read(into)?;
        if count == 0 && !into.is_empty() && self.state == State::Quoted {
            self.fault = Some(RowFault::OpenQuote(self.cell));
        }
        for (passed, byte) in into.iter().take(count).enumerate() {
            if let Err(fault) = self.check(*byte) {
                self.fault = Some(fault);
                if passed > 0 {
                    return Ok(passed);
                }
                break;
            }
        }
        match self.fault {
            Some(_) => Err(io::ErrorKind::InvalidData.into()),
            None => Ok(count),
        }
    }
}
