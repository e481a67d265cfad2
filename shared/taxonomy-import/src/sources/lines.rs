//! The lines of a text, each of bounded length and in UTF-8.

use std::io::{BufRead, Read};

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// The maximum number of bytes of a line.
pub(super) const MOST_BYTES: u64 = 1 << 20;

/// The lines of a file.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    /// The number of the line that was read last, from 1.
    pub(super) number: u64,
    left: u64,
}

impl<'a> Lines<'a> {
    /// The lines of a file that has just begun.
    pub(super) fn new(input: &'a mut dyn BufRead, graph: &Graph) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            number: 0,
            left: graph.bounds.file_bytes,
        }
    }

    /// The next line without its end; a byte order mark before the first one is no part of it.
    ///
    /// # Errors
    /// [`Stop`] for an I/O error, a line or file that is too long, and bytes that are no UTF-8.
    pub(super) fn next(&mut self, graph: &mut Graph) -> Result<Option<&str>, Stop> {
        self.buffer.clear();
        let most = MOST_BYTES.min(self.left) + 1;
        let read = (&mut *self.input)
            .take(most)
            .read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let place = SourcePlace::at(self.number, 1);
        if read as u64 == most {
            let message = format_args!(
                "the line has more than {MOST_BYTES} bytes, or the file more than an import takes"
            );
            return Err(graph.refuse(Code::TooLarge, place, message));
        }
        self.left -= read as u64;
        let mut line = self.buffer.as_slice();
        line = line.strip_suffix(b"\n").unwrap_or(line);
        line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.number == 1 {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(error) => {
                let (valid, _) = line.split_at(error.valid_up_to());
                let column = String::from_utf8_lossy(valid).chars().count() as u64 + 1;
                let place = SourcePlace::at(self.number, column);
                Err(graph.refuse(Code::InvalidUtf8, place, "a byte that is no UTF-8"))
            }
        }
    }
}

/// The place of a part of a line.
pub(super) fn place(number: u64, line: &str, part: &str) -> SourcePlace {
    // Both texts lie in the same line.
    let offset = (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let before = line.get(..offset).unwrap_or(line);
    SourcePlace::at(number, before.chars().count() as u64 + 1)
}
