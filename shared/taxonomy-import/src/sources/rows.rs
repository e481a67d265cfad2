//! The rows of a CSV file, each of bounded length.

use std::io::{self, BufRead, Read};

use csv::{ByteRecord, Position, ReaderBuilder, StringRecord};

use crate::concept::Place;
use crate::graph::{Graph, Stop};
use crate::quotes::Quotes;
use crate::report::Code;

/// The most bytes of a row, a little more or less by what the reader has in its buffer.
const MOST_BYTES: u64 = 4 << 20;

/// The rows of a file.
pub(super) struct Rows<'a> {
    reader: csv::Reader<Quotes<Metered<'a>>>,
    record: ByteRecord,
    last: u64,
}

/// Ends rows that have no end.
struct Metered<'a> {
    input: &'a mut dyn BufRead,
    left_of_row: u64,
    left_of_file: u64,
}

impl Read for Metered<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        let left = [self.left_of_row, self.left_of_file].map(|left| left.checked_sub(read as u64));
        let [Some(of_row), Some(of_file)] = left else {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large"));
        };
        (self.left_of_row, self.left_of_file) = (of_row, of_file);
        Ok(read)
    }
}

impl<'a> Rows<'a> {
    /// The rows of a file that has just begun.
    pub(super) fn of(input: &'a mut dyn BufRead, delimiter: u8, graph: &Graph) -> Self {
        let metered = Metered {
            input,
            left_of_row: MOST_BYTES,
            left_of_file: graph.bounds().file_bytes,
        };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        Self {
            reader: builder.from_reader(Quotes::new(metered, delimiter)),
            record: ByteRecord::new(),
            last: 1,
        }
    }

    /// The next row and the line on which it begins.
    ///
    /// # Errors
    /// [`Stop`] for an I/O error, a row or file that is too long, a quote that is not closed, and bytes that are no UTF-8.
    pub(super) fn next(&mut self, graph: &mut Graph) -> Result<Option<(u64, StringRecord)>, Stop> {
        self.reader.get_mut().inner.left_of_row = MOST_BYTES;
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) if self.reader.get_ref().is_open() => {
                let message = || "a quote is not closed".to_owned();
                return Err(graph.refuse(Code::Malformed, Place::at(self.last, 1), message));
            }
            Ok(false) => return Ok(None),
            Err(error) => return Err(stop(error, self.reader.position().line(), graph)),
        }
        self.last = self.record.position().map_or(self.last, Position::line);
        match StringRecord::from_byte_record(self.record.clone()) {
            Ok(record) => Ok(Some((self.last, record))),
            Err(error) => {
                let cell = error.utf8_error().field() + 1;
                let message = || format!("cell {cell} of the row is no UTF-8");
                Err(graph.refuse(Code::InvalidUtf8, Place::at(self.last, 1), message))
            }
        }
    }
}

/// Passes over a byte order mark.
///
/// # Errors
/// [`Stop::Io`].
pub(super) fn skip_mark(input: &mut dyn BufRead) -> Result<(), Stop> {
    let mark = b"\xEF\xBB\xBF";
    if input.fill_buf()?.starts_with(mark) {
        input.consume(mark.len());
    }
    Ok(())
}

fn stop(error: csv::Error, line: u64, graph: &mut Graph) -> Stop {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            graph.refuse(Code::TooLarge, Place::at(line, 1), || {
                format!("the row has more than {MOST_BYTES} bytes, or the file more than an import takes")
            })
        }
        csv::ErrorKind::Io(error) => Stop::Io(error),
        _ => graph.refuse(Code::Malformed, Place::at(line, 1), || message),
    }
}
