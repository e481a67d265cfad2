//! Writes the counts of categories.

use taxonomy_keys::Version;
use taxonomy_model::{CategoryCounts, Census};

use crate::build_error::BuildError;
use crate::damage::{Damaged, PartName};
use crate::file::File;
use crate::file::body::Writer;
use crate::file::changed::Changed;
use crate::file::counted::StoredCounts;
use crate::file::list::List;

/// The maximum number of categories of a part, and the most bytes of their JSON: with names in 500 cultures of long tags one takes 20 KB.
const A_PART: usize = 64;
const PART_BYTES: usize = 512 << 10;

/// Writes the counts of every category that the version or one before it has, by the file of the version before.
pub(crate) fn write(
    writer: &mut Writer,
    version: Version,
    census: Census,
    changed: &Changed,
    previous: Option<&File<'_>>,
) -> Result<List, BuildError> {
    let mut parts = Parts {
        writer,
        list: List::default(),
        first: 0,
        open: Vec::with_capacity(A_PART),
        bytes: 0,
    };
    let mut before = Earlier::new(previous);
    for counts in census.categories {
        while let Some((id, touched)) = before.next_below(counts.id)? {
            parts.push(&gone(id, touched, version, changed))?;
        }
        let touched = before.take(counts.id)?;
        parts.push(&live(counts, touched, version, changed))?;
    }
    while let Some((id, touched)) = before.next_below(u64::MAX)? {
        parts.push(&gone(id, touched, version, changed))?;
    }
    parts.end()?;
    Ok(parts.list)
}

fn live(
    CategoryCounts { id, counts }: CategoryCounts,
    before: Option<Version>,
    version: Version,
    changed: &Changed,
) -> StoredCounts {
    let kept = before.filter(|_| !changed.touches(id));
    StoredCounts {
        id,
        touched_in: kept.unwrap_or(version),
        counts: Some(counts),
    }
}

fn gone(id: u64, before: Version, version: Version, changed: &Changed) -> StoredCounts {
    StoredCounts {
        id,
        touched_in: if changed.touches(id) { version } else { before },
        counts: None,
    }
}

/// The parts of a file under construction.
struct Parts<'w> {
    writer: &'w mut Writer,
    list: List,
    /// The open part: the id of its first category, and the JSON of all that it has.
    first: u64,
    open: Vec<Vec<u8>>,
    bytes: usize,
}

impl Parts<'_> {
    fn push(&mut self, counted: &StoredCounts) -> Result<(), BuildError> {
        let json = serde_json::to_vec(counted).map_err(BuildError::Json)?;
        if self.open.len() >= A_PART || self.bytes + json.len() > PART_BYTES {
            self.end()?;
        }
        if self.open.is_empty() {
            self.first = counted.id;
        }
        self.bytes += json.len() + 1;
        self.open.push(json);
        Ok(())
    }

    fn end(&mut self) -> Result<(), BuildError> {
        if self.open.is_empty() {
            return Ok(());
        }
        let number = u32::try_from(self.list.len()).map_err(|_| BuildError::TooMany("parts of counts"))?;
        let content = [b"[".as_slice(), &self.open.join(&b','), b"]"].concat();
        let part = self.writer.add(PartName::Counts(number), &content)?;
        self.list.push(part);
        self.list.first.push(self.first);
        self.open.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// The categories of the file before, ascending, with one part of them in memory.
struct Earlier<'a> {
    file: Option<&'a File<'a>>,
    next: u32,
    part: std::vec::IntoIter<StoredCounts>,
    ahead: Option<StoredCounts>,
}

impl<'a> Earlier<'a> {
    fn new(file: Option<&'a File<'a>>) -> Self {
        Self {
            file,
            next: 0,
            part: Vec::new().into_iter(),
            ahead: None,
        }
    }

    fn peek(&mut self) -> Result<Option<&StoredCounts>, Damaged> {
        if self.ahead.is_none() {
            self.ahead = self.read()?;
        }
        Ok(self.ahead.as_ref())
    }

    fn read(&mut self) -> Result<Option<StoredCounts>, Damaged> {
        let Some(file) = self.file else {
            return Ok(None);
        };
        loop {
            if let Some(counted) = self.part.next() {
                return Ok(Some(counted));
            }
            if self.next >= file.footer().counts_parts() {
                return Ok(None);
            }
            self.part = file.counts(self.next)?.categories.into_iter();
            self.next += 1;
        }
    }

    /// The next category below an id, which the version then does not have, and the version that touched it last.
    fn next_below(&mut self, id: u64) -> Result<Option<(u64, Version)>, Damaged> {
        let found = self.peek()?.filter(|counted| counted.id < id);
        let found = found.map(|counted| (counted.id, counted.touched_in));
        if found.is_some() {
            self.ahead = None;
        }
        Ok(found)
    }

    /// The version that touched a category last, if the file has it.
    fn take(&mut self, id: u64) -> Result<Option<Version>, Damaged> {
        let found = self.peek()?.filter(|counted| counted.id == id);
        let touched = found.map(|counted| counted.touched_in);
        if touched.is_some() {
            self.ahead = None;
        }
        Ok(touched)
    }
}
