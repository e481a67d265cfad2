//! A column: the numbers of 8,192 ordinals, one array behind the other.

use std::ops::Range;

use taxonomy_keys::Version;

use crate::damage::{Damaged, PartName};
use crate::file::footer::Footer;
use crate::file::part::Part;

/// The numbers of an ordinal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Of a term the number of terms of its subtree, itself included; of a category the number of its terms; 0 of a removed one.
    pub span: u32,
    /// Of a category the ordinal of its first term, of a term that of its parent; none of a top term and of a removed one.
    pub first: Option<u32>,
    /// Of a term the number of its children, of a category that of its top terms; 0 of a removed one.
    pub children: u32,
    /// The version that first had the id.
    pub created_in: Version,
    /// The last version that changed it, or removed it.
    pub changed_in: Version,
    /// 1 for a top term, 0 for a category. Of a removed one the depth that it had last.
    pub depth: u8,
    /// Not to be used for new things. Every removed one is deprecated.
    pub deprecated: bool,
    /// No longer in the taxonomy.
    pub removed: bool,
}

const DEPRECATED: u8 = 1;
const REMOVED: u8 = 2;

/// The bytes of a row.
const ROW: usize = 30;

/// The bytes of a row in the arrays before that of each number.
const SPAN: usize = 0;
const FIRST: usize = 4;
const CHILDREN: usize = 8;
const CREATED_IN: usize = 12;
const CHANGED_IN: usize = 20;
const DEPTH: usize = 28;
const FLAGS: usize = 29;

/// A decoded column, in its stored form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    start: u32,
    content: Vec<u8>,
}

impl Column {
    /// Decodes a column, given the bytes of its part.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part, or if the content is not that of a column.
    pub fn open(packed: &[u8], part: &Part, footer: &Footer) -> Result<Self, Damaged> {
        let name = part.name;
        let PartName::Column(number) = name else {
            return Err(name.malformed("not a column"));
        };
        let ordinals = footer.ordinals_of_column(number);
        let ordinals = ordinals.ok_or_else(|| name.malformed("not a column of this file"))?;
        let content = part.unpack(packed)?;
        if content.len() != ordinals.len() * ROW {
            return Err(name.malformed("another number of rows than of ordinals"));
        }
        let known = 1..=footer.identity().version.get();
        let (versions, _) = content[CREATED_IN * ordinals.len()..DEPTH * ordinals.len()].as_chunks();
        if !versions
            .iter()
            .all(|version| known.contains(&u64::from_le_bytes(*version)))
        {
            return Err(name.malformed("a version that is not one up to the file's"));
        }
        Ok(Self {
            start: ordinals.start,
            content,
        })
    }

    /// The numbers of an ordinal; none if the column does not hold it.
    pub fn row(&self, ordinal: u32) -> Option<Row> {
        let position = ordinal.checked_sub(self.start)? as usize;
        if !self.ordinals().contains(&ordinal) {
            return None;
        }
        let [flags] = self.bytes_at(FLAGS, position)?;
        let first = u32::from_le_bytes(self.bytes_at(FIRST, position)?);
        Some(Row {
            span: u32::from_le_bytes(self.bytes_at(SPAN, position)?),
            first: (first != u32::MAX).then_some(first),
            children: u32::from_le_bytes(self.bytes_at(CHILDREN, position)?),
            created_in: Version::new(u64::from_le_bytes(self.bytes_at(CREATED_IN, position)?))?,
            changed_in: Version::new(u64::from_le_bytes(self.bytes_at(CHANGED_IN, position)?))?,
            depth: u8::from_le_bytes(self.bytes_at(DEPTH, position)?),
            deprecated: flags & DEPRECATED != 0,
            removed: flags & REMOVED != 0,
        })
    }

    /// The bytes of a number of a row, given the bytes of a row in the arrays before that of the number.
    fn bytes_at<const N: usize>(&self, before: usize, position: usize) -> Option<[u8; N]> {
        let array = before * (self.content.len() / ROW);
        self.content.get(array + N * position..)?.first_chunk().copied()
    }

    /// Its ordinals.
    pub fn ordinals(&self) -> Range<u32> {
        let rows = u32::try_from(self.content.len() / ROW).unwrap_or(u32::MAX);
        self.start..self.start.saturating_add(rows)
    }

    /// The bytes that it takes in memory, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.content.len()
    }
}

/// The stored form of rows.
pub(crate) fn encode(rows: &[Row]) -> Vec<u8> {
    let flag = |is_up, flag| if is_up { flag } else { 0 };
    let flags = |row: &Row| flag(row.deprecated, DEPRECATED) | flag(row.removed, REMOVED);
    let mut content = Vec::with_capacity(rows.len() * ROW);
    content.extend(rows.iter().flat_map(|row| row.span.to_le_bytes()));
    content.extend(
        rows.iter()
            .flat_map(|row| row.first.unwrap_or(u32::MAX).to_le_bytes()),
    );
    content.extend(rows.iter().flat_map(|row| row.children.to_le_bytes()));
    content.extend(rows.iter().flat_map(|row| row.created_in.get().to_le_bytes()));
    content.extend(rows.iter().flat_map(|row| row.changed_in.get().to_le_bytes()));
    content.extend(rows.iter().map(|row| row.depth));
    content.extend(rows.iter().map(flags));
    content
}
