//! A bucket: entries of a lookup table, ascending by key and value; an array of keys, then one of values.

use std::ops::RangeInclusive;

use crate::ROWS;
use crate::damage::{Damaged, PartName};
use crate::file::footer::Footer;
use crate::file::part::Part;

/// The bytes of an entry.
const ENTRY: usize = 12;

/// A decoded bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    keys: Vec<u64>,
    values: Vec<u32>,
}

impl Bucket {
    /// Decodes a bucket, given the bytes of its part.
    ///
    /// # Errors
    /// [`Damaged`] if the bytes are not those of the part, or if the content is not that of a bucket.
    pub fn open(packed: &[u8], part: &Part, footer: &Footer) -> Result<Self, Damaged> {
        let name = part.name;
        if !matches!(name, PartName::Bucket(..)) {
            return Err(name.malformed("not a bucket"));
        }
        if footer.part(name) != Some(*part) {
            return Err(name.malformed("not a bucket of this file"));
        }
        let content = part.unpack(packed)?;
        let entries = content.len() / ENTRY;
        if content.len() % ENTRY != 0 || entries > ROWS {
            return Err(name.malformed("not a list of entries"));
        }
        let (keys, values) = content.split_at(8 * entries);
        let bucket = Self {
            keys: numbers(keys, u64::from_le_bytes),
            values: numbers(values, u32::from_le_bytes),
        };
        if !bucket.keys.is_sorted() {
            return Err(name.malformed("keys in another order"));
        }
        Ok(bucket)
    }

    /// The values of some keys, ascending by key and value.
    pub fn values(&self, keys: RangeInclusive<u64>) -> impl Iterator<Item = u32> {
        let start = self.keys.partition_point(|other| other < keys.start());
        let end = self.keys.partition_point(|other| other <= keys.end());
        self.values.get(start..end).unwrap_or_default().iter().copied()
    }

    /// The entry with the largest key up to `key`, the last of several; none if all keys are larger.
    pub fn predecessor(&self, key: u64) -> Option<(u64, u32)> {
        let behind = self.keys.partition_point(|other| *other <= key);
        let position = behind.checked_sub(1)?;
        Some((*self.keys.get(position)?, *self.values.get(position)?))
    }

    /// All entries, ascending by key and value.
    pub fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        self.keys.iter().copied().zip(self.values.iter().copied())
    }

    /// The bytes that it takes in memory, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.keys.len() * ENTRY
    }
}

/// Numbers of `N` bytes each.
fn numbers<T, const N: usize>(bytes: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|chunk| number(*chunk)).collect()
}

/// The stored form of entries.
pub(crate) fn encode(entries: &[(u64, u32)]) -> Vec<u8> {
    let keys = entries.iter().flat_map(|(key, _)| key.to_le_bytes());
    let values = entries.iter().flat_map(|(_, value)| value.to_le_bytes());
    keys.chain(values).collect()
}
