//! The object: parts, then the root, which lists the parts, then the footer, which contains the position of the root.

use std::ops::Range;

use crate::search::bytes::{Bytes, push};
use crate::search::damage::{Damage, DamagedPart};
use crate::search::entry::{PARTITIONS, Partition};
use crate::search::language::Language;
use crate::search::part::{CHECKSUM_BYTES, PartId, SearchPart, seal};
use crate::search::postings::PAGE_BYTES;

/// The written format, and the only one that is read.
const FORMAT: u32 = 1;
/// The length of the footer.
pub const FOOTER_BYTES: usize = 36;
/// The maximum number of bytes of a part other than the automaton. The root may be longer, and is then read in several reads.
pub const MAX_READ_BYTES: u64 = 1 << 20;
/// The maximum number of bytes of the automaton, which one read takes whole: a function has room for no larger one. An object whose names are too many
/// has none.
pub const MAX_AUTOMATON_BYTES: u64 = 32 << 20;
/// The maximum number of bytes of a root.
pub(crate) const MAX_ROOT_BYTES: u64 = 16 << 20;
const MAGIC: [u8; 8] = *b"taxsrch\n";

/// The end of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFooter {
    pub(crate) root_start: u64,
    pub(crate) root_bytes: u64,
}

impl SearchFooter {
    /// Reads the last [`FOOTER_BYTES`] of an object of this length.
    ///
    /// # Errors
    /// The bytes are not a footer, or are one of another length or format.
    pub fn read(tail: &[u8], object_bytes: u64) -> Result<Self, Damage> {
        let damage = |problem| Damage::new(DamagedPart::Footer, problem);
        if tail.len() != FOOTER_BYTES {
            return Err(damage("has another length"));
        }
        let part = SearchPart::check(DamagedPart::Footer, tail)?;
        let mut bytes = Bytes::new(part.payload());
        if bytes.array() != Some(MAGIC) {
            return Err(damage("does not begin as one"));
        }
        if bytes.array().map(u32::from_le_bytes) != Some(FORMAT) {
            return Err(damage("is of another format"));
        }
        let mut next = || bytes.array().map(u64::from_le_bytes);
        let (Some(root_start), Some(root_bytes)) = (next(), next()) else {
            return Err(damage("is too short"));
        };
        let end = root_start
            .checked_add(root_bytes)
            .and_then(|end| end.checked_add(FOOTER_BYTES as u64));
        if end != Some(object_bytes) || root_bytes > MAX_ROOT_BYTES {
            return Err(damage("does not fit the object's length"));
        }
        Ok(Self {
            root_start,
            root_bytes,
        })
    }

    /// Returns the range of the root. A root above [`MAX_READ_BYTES`] takes several reads.
    pub fn root(&self) -> Range<u64> {
        self.root_start..self.root_start + self.root_bytes
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.root_start.to_le_bytes());
        bytes.extend_from_slice(&self.root_bytes.to_le_bytes());
        // Reserved.
        bytes.extend_from_slice(&[0; FOOTER_BYTES - 28 - CHECKSUM_BYTES]);
        seal(bytes)
    }
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Section {
    /// A page of postings.
    Postings,
    /// Keys that are not less than this one.
    Dictionary(Vec<u8>),
    /// This many names.
    Names(u32),
    /// The automaton of mentions.
    Automaton,
    /// A bucket of the table of letters.
    Letters,
}

/// The number of depths: of a category 0, of a term up to 255.
const DEPTHS: usize = 256;

/// The directory of an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Root {
    pub(crate) language: Language,
    pub(crate) ordinals: u32,
    /// The number of names of each depth in each partition.
    pub(crate) partitions: [Vec<u32>; PARTITIONS],
    /// Each part with its length, its checksum included.
    pub(crate) parts: Vec<(Section, u64)>,
}

