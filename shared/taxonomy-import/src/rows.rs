//! The rows of a CSV file (RFC 4180), each of bounded length and with the line on which it begins.
//!
//! The csv crate names the place behind the row before, so blank lines shift it, and it takes the rest of a file for one cell where a
//! quote is not closed. `Lines` sees every byte before it does.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::mem;

use csv::{ByteRecord, ReaderBuilder, StringRecord};

/// The maximum number of bytes of a row.
const MOST_BYTES: u64 = 4 << 20;
/// The bytes in which a delimiter is looked for.
const BEGINNING: u64 = 64 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The reason for which the reading of a file ends, and the line of its row.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) line: u64,
    pub(crate) reason: Reason,
}

impl Unreadable {
    /// The line and the reason as a message.
    pub(crate) fn into_message(self) -> (u64, String) {
        (self.line, self.reason.to_string())
    }
}

/// The reason for which the reading of a file ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error(transparent)]
    Io(io::Error),
    #[error("the row has more than {MOST_BYTES} bytes, or the file more than an import takes")]
    TooLarge,
    #[error("a quote is not closed")]
    OpenQuote,
    /// The number of the cell, from 1.
    #[error("cell {0} of the row is no UTF-8")]
    InvalidUtf8(usize),
}

/// The rows of a file.
pub(crate) struct Rows<R> {
    reader: csv::Reader<Lines<R>>,
    record: ByteRecord,
}

impl<R: BufRead> Rows<R> {
    /// The rows of a file of at most `most_bytes`. The delimiter follows from the beginning of the file; a byte order mark is no part of it.
    ///
    /// # Errors
    /// An I/O error of the input.
    pub(crate) fn new(
        mut input: R,
        delimiter: impl FnOnce(&[u8]) -> u8,
        most_bytes: u64,
    ) -> io::Result<Self> {
        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
        if beginning.starts_with(BYTE_ORDER_MARK) {
            beginning.drain(..BYTE_ORDER_MARK.len());
        }
        let delimiter = delimiter(&beginning);
        let lines = Lines {
            input: Cursor::new(beginning).chain(input),
            delimiter,
            state: State::Begin,
            last: None,
            line: 1,
            row: None,
            left_of_row: MOST_BYTES,
            left_of_file: most_bytes,
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        Ok(Self {
            reader: builder.from_reader(lines),
            record: ByteRecord::new(),
        })
    }

    /// The next row and the line on which it begins.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, StringRecord)>, Unreadable> {
        let lines = self.reader.get_mut();
        (lines.row, lines.left_of_row) = (None, MOST_BYTES);
        let read = self.reader.read_byte_record(&mut self.record);
        let lines = self.reader.get_ref();
        let line = lines.row.unwrap_or(lines.line);
        let read = read.map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            // Bytes in rows of any length have no other error.
            other => io::Error::other(format!("{other:?}")),
        });
        let reason = match read {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Reason::TooLarge,
            Err(error) => Reason::Io(error),
            Ok(_) if lines.state == State::Quoted => Reason::OpenQuote,
            Ok(false) => return Ok(None),
            Ok(true) => match StringRecord::from_byte_record(mem::take(&mut self.record)) {
                Ok(record) => return Ok(Some((line, record))),
                Err(error) => Reason::InvalidUtf8(error.utf8_error().field() + 1),
            },
        };
        Err(Unreadable { line, reason })
    }

    /// Returns true if the bytes so far end with a line feed.
    pub(crate) fn ends_with_line(&self) -> bool {
        self.reader.get_ref().last == Some(b'\n')
    }
}

/// The rows of a file of our own, whose cells are separated by commas.
pub(crate) fn of_commas<R: Read>(input: R) -> io::Result<Rows<BufReader<R>>> {
    Rows::new(BufReader::new(input), |_| b',', u64::MAX)
}

/// The place of a byte in its cell; quotes inside of a cell without quotes are text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Plain,
    Quoted,
}

impl State {
    fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            // The end of the cell, or the first half of a quote in it: the second half opens it again.
            (Self::Quoted, b'"') => Self::Begin,
            (Self::Quoted, _) | (Self::Begin, b'"') => Self::Quoted,
            _ if byte == delimiter || is_break(&byte) => Self::Begin,
            _ => Self::Plain,
        }
    }
}

const fn is_break(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Passes on at most one line at a time, beside blank ones before it, so that a row that is read begins on a line that was passed on since
/// the row before. A line ends with LF, CRLF or CR, as rows do.
struct Lines<R> {
    input: Chain<Cursor<Vec<u8>>, R>,
    delimiter: u8,
    state: State,
    last: Option<u8>,
    /// The line of the next byte, from 1.
    line: u64,
    /// The line of the row; none while its lines are blank.
    row: Option<u64>,
    left_of_row: u64,
    left_of_file: u64,
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.fill_buf()?;
        let (bytes, _) = bytes.split_at(bytes.len().min(into.len()));
        let blank = bytes.iter().take_while(|byte| is_break(byte)).count();
        let line = bytes.iter().skip(blank).position(is_break);
        let count = line.map_or(bytes.len(), |line| blank + line + 1);
        let (bytes, _) = bytes.split_at(count);
        for byte in bytes {
            if !is_break(byte) {
                self.row.get_or_insert(self.line);
            } else if (self.last, *byte) != (Some(b'\r'), b'\n') {
                // The second half of a CRLF belongs to the line that has ended.
                self.line += 1;
            }
            self.state = self.state.after(*byte, self.delimiter);
            self.last = Some(*byte);
        }
        into[..count].copy_from_slice(bytes);
        self.input.consume(count);
        let of_row = if self.row.is_some() { count as u64 } else { 0 };
        match (
            self.left_of_row.checked_sub(of_row),
            self.left_of_file.checked_sub(count as u64),
        ) {
            (Some(of_row), Some(of_file)) => (self.left_of_row, self.left_of_file) = (of_row, of_file),
            _ => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(count)
    }
}
