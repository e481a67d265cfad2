//! Writing blocks: records in the order of ordinals, with the names of everything above the first of a block.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture};
use taxonomy_model::{Category, Details, Record, Term, attribute};

use crate::build::Source;
use crate::build_error::BuildError;
use crate::damage::PartName;
use crate::file::body::FileWriter;
use crate::file::list::PartList;
use crate::file::past::{Gone, Past};
use crate::key::name_key;

/// A block ends when its records take so many bytes, or twice those of everything above its first record, up to [`MAX_TARGET`].
const TARGET: usize = 32 << 10;

/// Records of a block take at most so many bytes and those of one record.
pub(crate) const MAX_TARGET: usize = 16 << 20;

/// The blocks of a file, and what the tables need of removed nodes, which are read here alone.
pub(crate) struct Written {
    pub(crate) blocks: PartList,
    /// The key of the last name of each, with its ordinal.
    pub(crate) removed_names: Vec<(u64, u32)>,
}

/// The name in a tombstone.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct LastName {
    culture: Culture,
    name: String,
}

/// Writes all blocks. `gone` are the categories and terms that no longer exist, in the order of their ordinals.
pub(crate) fn write(
    writer: &mut FileWriter,
    source: &Source<'_>,
    past: &Past<'_>,
    gone: &[Gone],
) -> Result<Written, BuildError> {
    let mut blocks = Blocks {
        writer,
        list: PartList::default(),
        ordinal: 0,
        kind: "records",
        open: OpenBlock::default(),
    };
    for category in source.order.categories_of(source.taxonomy) {
        blocks.begin(None)?;
        blocks.push(&Record::of_category(category))?;
    }
    blocks.end()?;
    for term in source.order.terms_of(source.taxonomy) {
        blocks.begin(Some(term))?;
        blocks.open.category(term.category())?;
        blocks.push(&Record::of_term(term))?;
    }
    blocks.end()?;
    blocks.kind = "removed";
    let mut removed_names = Vec::with_capacity(gone.len());
    for gone in gone.chunk_by(|one, next| one.is_category() == next.is_category()) {
        let mut block = None;
        for gone in gone {
            blocks.begin(None)?;
            let removed = past.tombstone(gone, &mut block)?;
            let last: LastName =
                attribute::read(removed.item.clone()).map_err(|error| PartName::Footer.malformed(error))?;
            removed_names.push((name_key(&last.culture, &last.name), blocks.ordinal));
            blocks.push(&removed)?;
        }
        blocks.end()?;
    }
    Ok(Written {
        blocks: blocks.list,
        removed_names,
    })
}

struct Blocks<'w> {
    writer: &'w mut FileWriter,
    list: PartList,
    /// The next one.
    ordinal: u32,
    /// The name of the array of its own records.
    kind: &'static str,
    open: OpenBlock,
}

/// A block under construction: the members of its arrays as JSON.
#[derive(Default)]
struct OpenBlock {
    first: u32,
    /// The bytes of categories and records with which the block is full.
    target: usize,
    last_category: Option<CategoryId>,
    categories: Vec<u8>,
    ancestors: Vec<u8>,
    records: Vec<u8>,
}

impl Blocks<'_> {
    /// Opens a block if none is open, and writes the nodes above its first term to a new one.
    fn begin(&mut self, term: Option<Term<'_>>) -> Result<(), BuildError> {
        let open = &mut self.open;
        if !open.records.is_empty() && open.categories.len() + open.records.len() >= open.target {
            self.end()?;
        }
        let open = &mut self.open;
        if open.records.is_empty() {
            open.first = self.ordinal;
            term.map_or(Ok(()), |term| open.above(term))?;
            let above = open.categories.len() + open.ancestors.len();
            open.target = open.categories.len() + (2 * above).clamp(TARGET, MAX_TARGET);
        }
        Ok(())
    }

    /// Adds the record of the next ordinal.
    fn push(&mut self, record: &impl Serialize) -> Result<(), BuildError> {
        self.ordinal = self.ordinal.saturating_add(1);
        member(&mut self.open.records, record)
    }

    /// Writes the open block, if there is one.
    fn end(&mut self) -> Result<(), BuildError> {
        let open = std::mem::take(&mut self.open);
        if open.records.is_empty() {
            return Ok(());
        }
        let first = open.first;
        self.writer.add(
            &mut self.list,
            (PartName::Block, "blocks"),
            &open.content(self.kind),
        )?;
        self.list.first.push(first.into());
        Ok(())
    }
}

impl OpenBlock {
    /// Adds the category and the ancestors of the first record, topmost first, without their optional fields.
    fn above(&mut self, term: Term<'_>) -> Result<(), BuildError> {
        self.category(term.category())?;
        let mut ancestors: Vec<Term<'_>> = term.ancestors().collect();
        ancestors.reverse();
        for ancestor in ancestors {
            member(&mut self.ancestors, &named(Record::of_term(ancestor)))?;
        }
        Ok(())
    }

    /// Adds the category of the next record, unless it is that of the record before.
    fn category(&mut self, category: Category<'_>) -> Result<(), BuildError> {
        if self.last_category == Some(category.id()) {
            return Ok(());
        }
        self.last_category = Some(category.id());
        member(&mut self.categories, &named(Record::of_category(category)))
    }

    fn content(self, kind: &str) -> Vec<u8> {
        let arrays = [
            ("categories", self.categories),
            ("ancestors", self.ancestors),
            (kind, self.records),
        ];
        let mut content =
            Vec::with_capacity(64 + arrays.iter().map(|(_, members)| members.len()).sum::<usize>());
        for (name, members) in arrays.iter().filter(|(_, members)| !members.is_empty()) {
            content.push(if content.is_empty() { b'{' } else { b',' });
            content.extend_from_slice(format!("\"{name}\":[").as_bytes());
            content.extend_from_slice(members);
            content.push(b']');
        }
        content.push(b'}');
        content
    }
}

/// A record without its optional fields.
fn named(record: Record) -> Record {
    Record {
        details: Details::default(),
        ..record
    }
}

/// Adds a member to an array.
fn member(array: &mut Vec<u8>, value: &impl Serialize) -> Result<(), BuildError> {
    if !array.is_empty() {
        array.push(b',');
    }
    serde_json::to_writer(array, value).map_err(BuildError::Json)
}
