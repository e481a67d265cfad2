//! The bytes of a file in short pieces, most of them one line, so that the place of a statement is known: parsers read more bytes
//! only after they parsed the previous ones, and do not report the place of a statement.

use std::cell::Cell;
use std::io::{self, BufRead, Read};

use super::failure::Failure;
use super::guard::Guard;
use crate::concept::SourcePlace;

/// Bytes of a piece where the file has neither a line break nor a mark.
const LONGEST: usize = 64 << 10;
/// Bytes of any piece.
const MOST: usize = 4 << 20;
/// Bytes that a parser may look at again with each line.
const FEW: u64 = 4 << 10;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The progress of reading a file.
#[derive(Debug, Default)]
pub(super) struct ReadProgress {
    place: Cell<SourcePlace>,
    context: Cell<SourcePlace>,
    failure: Cell<Option<Failure>>,
    unstated: Cell<u64>,
}

impl ReadProgress {
    /// The place where the last piece begins, behind its white space.
    pub(super) fn place(&self) -> SourcePlace {
        self.place.get()
    }

    /// The place of the first context of JSON-LD.
    pub(super) fn context(&self) -> SourcePlace {
        self.context.get()
    }

    /// The reason for which the reading ended, beside errors of the parser and of the input itself.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure.get()
    }

    /// A statement was found.
    pub(super) fn stated(&self) {
        self.unstated.set(0);
    }
}

/// The bounds of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileBounds {
    /// Bytes of the file.
    pub(super) file: u64,
    /// Bytes in which nothing is stated: a parser holds a text, a comment or an object until it ends.
    pub(super) unstated: u64,
}

