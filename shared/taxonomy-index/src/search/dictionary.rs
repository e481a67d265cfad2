//! The dictionary: sorted keys, each with a list of postings. A block contains consecutive keys in groups, whose first keys are complete, so that
//! a key is found by halving. The other keys lack the prefix that they share with the previous one. A block and a group begin with the position of
//! the list of their first key; so a prefix is a range of positions between two lookups.

use crate::search::bytes::{Bytes, push};
use crate::search::damage::Damage;
use crate::search::part::PartId;

/// The size after which a block ends, in bytes.
const BLOCK_BYTES: usize = 16 << 10;
/// The number of keys of a group.
const GROUP_KEYS: usize = 32;
/// The size of an offset, and of the number of groups, in bytes: a block ends far before 64 KiB, also where its last key is the longest.
const OFFSET_BYTES: usize = 2;
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

impl Position {
    fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            bytes: self.bytes.checked_add(other.bytes)?,
            postings: self.postings.checked_add(other.postings)?,
        })
    }
}

/// Writes blocks.
#[derive(Debug, Default)]
pub(crate) struct DictionaryWriter {
    block: Vec<u8>,
    separator: Vec<u8>,
    last: Vec<u8>,
    at: Position,
    /// The position of the first list of the block.
    start: Position,
    /// The offset of each group, in two bytes.
    offsets: Vec<u8>,
    /// The number of keys of the last group; 0 where the next key begins one.
    keys: usize,
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
            self.start = self.at;
            push(&mut self.block, self.start.bytes);
            push(&mut self.block, self.start.postings);
        }
        if self.keys == 0 {
            let offset = u16::try_from(self.block.len()).unwrap_or(u16::MAX);
            self.offsets.extend_from_slice(&offset.to_le_bytes());
            push(&mut self.block, self.at.bytes - self.start.bytes);
            push(&mut self.block, self.at.postings - self.start.postings);
            shared = 0;
        }
        self.keys = (self.keys + 1) % GROUP_KEYS;
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
        self.keys = 0;
        let mut block = std::mem::take(&mut self.block);
        let groups = u16::try_from(self.offsets.len() / OFFSET_BYTES).unwrap_or(u16::MAX);
        block.append(&mut self.offsets);
        block.extend_from_slice(&groups.to_le_bytes());
        (std::mem::take(&mut self.separator), block)
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
    block: &'a [u8],
    /// The offsets of the groups.
    offsets: &'a [[u8; OFFSET_BYTES]],
    /// The position of the first list of the block.
    base: Position,
    /// The number of keys before the next one.
    before: usize,
    rest: Bytes<'a>,
    /// The last key that was read.
    pub(crate) key: Vec<u8>,
    /// The length of the prefix that it shares with the previous key, as far as the block says.
    pub(crate) shared: usize,
    /// The beginning of its list.
    pub(crate) start: Position,
    /// The end of its list.
    pub(crate) end: Position,
}

impl<'a> Keys<'a> {
    /// Starts before the first key of a part.
    pub(crate) fn new(id: PartId, block: &'a [u8]) -> Result<Self, Damage> {
        Self::parse(id, block).ok_or(unparseable(id))
    }

    fn parse(id: PartId, block: &'a [u8]) -> Option<Self> {
        let (block, groups) = block.split_last_chunk()?;
        let groups = usize::from(u16::from_le_bytes(*groups));
        let (block, offsets) = block.split_at_checked(block.len().checked_sub(groups * OFFSET_BYTES)?)?;
        let mut rest = Bytes::new(block);
        let base = position(&mut rest)?;
        Some(Self {
            id,
            block,
            offsets: offsets.as_chunks().0,
            base,
            before: 0,
            rest,
            key: Vec::new(),
            shared: 0,
            start: base,
            end: base,
        })
    }

    /// Reads the next key. Returns whether there is one.
    pub(crate) fn next(&mut self) -> Result<bool, Damage> {
        match self.rest.is_empty() {
            true => Ok(false),
            false => self.read().map(|()| true).ok_or(unparseable(self.id)),
        }
    }

    fn read(&mut self) -> Option<()> {
        if self.before.is_multiple_of(GROUP_KEYS) {
            self.end = self.base.plus(position(&mut self.rest)?)?;
        }
        self.before += 1;
        let shared = self.rest.length()?;
        let length = self.rest.length()?;
        let rest = self.rest.take(length)?;
        if shared > self.key.len() || shared + length > MAX_KEY_BYTES {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(rest);
        self.shared = shared;
        self.start = self.end;
        self.end = self.start.plus(position(&mut self.rest)?)?;
        Some(())
    }

    /// Reads up to the first key that is not less than `target`. Returns whether there is one.
    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<bool, Damage> {
        if self.before > 0 && self.key.as_slice() >= target {
            return Ok(true);
        }
        self.skip(target).ok_or(unparseable(self.id))?;
        while self.next()? {
            if self.key.as_slice() >= target {
                return Ok(true);
            }
        }
        self.start = self.end;
        Ok(false)
    }

    /// Goes on with the last group whose first key is at most `target`, if it is behind the current one.
    fn skip(&mut self, target: &[u8]) -> Option<()> {
        let (mut from, mut to) = (self.before.div_ceil(GROUP_KEYS), self.offsets.len());
        let next = from;
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.first_key(middle)? <= target {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        if from > next {
            self.before = (from - 1) * GROUP_KEYS;
            self.rest = self.group(from - 1)?;
        }
        Some(())
    }

    fn group(&self, number: usize) -> Option<Bytes<'a>> {
        let offset = u16::from_le_bytes(*self.offsets.get(number)?);
        Some(Bytes::new(self.block.get(offset.into()..)?))
    }

    fn first_key(&self, group: usize) -> Option<&'a [u8]> {
        let mut bytes = self.group(group)?;
        position(&mut bytes)?;
        let (_, length) = (bytes.length()?, bytes.length()?);
        bytes.take(length)
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
    fn a_reader_that_seeks_reads_as_one_that_reads_all() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut writer = DictionaryWriter::default();
        let mut keys: Vec<String> = (0..900).map(|_| format!("{:x}", rng.u32(..1 << 12))).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in &keys {
            assert_eq!(writer.push(key.as_bytes(), 3, 2), None);
        }
        let (_, block) = writer.finish().unwrap();
        for _ in 0..500 {
            let mut found = Keys::new(PartId(0), &block).unwrap();
            let mut targets: Vec<String> = (0..6).map(|_| format!("{:x}", rng.u32(..1 << 13))).collect();
            targets.sort_unstable();
            for target in targets {
                let expect = keys.partition_point(|key| *key < target);
                assert_eq!(found.seek(target.as_bytes()), Ok(expect < keys.len()));
                assert_eq!(found.start.bytes, 3 * expect as u64, "{target}");
                if expect < keys.len() {
                    assert_eq!(found.key, keys[expect].as_bytes());
                }
            }
        }
    }
}
