//! Writes the counts of categories.

use std::collections::BTreeMap;

use taxonomy_model::Census;

use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::file::body::FileWriter;
use crate::file::counted::StoredCounts;
use crate::file::list::PartList;

/// The maximum number of categories of a part, and the most bytes of their JSON: with names in 500 cultures of long tags one takes 20 KB.
const A_PART: usize = 64;
const PART_BYTES: usize = 512 << 10;

/// Writes the counts of every category that the version or one before it has, by the file of the version before.
pub(crate) fn write(
    writer: &mut FileWriter,
    source: &Source<'_>,
    census: Census,
) -> Result<PartList, BuildError> {
    let mut parts = Parts {
        writer,
        list: PartList::default(),
        open: Vec::with_capacity(A_PART),
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
    writer: &'w mut FileWriter,
    list: PartList,
    /// The categories of the open part, by their ids, as JSON.
    open: Vec<(u64, Vec<u8>)>,
}

impl Parts<'_> {
    fn push(&mut self, counted: &StoredCounts) -> Result<(), BuildError> {
        let json = serde_json::to_vec(counted).map_err(BuildError::Json)?;
        let bytes: usize = self.open.iter().map(|(_, json)| json.len() + 1).sum();
        if self.open.len() >= A_PART || bytes + json.len() > PART_BYTES {
            self.end()?;
        }
        self.open.push((counted.id, json));
        Ok(())
    }

    fn end(&mut self) -> Result<(), BuildError> {
        let (ids, open): (Vec<u64>, Vec<Vec<u8>>) = self.open.drain(..).unzip();
        let Some(first) = ids.first() else {
            return Ok(());
        };
        let content = [b"[".as_slice(), &open.join(&b','), b"]"].concat();
        let kind = (PartName::Counts, "parts of counts");
        self.writer.add(&mut self.list, kind, &content)?;
        self.list.first.push(*first);
        Ok(())
    }
}
