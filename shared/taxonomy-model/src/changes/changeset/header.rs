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

/// Ends a category, whose last member is its names by culture. No other member holds an object.
const CATEGORY_END: &[u8] = b"}}";

/// Marks the beginning of the facts, for the same reason as that of the categories.
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
    /// The bytes of the header so far.
    seen: usize,
    /// The most bytes that it may have.
    most: usize,
    state: State,
    /// Bytes of the part that is being read.
    part: Vec<u8>,
    /// The header, from its opening on.
    header: Option<Header>,
}

/// The part that is being read.
#[derive(Debug)]
enum State {
    Opening,
    Categories,
    Closing,
    Facts,
    Failed(ReadError),
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
        for byte in bytes {
            let (mark, most) = match self.state {
                State::Opening => (CATEGORIES, MAX_OPENING),
                State::Categories => (CATEGORY_END, MAX_CATEGORY),
                State::Closing => (FACTS, MAX_CLOSING),
                State::Facts | State::Failed(_) => break,
            };
            if let Err(error) = self.read(*byte, mark, most) {
                self.state = State::Failed(error);
            }
        }
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

    /// Returns the position of the list of facts, if the header is complete.
    pub(super) fn facts_begin(&self) -> usize {
        // The mark ends with the bracket that opens the list.
        self.seen.saturating_sub(1)
    }

    /// Returns the hash of all bytes and the header. The caller compares the hash with the expected id.
    ///
    /// # Errors
    /// [`ReadError`]: a damaged body or a newer format.
    pub fn finish(self) -> Result<(Hash, Header), ReadError> {
        let mut header = match (self.state, self.header) {
            (State::Facts, Some(header)) => header,
            (State::Failed(error), _) => return Err(error),
            _ => return Err(ReadError::Facts),
        };
        header.census.categories.shrink_to_fit();
        Ok((self.out.finish(), header))
    }

    /// Reads a byte of a part, which ends with a mark and has at most so many bytes before it. Byte by byte, so that the result is the same
    /// however the bytes are split.
    fn read(&mut self, byte: u8, mark: &[u8], most: usize) -> Result<(), ReadError> {
        if self.seen >= self.most {
            return Err(ReadError::TooLong(self.most));
        }
        self.seen += 1;
        self.part.push(byte);
        match self.state {
            State::Opening => check_format(&self.part)?,
            State::Categories if self.part == b"]" => {
                self.part.clear();
                self.state = State::Closing;
            }
            _ => {}
        }
        if mark.last() == Some(&byte) && self.part.ends_with(mark) {
            self.part.truncate(self.part.len() - mark.len());
            return self.end_part();
        }
        match self.part.len() > most + mark.len() {
            true => Err(ReadError::Endless),
            false => Ok(()),
        }
    }

    /// Parses a part that ended, and begins the next one.
    fn end_part(&mut self) -> Result<(), ReadError> {
        match (&mut self.header, &self.state) {
            (None, _) => {
                self.part.push(b'}');
                self.header = Some(serde_json::from_slice(&self.part)?);
                self.state = State::Categories;
            }
            (Some(Header { census, .. }), State::Categories) => {
                self.part.extend_from_slice(CATEGORY_END);
                let comma: &[u8] = if census.categories.is_empty() { b"" } else { b"," };
                let category = self.part.strip_prefix(comma);
                let category = category.filter(|category| category.starts_with(b"{"));
                let mut category: CategoryCounts = serde_json::from_slice(category.ok_or(ReadError::Facts)?)?;
                category.counts.names.share(&census.totals.counts.names);
                census.categories.push(category);
            }
            (Some(header), _) => {
                // It begins with a comma.
                let first = self.part.first_mut().filter(|first| **first == b',');
                *first.ok_or(ReadError::Facts)? = b'{';
                self.part.push(b'}');
                let closing: Closing = serde_json::from_slice(&self.part)?;
                (header.changes, header.touched) = (closing.changes, closing.touched);
                self.part = Vec::new();
                self.state = State::Facts;
            }
        }
        self.part.clear();
        Ok(())
    }
}

/// Refuses a body with this opening if its format is another than that of this build; an opening that is too short to decide passes.
fn check_format(opening: &[u8]) -> Result<(), ReadError> {
    match format_of(opening) {
        Some(format) if format != FORMAT_VERSION => Err(ReadError::Format(format)),
        _ => Ok(()),
    }
}

fn format_of(opening: &[u8]) -> Option<u32> {
    let rest = opening.strip_prefix(FORMAT)?;
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(&rest[..end]).ok()?.parse().ok()
}
