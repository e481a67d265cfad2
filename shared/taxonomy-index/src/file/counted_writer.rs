//! Writes the counts of categories.

use taxonomy_keys::Version;
use taxonomy_model::{CategoryCounts, Census};

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
    let version = source.identity.version;
    let stored = |id, touched_in, counts| StoredCounts {
        id,
        touched_in: if source.changed.touches(id) {
            version
        } else {
            touched_in
        },
        counts,
    };
    let mut earlier = earlier(source)?.into_iter().peekable();
    for CategoryCounts { id, counts } in census.categories {
        while let Some((gone, touched_in)) = earlier.next_if(|(before, _)| *before < id) {
            parts.push(&stored(gone, touched_in, None))?;
        }
        let before = earlier.next_if(|(before, _)| *before == id);
        let touched_in = before.map_or(version, |(_, touched_in)| touched_in);
        parts.push(&stored(id, touched_in, Some(counts)))?;
    }
    for (gone, touched_in) in earlier {
        parts.push(&stored(gone, touched_in, None))?;
    }
    parts.end()?;
    Ok(parts.list)
}

/// Returns the categories of the file before, ascending, with the versions that touched them last. Their counts would take ten times the memory.
fn earlier(source: &Source<'_>) -> Result<Vec<(u64, Version)>, BuildError> {
    let mut earlier = Vec::new();
    if let Some(previous) = source.previous {
        for number in 0..previous.file.footer().counts_parts() {
            let part = previous.file.counts(number)?.categories.into_iter();
            earlier.extend(part.map(|category| (category.id, category.touched_in)));
        }
    }
    Ok(earlier)
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