/// A reader of pieces.
pub(super) struct Pieces<'a> {
    input: &'a mut dyn BufRead,
    guard: Guard,
    bounds: FileBounds,
    piece: Vec<u8>,
    given: usize,
    /// Bytes of the piece that are checked to be whole characters.
    whole: usize,
    /// The place behind the last piece.
    line: u64,
    column: u64,
    read: u64,
    progress: &'a ReadProgress,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(
        input: &'a mut dyn BufRead,
        guard: Guard,
        bounds: FileBounds,
        progress: &'a ReadProgress,
    ) -> Self {
        Self {
            input,
            guard,
            bounds,
            piece: Vec::new(),
            given: 0,
            whole: 0,
            line: 1,
            column: 1,
            read: 0,
            progress,
        }
    }

    fn fail(&self, failure: Failure) -> io::Error {
        self.progress.failure.set(Some(failure));
        io::ErrorKind::InvalidData.into()
    }

    /// Reads the next piece behind what is left of the last one: the bytes of a character that is cut.
    fn next_piece(&mut self) -> io::Result<()> {
        let is_first = self.read == 0;
        self.piece.drain(..self.whole);
        (self.given, self.whole) = (0, 0);
        let before = self.piece.len();
        // A parser looks at a text from its beginning whenever it gets more of it, so pieces grow with what it holds.
        let held = self.guard.held(self.progress.unstated.get());
        let least = usize::try_from(held.saturating_sub(FEW) / 4).map_or(MOST, |least| least.min(MOST));
        let longest = least.max(LONGEST);
        loop {
            let bytes = self.input.fill_buf()?;
            let room = bytes.len().min(longest.saturating_sub(self.piece.len()).max(1));
            let too_few = least.saturating_sub(self.piece.len()).min(room);
            let ends = |byte: &u8| *byte == b'\n' || *byte == self.guard.mark();
            let end = bytes[too_few..room].iter().position(ends);
            let taken = end.map_or(room, |end| too_few + end + 1).min(bytes.len());
            self.piece.extend_from_slice(&bytes[..taken]);
            self.input.consume(taken);
            if end.is_some() || taken == 0 || self.piece.len() >= longest {
                break;
            }
        }
        let taken = (self.piece.len() - before) as u64;
        self.read += taken;
        let weight = self.guard.check(&self.piece[before..]);
        if is_first && self.piece.starts_with(BYTE_ORDER_MARK) {
            self.piece.drain(..BYTE_ORDER_MARK.len());
        }
        if self.read > self.bounds.file {
            return Err(self.fail(Failure::TooLarge));
        }
        self.check(taken == 0)?;
        let unstated = self.progress.unstated.get() + weight.map_err(|failure| self.fail(failure))?;
        self.progress.unstated.set(unstated);
        if unstated > self.bounds.unstated {
            return Err(self.fail(Failure::NothingStated));
        }
        Ok(())
    }

    /// Counts lines and characters of the piece, and keeps back a character that it cuts.
    fn check(&mut self, is_end: bool) -> io::Result<()> {
        let (text, invalid) = match std::str::from_utf8(&self.piece) {
            Ok(text) => (text, None),
            Err(error) => {
                let (valid, _) = self.piece.split_at(error.valid_up_to());
                let is_invalid = error.error_len().is_some() || is_end;
                (std::str::from_utf8(valid).unwrap_or_default(), Some(is_invalid))
            }
        };
        let begins = text
            .chars()
            .take_while(|c| c.is_whitespace() && *c != '\n')
            .count();
        self.progress
            .place
            .set(SourcePlace::at(self.line, self.column + begins as u64));
        self.whole = text.len();
        if self.progress.context.get() == SourcePlace::UNKNOWN && self.guard.is_context(text) {
            self.progress.context.set(self.progress.place());
        }
        let breaks = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let last = text.rsplit('\n').next().unwrap_or_default();
        self.column = last.chars().count() as u64 + if breaks == 0 { self.column } else { 1 };
        self.line += breaks;
        match invalid {
            Some(true) => Err(self.fail(Failure::InvalidUtf8(SourcePlace::at(self.line, self.column)))),
            _ => Ok(()),
        }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.whole {
            self.next_piece()?;
            // The beginning of a character is nothing to give.
            while self.whole == 0 && !self.piece.is_empty() {
                self.next_piece()?;
            }
        }
        let left = &self.piece[self.given..self.whole];
        let count = left.len().min(buffer.len());
        buffer[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::skos::guard::JsonGuard;

    const BOUNDS: FileBounds = FileBounds {
        file: 1 << 20,
        unstated: 1 << 20,
    };

    /// Each piece with the place where it begins.
    fn pieces(
        bytes: &[u8],
        guard: Guard,
        bounds: FileBounds,
    ) -> (Vec<(String, SourcePlace)>, Option<Failure>) {
        let (mut input, progress) = (bytes, ReadProgress::default());
        let mut pieces = Pieces::new(&mut input, guard, bounds, &progress);
        let mut buffer = vec![0; 2 * LONGEST];
        let mut found = Vec::new();
        while let Ok(count @ 1..) = pieces.read(&mut buffer) {
            let text = String::from_utf8(buffer[..count].to_vec()).unwrap();
            found.push((text, progress.place()));
        }
        (found, progress.failure())
    }

    #[test]
    fn a_piece_ends_with_a_line_or_behind_a_mark() {
        let text = "\u{feff}é, b\n  c,d".as_bytes();
        let (found, failure) = pieces(text, Guard::Json(JsonGuard::default()), BOUNDS);
        let expect = [("é,", 1, 1), (" b\n", 1, 4), ("  c,", 2, 3), ("d", 2, 5)];
        let expect = expect.map(|(text, line, column)| (text.to_owned(), SourcePlace::at(line, column)));
        assert_eq!((found, failure), (expect.to_vec(), None));
    }

    #[test]
    fn a_character_is_never_cut() {
        let text = format!("a{}", "é".repeat(LONGEST));
        let (found, failure) = pieces(text.as_bytes(), Guard::Turtle, BOUNDS);
        let whole: String = found.iter().map(|(text, _)| text.as_str()).collect();
        assert!(found.len() > 2 && failure.is_none());
        assert_eq!(whole, text);
    }

    #[test]
    fn reading_ends_with_a_reason() {
        let failure = |bytes: &[u8], bounds| pieces(bytes, Guard::Turtle, bounds).1.unwrap();
        let invalid = |line, column| Failure::InvalidUtf8(SourcePlace::at(line, column));
        assert_eq!(failure(b"a\nb\xffc", BOUNDS), invalid(2, 2));
        assert_eq!(failure(b"a\n\xc3", BOUNDS), invalid(2, 1));
        let bounds = |file, unstated| FileBounds { file, unstated };
        assert_eq!(failure(b"a\nb\nc", bounds(3, 99)), Failure::TooLarge);
        assert_eq!(failure(b"a\nb\nc", bounds(99, 3)), Failure::NothingStated);
    }
}
