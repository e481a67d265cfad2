//! A column: the numbers of 8,192 ordinals, one array behind the other.

use std::ops::Range;

use taxonomy_keys::Version;

use crate::ROWS;
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
const ROW: usize = 26;

/// A decoded column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    start: u32,
    span: Vec<u32>,
    first: Vec<u32>,
    created_in: Vec<u64>,
    changed_in: Vec<u64>,
    depth: Vec<u8>,
    flags: Vec<u8>,
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
        let column = Self::decode(&content, ordinals);
        let versions = 1..=footer.identity().version.get();
        let is_known = |version: &u64| versions.contains(version);
        if !column.created_in.iter().chain(&column.changed_in).all(is_known) {
            return Err(name.malformed("a version that is not one up to the file's"));
        }
        Ok(column)
    }

    fn decode(content: &[u8], ordinals: Range<u32>) -> Self {
        let rows = ordinals.len();
        let (span, rest) = content.split_at(4 * rows);
        let (first, rest) = rest.split_at(4 * rows);
        let (created_in, rest) = rest.split_at(8 * rows);
        let (changed_in, rest) = rest.split_at(8 * rows);
        let (depth, flags) = rest.split_at(rows);
        Self {
            start: ordinals.start,
            span: numbers(span, u32::from_le_bytes),
            first: numbers(first, u32::from_le_bytes),
            created_in: numbers(created_in, u64::from_le_bytes),
            changed_in: numbers(changed_in, u64::from_le_bytes),
            depth: depth.to_vec(),
            flags: flags.to_vec(),
        }
    }

    /// The numbers of an ordinal; none if the column does not hold it.
    #[must_use]
    pub fn row(&self, ordinal: u32) -> Option<Row> {
        let position = ordinal.checked_sub(self.start)? as usize;
        let flags = *self.flags.get(position)?;
        let first = *self.first.get(position)?;
        Some(Row {
            span: *self.span.get(position)?,
            first: (first != u32::MAX).then_some(first),
            created_in: Version::new(*self.created_in.get(position)?)?,
            changed_in: Version::new(*self.changed_in.get(position)?)?,
            depth: *self.depth.get(position)?,
            deprecated: flags & DEPRECATED != 0,
            removed: flags & REMOVED != 0,
        })
    }

    /// Its ordinals.
    #[must_use]
    pub fn ordinals(&self) -> Range<u32> {
        let rows = u32::try_from(self.flags.len()).unwrap_or(u32::MAX);
        self.start..self.start.saturating_add(rows)
    }

    /// The bytes that it takes in memory, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.flags.len() * ROW
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &Row) {
        self.span.push(row.span);
        self.first.push(row.first.unwrap_or(u32::MAX));
        self.created_in.push(row.created_in.get());
        self.changed_in.push(row.changed_in.get());
        self.depth.push(row.depth);
        let flag = |is_up, flag| if is_up { flag } else { 0 };
        self.flags
            .push(flag(row.deprecated, DEPRECATED) | flag(row.removed, REMOVED));
    }

    pub(crate) fn is_full(&self) -> bool {
        self.flags.len() >= ROWS
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// The last version in which anything in it changed.
    pub(crate) fn last_change(&self) -> u64 {
        self.changed_in.iter().copied().max().unwrap_or_default()
    }

    /// The stored form.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let small = |numbers: &[u32]| {
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let large = |numbers: &[u64]| {
            numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect::<Vec<u8>>()
        };
        let [span, first] = [&self.span, &self.first].map(|numbers| small(numbers));
        let [created_in, changed_in] = [&self.created_in, &self.changed_in].map(|numbers| large(numbers));
        [&span, &first, &created_in, &changed_in, &self.depth, &self.flags]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }
}

/// Numbers of `N` bytes each.
pub(crate) fn numbers<T, const N: usize>(bytes: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|chunk| number(*chunk)).collect()
}
