//! Writes the counts of categories.

use std::collections::BTreeMap;

use taxonomy_model::Census;

use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::file::body::Writer;
use crate::file::counted::StoredCounts;
use crate::file::list::List;

/// The maximum number of categories of a part, and the most bytes of their JSON: with names in 500 cultures of long tags one takes 20 KB.
const A_PART: usize = 64;
const PART_BYTES: usize = 512 << 10;

/// Writes the counts of every category that the version or one before it has, by the file of the version before.
pub(crate) fn write(writer: &mut Writer, source: &Source<'_>, census: Census) -> Result<List, BuildError> {
    let mut parts = Parts {
        writer,
        list: List::default(),
        first: 0,
        open: Vec::with_capacity(A_PART),
        bytes: 0,
    };
    for counted in counted(source, census)?.values() {
        parts.push(counted)?;
    }
    parts.end()?;
    Ok(parts.list)
}

/// The counts of every category, by its id.
fn counted(source: &Source<'_>, census: Census) -> Result<BTreeMap<u64, StoredCounts>, BuildError> {
    let mut counted = BTreeMap::new();
    if let Some(previous) = source.previous {
        for number in 0..previous.file.footer().counts_parts() {
            let before = previous.file.counts(number)?.categories.into_iter();
            let removed = before.map(|before| StoredCounts {
                counts: None,
                ..before
            });
            counted.extend(removed.map(|removed| (removed.id, removed)));
        }
    }
    let touched_in = source.identity.version;
    for category in census.categories {
        let new = StoredCounts {
            id: category.id,
            touched_in,
            counts: None,
        };
        counted.entry(category.id).or_insert(new).counts = Some(category.counts);
    }
    for category in counted.values_mut() {
        if source.changed.touches(category.id) {
            category.touched_in = touched_in;
        }
    }
    Ok(counted)
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
        let content = [b"[".as_slice(), &self.open.join(&b','), b"]"].concat();
        let kind = (PartName::Counts as fn(u32) -> PartName, "parts of counts");
        self.writer.add(&mut self.list, kind, &content)?;
        self.list.first.push(self.first);
        self.open.clear();
        self.bytes = 0;
        Ok(())
    }
}