impl Root {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let language = self.language.subtag();
        push(&mut out, language.len() as u64);
        out.extend_from_slice(language.as_bytes());
        push(&mut out, self.ordinals.into());
        for depths in &self.partitions {
            push(&mut out, depths.len() as u64);
            depths.iter().for_each(|names| push(&mut out, (*names).into()));
        }
        push(&mut out, self.parts.len() as u64);
        for (section, length) in &self.parts {
            push(&mut out, *length);
            match section {
                Section::Postings => out.push(0),
                Section::Dictionary(separator) => {
                    out.push(1);
                    push(&mut out, separator.len() as u64);
                    out.extend_from_slice(separator);
                }
                Section::Names(names) => {
                    out.push(2);
                    push(&mut out, (*names).into());
                }
                Section::Automaton => out.push(3),
                Section::Letters => out.push(4),
            }
        }
        seal(out)
    }

    fn read(bytes: &mut Bytes<'_>) -> Option<Self> {
        let language = bytes.length()?;
        let language = std::str::from_utf8(bytes.take(language)?).ok()?;
        let ordinals = bytes.number32()?;
        let mut partitions = [const { Vec::new() }; PARTITIONS];
        for depths in &mut partitions {
            let count = bytes.length()?.min(DEPTHS);
            *depths = (0..count).map(|_| bytes.number32()).collect::<Option<_>>()?;
        }
        let count = bytes.length()?;
        // A part takes at least two bytes, so a false count allocates no memory.
        let mut parts = Vec::with_capacity(count.min(bytes.len() / 2));
        for _ in 0..count {
            let length = bytes.number()?;
            let section = match bytes.array()? {
                [0] => Section::Postings,
                [1] => {
                    let length = bytes.length()?;
                    Section::Dictionary(bytes.take(length)?.to_vec())
                }
                [2] => Section::Names(bytes.number32()?),
                [3] => Section::Automaton,
                [4] => Section::Letters,
                _ => return None,
            };
            parts.push((section, length));
        }
        bytes.is_empty().then_some(Self {
            language: Language::parse(language),
            ordinals,
            partitions,
            parts,
        })
    }
}

/// An opened object: the directory of its parts.
#[derive(Debug, Clone)]
pub struct Index {
    pub(crate) language: Language,
    pub(crate) ordinals: u32,
    /// The first rank of each partition, and the number of names.
    pub(crate) partitions: [u32; PARTITIONS + 1],
    /// The first rank behind each depth in each partition.
    depths: [Vec<u32>; PARTITIONS],
    /// The end of each part.
    ends: Vec<u64>,
    /// The blocks of the dictionary, by the least key that each may contain.
    pub(crate) blocks: Vec<(Vec<u8>, PartId)>,
    /// The pages of postings.
    pub(crate) pages: Vec<PartId>,
    pub(crate) posting_bytes: u64,
    /// The pages of names, by the first rank of each.
    pub(crate) names: Vec<(u32, PartId)>,
    /// The buckets of the table of letters.
    pub(crate) letters: Vec<PartId>,
    automaton: Option<PartId>,
}

impl Index {
    /// Reads the root of an object.
    ///
    /// # Errors
    /// The bytes are not a root, or contradict themselves or the footer.
    pub fn open(footer: &SearchFooter, root: &[u8]) -> Result<Self, Damage> {
        let damage = |problem| Damage::new(DamagedPart::Root, problem);
        if root.len() as u64 != footer.root_bytes {
            return Err(damage("has another length"));
        }
        let part = SearchPart::check(DamagedPart::Root, root)?;
        let root = Root::read(&mut Bytes::new(part.payload())).ok_or(damage("does not parse"))?;
        let mut index = Self {
            language: root.language,
            ordinals: root.ordinals,
            partitions: [0; PARTITIONS + 1],
            depths: [const { Vec::new() }; PARTITIONS],
            ends: Vec::with_capacity(root.parts.len()),
            blocks: Vec::new(),
            pages: Vec::new(),
            posting_bytes: 0,
            names: Vec::new(),
            letters: Vec::new(),
            automaton: None,
        };
        for (partition, mut depths) in root.partitions.into_iter().enumerate() {
            let mut end = index.partitions[partition];
            for names in &mut depths {
                end = end.checked_add(*names).ok_or(damage("has too many names"))?;
                *names = end;
            }
            index.partitions[partition + 1] = end;
            index.depths[partition] = depths;
        }
        index.place(root.parts)?;
        if index.size() != footer.root_start {
            return Err(damage("does not cover the object"));
        }
        Ok(index)
    }

