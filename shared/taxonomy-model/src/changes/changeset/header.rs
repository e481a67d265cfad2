//! Reads the header of a changeset from a stream, in memory that depends on the counts of the header alone.
//!
//! A header is three parts: the *opening* up to the list of categories, the list, and the *closing* up to the facts. The reader parses
//! each category as soon as it is complete and forgets its bytes, and it only hashes the facts. The writer puts no white space anywhere
//! and the parts in this order, so the reader finds them by their bytes.

use std::io::{self, Write};

use serde::Deserialize;

use super::{FORMAT_VERSION, Header};
use crate::counts::census::CategoryCounts;
use crate::counts::totals::Changes;
use crate::hash::{Hash, Hashing};

/// Marks the beginning of the categories. No earlier text can contain it: a quote in a text is escaped.
const CATEGORIES: &[u8] = br#","categories":["#;

/// Marks the beginning of the facts, for the same reason.
const FACTS: &[u8] = br#","facts":["#;

/// The first bytes of every changeset.
const FORMAT: &[u8] = br#"{"formatVersion":"#;

/// The maximum number of bytes of the opening. It holds the tenant's totals: 500 cultures of 35 characters, 32 depths, three hashes and the provenance take 40 KB.
const MAX_OPENING: usize = 128 << 10;

/// The maximum number of bytes of a category's counts: the bound of the opening, for one category.
const MAX_CATEGORY: usize = 128 << 10;

/// The maximum number of bytes of the closing: ids of twice 1,100,000 categories, of 16 digits each, take 38 MB.
const MAX_CLOSING: usize = 80 << 20;

/// A stored changeset cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not of the form of a changeset.
    #[error("the changeset cannot be read")]
    Json(#[from] serde_json::Error),
    /// Written by a later build.
    #[error("changeset format {0} is not known to this build")]
    Format(u32),
    /// Its list of categories or of facts is missing or misplaced.
    #[error("the changeset has no facts")]
    Facts,
    /// A part of its header exceeds the bound of that part.
    #[error("the header of the changeset does not end")]
    Endless,
    /// The header exceeds the bound that the caller set.
    #[error("the header of the changeset takes more than {0} bytes")]
    TooLong(usize),
}

/// Reads the header from a changeset that arrives in pieces of any size, by [`Write`].
///
/// Reading the header of the largest possible taxonomy takes some hundred megabytes: 24 bytes for each category and culture and 150 for
/// each category. A failure is returned at the end, or by [`failed`](Self::failed) as soon as it occurs.
///
/// ```
/// use std::io::Write;
/// use taxonomy_model::changeset::HeaderReader;
///
/// let mut reader = HeaderReader::default();
/// reader.write_all(br#"{"formatVersion":1,"facts":[]}"#).unwrap();
/// assert!(reader.finish().is_err(), "a body without a tenant is none");
/// ```
#[derive(Debug)]
pub struct HeaderReader {
    out: Hashing<io::Sink>,
    /// Bytes that were written.
    seen: usize,
    /// The most of them that may belong to the header.
    most: usize,
    state: State,
    /// Bytes of the part that is being read.
    part: Vec<u8>,
    /// The header, from its opening on.
    header: Option<Header>,
}

/// The part that comes next.
#[derive(Debug)]
enum State {
    Opening,
    /// Before, between or after categories.
    Categories(Between),
    /// Inside a category.
    Category(Nesting),
    Closing,
    /// The facts, which begin at this position.
    Facts(usize),
    Failed(ReadError),
}

/// The kind of the bytes before a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Bracket,
    Category,
    Comma,
}

/// How deep the bytes of an object are nested.
#[derive(Debug, Default)]
struct Nesting {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
}

impl Nesting {
    /// Returns whether the object ends with this byte.
    fn ends_with(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_text => self.is_escaped = true,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth += 1,
            b'}' | b']' if !self.in_text => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0
    }
}

#[derive(Debug, Deserialize)]
struct Closing {
    changes: Changes,
    #[serde(default)]
    touched: Option<Vec<u64>>,
}

impl Default for HeaderReader {
    fn default() -> Self {
        Self::of_at_most(usize::MAX)
    }
}

