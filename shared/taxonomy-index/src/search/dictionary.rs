//! The dictionary: sorted keys, each with a list of postings. A block contains consecutive keys, each without the prefix that it shares
//! with the previous key, and the position of the list of its first key; so a prefix is a range of positions between two lookups.

use crate::search::bytes::{Bytes, push};
use crate::search::damage::Damage;
use crate::search::part::PartId;

/// The size after which a block ends, in bytes.
const BLOCK_BYTES: usize = 16 << 10;
/// The longest key, in bytes; the longest one that is written has 257 letters with four marks each.
const MAX_KEY_BYTES: usize = 8 << 10;

/// A position in the stream of all lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    /// In bytes.
    pub(crate) bytes: u64,
    /// In postings.
    pub(crate) postings: u64,
}

/// Writes blocks.
#[derive(Debug, Default)]
pub(crate) struct DictionaryWriter {
    block: Vec<u8>,
    separator: Vec<u8>,
    last: Vec<u8>,
    at: Position,
}

/// A block with the least key that it may contain.
pub(crate) type DictionaryBlock = (Vec<u8>, Vec<u8>);

impl DictionaryWriter {
    /// Appends a key, which must be greater than all before it, and the length of its list. Returns the block that it completes.
    pub(crate) fn push(&mut self, key: &[u8], bytes: u64, postings: u64) -> Option<DictionaryBlock> {
        debug_assert!(self.last.as_slice() < key, "keys ascend");
        let mut shared = common(&self.last, key);
        if self.block.is_empty() {
            self.separator = match self.last.is_empty() {
                true => Vec::new(),
                false => key[..shared + 1].to_vec(),
            };
            push(&mut self.block, self.at.bytes);
            push(&mut self.block, self.at.postings);
            shared = 0;
        }
        push(&mut self.block, shared as u64);
        push(&mut self.block, (key.len() - shared) as u64);
        self.block.extend_from_slice(&key[shared..]);
        push(&mut self.block, bytes);
        push(&mut self.block, postings);
        self.at.bytes += bytes;
        self.at.postings += postings;
        self.last = key.to_vec();
        (self.block.len() >= BLOCK_BYTES).then(|| self.take())
    }

    /// Returns the last block.
    pub(crate) fn finish(&mut self) -> Option<DictionaryBlock> {
        (!self.block.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> DictionaryBlock {
        (
            std::mem::take(&mut self.separator),
            std::mem::take(&mut self.block),
        )
    }
}

/// Returns the length of the common prefix of two keys.
pub(crate) fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The keys of a block, in their order.
#[derive(Debug)]
pub(crate) struct Keys<'a> {
    id: PartId,
    bytes: Bytes<'a>,
    /// The last key that was read.
    pub(crate) key: Vec<u8>,
    /// The length of the prefix that it shares with the previous key.
    pub(crate) shared: usize,
    /// The beginning of its list.
    pub(crate) start: Position,
    /// The end of its list.
    pub(crate) end: Position,
}

impl<'a> Keys<'a> {
    /// Starts before the first key of a part.
    pub(crate) fn new(id: PartId, block: &'a [u8]) -> Result<Self, Damage> {
        let mut bytes = Bytes::new(block);
        let start = position(&mut bytes).ok_or(unparseable(id))?;
        Ok(Self {
            id,
            bytes,
            key: Vec::new(),
            shared: 0,
            start,
            end: start,
        })
    }

    /// Reads the next key. Returns whether there is one.
    pub(crate) fn next(&mut self) -> Result<bool, Damage> {
        match self.bytes.is_empty() {
            true => Ok(false),
            false => self.read().map(|()| true).ok_or(unparseable(self.id)),
        }
    }

    fn read(&mut self) -> Option<()> {
        let shared = self.bytes.length()?;
        let length = self.bytes.length()?;
        let rest = self.bytes.take(length)?;
        if shared > self.key.len() || shared + length > MAX_KEY_BYTES {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(rest);
        self.shared = shared;
        self.start = self.end;
        let list = position(&mut self.bytes)?;
        self.end = Position {
            bytes: self.start.bytes.checked_add(list.bytes)?,
            postings: self.start.postings.checked_add(list.postings)?,
        };
        Some(())
    }

    /// Reads up to the first key that is not less than `target`. Returns whether there is one.
    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<bool, Damage> {
        while self.key.as_slice() < target {
            if !self.next()? {
                self.start = self.end;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn position(bytes: &mut Bytes<'_>) -> Option<Position> {
    Some(Position {
        bytes: bytes.number()?,
        postings: bytes.number()?,
    })
}

fn unparseable(id: PartId) -> Damage {
    Damage::in_part(id, "does not parse")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_with_its_list_and_separators_divide_blocks() {
        let mut writer = DictionaryWriter::default();
        let keys: Vec<String> = (0..9000).map(|number| format!("key {number:05}")).collect();
        let mut blocks: Vec<DictionaryBlock> = keys
            .iter()
            .filter_map(|key| writer.push(key.as_bytes(), 3, 2))
            .collect();
        blocks.extend(writer.finish());
        assert!(blocks.len() > 2, "{}", blocks.len());
        for (number, key) in keys.iter().enumerate().step_by(13) {
            let block = blocks.partition_point(|(separator, _)| separator.as_slice() <= key.as_bytes()) - 1;
            let mut found = Keys::new(PartId(0), &blocks[block].1).unwrap();
            assert_eq!(found.seek(key.as_bytes()), Ok(true));
            assert_eq!(found.key, key.as_bytes());
            assert_eq!(found.start.bytes, 3 * number as u64);
            assert_eq!(found.end.postings, 2 * (number as u64 + 1));
        }
    }
}
