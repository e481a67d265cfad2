//! The lines of a text, each of bounded length and in UTF-8.

use std::io::{BufRead, Read};

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// The maximum number of bytes of a line.
const MOST_BYTES: u64 = 1 << 20;
/// The maximum number of bytes of a file in which nothing is stated.
pub(crate) const MOST_UNSTATED: u64 = 16 << 20;

/// The lines of a file.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    /// The number of the line that was read last, from 1.
    pub(super) number: u64,
    left: u64,
    /// Bytes of blank lines and comments since the last other one.
    unstated: u64,
}

impl<'a> Lines<'a> {
    /// The lines of a file that has just begun.
    pub(super) fn new(input: &'a mut dyn BufRead, graph: &Graph) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            number: 0,
            left: graph.bounds.file_bytes,
            unstated: 0,
        }
    }

    /// The next line without its end; a byte order mark before the first one is no part of it.
    ///
    /// # Errors
    /// [`Stop`] for an I/O error, a line or file that is too long, and for too many blank lines and comments.
    pub(super) fn next(&mut self, graph: &mut Graph) -> Result<Option<String>, Stop> {
        while self.read(graph)? {
            let error = match std::str::from_utf8(self.line()) {
                Ok(line) => return Ok(Some(line.to_owned())),
                Err(error) => error,
            };
            let (valid, _) = self.line().split_at(error.valid_up_to());
            let column = String::from_utf8_lossy(valid).chars().count() as u64 + 1;
            let place = SourcePlace::at(self.number, column);
            graph.unreadable(Code::InvalidUtf8, place, None, "a byte that is not UTF-8")?;
        }
        Ok(None)
    }

    fn line(&self) -> &[u8] {
        let line = self.buffer.as_slice();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mark = line.strip_prefix(b"\xEF\xBB\xBF");
        mark.filter(|_| self.number == 1).unwrap_or(line)
    }

    /// Reads a line into the buffer. Returns false at the end.
    fn read(&mut self, graph: &mut Graph) -> Result<bool, Stop> {
        self.buffer.clear();
        let most = MOST_BYTES.min(self.left) + 1;
        let mut limited = (&mut *self.input).take(most);
        let read = limited.read_until(b'\n', &mut self.buffer)? as u64;
        self.number += u64::from(read > 0);
        let place = SourcePlace::at(self.number, 1);
        if read == most {
            let message = format_args!(
                "the line has more than {MOST_BYTES} bytes, or the file more than an import takes"
            );
            return Err(graph.refuse(Code::TooLarge, place, message));
        }
        self.left -= read;
        self.unstated = match self.line().trim_ascii_start() {
            [] | [b'#', ..] => self.unstated + read,
            _ => 0,
        };
        if self.unstated > MOST_UNSTATED {
            let message = format_args!("{} MiB state nothing", MOST_UNSTATED >> 20);
            return Err(graph.refuse(Code::TooLarge, place, message));
        }
        Ok(read > 0)
    }
}

/// The place of a part of a line.
pub(super) fn place(number: u64, line: &str, part: &str) -> SourcePlace {
    // Both texts lie in the same line.
    let offset = (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let before = line.get(..offset).unwrap_or(line);
    SourcePlace::at(number, before.chars().count() as u64 + 1)
}