impl Write for HeaderReader {
    /// Parses the bytes; never fails.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write_all(bytes)?;
        let mut rest = bytes;
        while !rest.is_empty() && !matches!(self.state, State::Facts(_) | State::Failed(_)) {
            match self.read(rest) {
                Ok(taken) => {
                    self.seen += taken;
                    rest = &rest[taken..];
                }
                Err(error) => self.state = State::Failed(error),
            }
        }
        self.seen += rest.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl HeaderReader {
    /// Creates a reader that fails with [`ReadError::TooLong`] at a header of more than `most` bytes.
    pub fn of_at_most(most: usize) -> Self {
        Self {
            out: Hashing::new(io::sink()),
            seen: 0,
            most,
            state: State::Opening,
            part: Vec::new(),
            header: None,
        }
    }

    /// Returns whether it has failed, so that reading on is useless.
    pub fn failed(&self) -> bool {
        matches!(self.state, State::Failed(_))
    }

    /// Returns the position of the list of facts, once the header is complete; until then the end of the bytes.
    pub(super) fn facts_begin(&self) -> usize {
        match self.state {
            State::Facts(begin) => begin,
            _ => self.seen,
        }
    }

    /// Returns the hash of all bytes and the header. The caller compares the hash with the expected id.
    ///
    /// # Errors
    /// [`ReadError`]: a damaged body or a newer format.
    pub fn finish(self) -> Result<(Hash, Header), ReadError> {
        let mut header = match (self.state, self.header) {
            (State::Facts(_), Some(header)) => header,
            (State::Failed(error), _) => return Err(error),
            (State::Opening, _) => return Err(format_of(&self.part).unwrap_or(ReadError::Facts)),
            _ => return Err(ReadError::Facts),
        };
        header.census.categories.shrink_to_fit();
        Ok((self.out.finish(), header))
    }

    /// Parses bytes of one part, and returns the number of consumed bytes.
    fn read(&mut self, bytes: &[u8]) -> Result<usize, ReadError> {
        if self.seen >= self.most {
            return Err(ReadError::TooLong(self.most));
        }
        // The bound is exact, however the bytes are split.
        let bytes = &bytes[..bytes.len().min(self.most - self.seen)];
        match &mut self.state {
            State::Opening => self.read_opening(bytes),
            State::Categories(before) => {
                let before = *before;
                self.read_between(before, bytes[0])
            }
            State::Category(nesting) => {
                let end = bytes.iter().position(|byte| nesting.ends_with(*byte));
                self.read_category(bytes, end)
            }
            State::Closing => self.read_closing(bytes),
            State::Facts(_) | State::Failed(_) => Ok(bytes.len()),
        }
    }

    fn read_opening(&mut self, bytes: &[u8]) -> Result<usize, ReadError> {
        let extended = self.extend(bytes, CATEGORIES, MAX_OPENING);
        if matches!(extended, Ok((_, true))) {
            self.part.push(b'}');
        }
        // Checked before length and form, so that the error is the same however the bytes are split.
        if let Some(error) = format_of(&self.part) {
            return Err(error);
        }
        let (taken, is_whole) = extended?;
        if is_whole {
            self.header = Some(serde_json::from_slice(&self.part)?);
            self.part.clear();
            self.state = State::Categories(Between::Bracket);
        }
        Ok(taken)
    }

    fn read_between(&mut self, before: Between, byte: u8) -> Result<usize, ReadError> {
        let (state, taken) = match (before, byte) {
            (Between::Category, b',') => (State::Categories(Between::Comma), 1),
            (Between::Bracket | Between::Comma, b'{') => (State::Category(Nesting::default()), 0),
            (Between::Bracket | Between::Category, b']') => (State::Closing, 1),
            _ => return Err(ReadError::Facts),
        };
        self.state = state;
        Ok(taken)
    }

    /// Consumes bytes of a category, up to its end if they contain it.
    fn read_category(&mut self, bytes: &[u8], end: Option<usize>) -> Result<usize, ReadError> {
        let taken = end.map_or(bytes.len(), |end| end + 1);
        self.part.extend_from_slice(&bytes[..taken]);
        if self.part.len() > MAX_CATEGORY {
            return Err(ReadError::Endless);
        }
        if end.is_some() {
            let mut category: CategoryCounts = serde_json::from_slice(&self.part)?;
            let census = &mut self.header.as_mut().ok_or(ReadError::Facts)?.census;
            category.counts.names.share(&census.totals.counts.names);
            census.categories.push(category);
            self.part.clear();
            self.state = State::Categories(Between::Category);
        }
        Ok(taken)
    }

    fn read_closing(&mut self, bytes: &[u8]) -> Result<usize, ReadError> {
        let (taken, is_whole) = self.extend(bytes, FACTS, MAX_CLOSING)?;
        if is_whole {
            // It begins with a comma.
            let Some(first) = self.part.first_mut().filter(|first| **first == b',') else {
                return Err(ReadError::Facts);
            };
            *first = b'{';
            self.part.push(b'}');
            let closing: Closing = serde_json::from_slice(&self.part)?;
            self.part = Vec::new();
            if let Some(header) = &mut self.header {
                (header.changes, header.touched) = (closing.changes, closing.touched);
            }
            // The mark ends with the bracket that opens the list.
            self.state = State::Facts(self.seen + taken - 1);
        }
        Ok(taken)
    }

    /// Appends bytes to the part up to a mark, which is consumed and omitted. Returns the number of consumed bytes, and whether they contained the mark.
    fn extend(&mut self, bytes: &[u8], mark: &[u8], most: usize) -> Result<(usize, bool), ReadError> {
        let before = self.part.len();
        // The mark may be split between these bytes and the previous ones.
        let from = before.saturating_sub(mark.len() - 1);
        self.part.extend_from_slice(bytes);
        let found = self.part[from..]
            .windows(mark.len())
            .position(|window| window == mark);
        let taken = match found {
            Some(at) => {
                self.part.truncate(from + at);
                from + at + mark.len() - before
            }
            None => bytes.len(),
        };
        // The last bytes may be the beginning of the mark.
        let spare = if found.is_some() { 0 } else { mark.len() - 1 };
        if self.part.len() > most + spare {
            return Err(ReadError::Endless);
        }
        Ok((taken, found.is_some()))
    }
}

/// Returns the reason why this build cannot read a body with this opening; `None` while the opening is too short to decide.
fn format_of(opening: &[u8]) -> Option<ReadError> {
    let rest = opening.strip_prefix(FORMAT)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let format = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    (format != FORMAT_VERSION).then_some(ReadError::Format(format))
}
