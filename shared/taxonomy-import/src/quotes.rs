//! Sees a quote of a CSV file that is not closed. Readers take the rest of the file for one cell then, and say nothing.

use std::io::{self, Read};

/// Where a byte stands (RFC 4180); quotes inside of a cell without quotes are text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Plain,
    Quoted,
}

impl State {
    fn after(self, byte: u8, delimiter: u8) -> Self {
        let ends = byte == delimiter || matches!(byte, b'\n' | b'\r');
        match (self, byte) {
            // The end of the cell, or the first half of a quote in it: the second half opens it again.
            (Self::Quoted, b'"') => Self::Begin,
            (Self::Quoted, _) | (Self::Begin, b'"') => Self::Quoted,
            _ if ends => Self::Begin,
            _ => Self::Plain,
        }
    }
}

/// Passes bytes on, and sees where the quotes are.
pub(crate) struct Quotes<R> {
    pub(crate) inner: R,
    delimiter: u8,
    state: State,
    last: Option<u8>,
}

impl<R> Quotes<R> {
    pub(crate) fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            state: State::Begin,
            last: None,
        }
    }

    /// Returns true if the bytes so far end inside quotes.
    pub(crate) fn is_open(&self) -> bool {
        self.state == State::Quoted
    }

    /// Returns true if the bytes so far end with a whole line.
    pub(crate) fn is_whole(&self) -> bool {
        self.last == Some(b'\n') && !self.is_open()
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        for byte in into.iter().take(read) {
            self.state = self.state.after(*byte, self.delimiter);
            self.last = Some(*byte);
        }
        Ok(read)
    }
}