    fn place(&mut self, parts: Vec<(Section, u64)>) -> Result<(), Damage> {
        let damage = |problem| Damage::new(DamagedPart::Root, problem);
        let (mut end, mut names) = (0u64, 0u32);
        for (number, (section, length)) in parts.into_iter().enumerate() {
            let id = PartId(u32::try_from(number).map_err(|_| damage("has too many parts"))?);
            let payload = length.checked_sub(CHECKSUM_BYTES as u64);
            let most = match section {
                Section::Automaton => MAX_AUTOMATON_BYTES,
                _ => MAX_READ_BYTES,
            };
            let payload = payload.filter(|_| length <= most);
            let payload = payload.ok_or(damage("has a part of an impossible length"))?;
            match section {
                Section::Postings => {
                    let most = PAGE_BYTES as u64;
                    if !self.posting_bytes.is_multiple_of(most) || payload > most {
                        return Err(damage("has a page of another length"));
                    }
                    self.posting_bytes += payload;
                    self.pages.push(id);
                }
                Section::Dictionary(separator) => {
                    if self.blocks.last().is_some_and(|(last, _)| *last >= separator) {
                        return Err(damage("has keys out of order"));
                    }
                    self.blocks.push((separator, id));
                }
                Section::Letters => self.letters.push(id),
                Section::Automaton => {
                    if self.automaton.replace(id).is_some() {
                        return Err(damage("has two automata"));
                    }
                }
                Section::Names(count) => {
                    self.names.push((names, id));
                    // A name takes at least three bytes.
                    let fits = u64::from(count) <= payload / 3 && count > 0;
                    names = names
                        .checked_add(count)
                        .filter(|_| fits)
                        .ok_or(damage("has too many names"))?;
                }
            }
            end += length;
            self.ends.push(end);
        }
        match names == self.partitions[PARTITIONS] {
            true => Ok(()),
            false => Err(damage("counts names in two ways")),
        }
    }

    /// Returns the end of the last part.
    fn size(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Returns the number of names in the object.
    pub fn name_count(&self) -> u32 {
        self.partitions[PARTITIONS]
    }

    /// Returns the number of ordinals of the version.
    pub fn ordinals(&self) -> u32 {
        self.ordinals
    }

    /// Returns its size in memory, in bytes, for the bound of a cache.
    pub fn size_in_memory(&self) -> usize {
        let separators = self.blocks.iter().map(|(separator, _)| separator.capacity());
        let depths = self
            .depths
            .iter()
            .map(|depths| depths.capacity() * size_of::<u32>());
        size_of::<Self>()
            + depths.sum::<usize>()
            + separators.sum::<usize>()
            + self.ends.capacity() * size_of::<u64>()
            + self.blocks.capacity() * size_of::<(Vec<u8>, PartId)>()
            + self.pages.capacity() * size_of::<PartId>()
            + self.names.capacity() * size_of::<(u32, PartId)>()
            + self.letters.capacity() * size_of::<PartId>()
    }

    /// Returns the ids of all parts.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = PartId> + use<> {
        (0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX)).map(PartId)
    }

    /// Returns the part that is the automaton of mentions; none if the names are too many for one.
    pub fn automaton(&self) -> Option<PartId> {
        self.automaton
    }

    /// Returns the range of a part in the object, of at most [`MAX_READ_BYTES`] but for the automaton; empty for an id of another object.
    pub fn range(&self, id: PartId) -> Range<u64> {
        let end = |number: usize| self.ends.get(number).copied().unwrap_or(self.size());
        let number = id.0 as usize;
        number.checked_sub(1).map_or(0, end)..end(number)
    }

    /// Verifies the bytes of a part.
    ///
    /// # Errors
    /// The bytes are not those that were written.
    pub fn part(&self, id: PartId, bytes: &[u8]) -> Result<SearchPart, Damage> {
        let range = self.range(id);
        if bytes.len() as u64 != range.end - range.start {
            return Err(Damage::in_part(id, "has another length"));
        }
        SearchPart::check(DamagedPart::Part(id), bytes)
    }

    /// Returns the partition of a name.
    pub(crate) fn partition(&self, rank: u32) -> Partition {
        Partition::new(self.partition_number(rank))
    }

    fn partition_number(&self, rank: u32) -> usize {
        self.partitions[1..PARTITIONS].partition_point(|end| *end <= rank)
    }

    /// Returns the depth of the node of a name.
    pub(crate) fn depth(&self, rank: u32) -> usize {
        self.depths[self.partition_number(rank)].partition_point(|end| *end <= rank)
    }
}

#[cfg(test)]
mod tests;
