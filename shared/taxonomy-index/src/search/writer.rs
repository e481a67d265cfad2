//! Writing an object.

use std::io::{self, Write};

use crate::search::collect::{Collector, SortedKeys};
use crate::search::dictionary::{Block, DictionaryWriter};
use crate::search::entry::{Entry, Kind, PARTITIONS, of_partition, partition};
use crate::search::fold::Text;
use crate::search::hot::{self, Ranked};
use crate::search::key::{PASSES, Space, hot, key, keys_of};
use crate::search::layout::{FOOTER_BYTES, Footer, MAX_ROOT_BYTES, Root, Section};
use crate::search::names::{NamesWriter, Record};
use crate::search::part::seal;
use crate::search::postings::{PAGE_BYTES, Posting, encode};

/// The error of writing an object.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An ordinal is not below the number that the writer was made for.
    #[error("ordinal {0} is not an ordinal of the version")]
    Ordinal(u32),
    /// A name or a sort key is too long.
    #[error("a name or a sort key of ordinal {0} has more than 65,535 bytes")]
    TooLong(u32),
    /// The names exceed the format.
    #[error("the names exceed 4 GiB, 4 billion keys or a root of 16 MiB")]
    TooMany,
    /// The target failed.
    #[error("writing the search object failed")]
    Write(#[from] io::Error),
}

/// Collects names in any order, and writes the object. The same names give the same bytes.
///
/// Keeps all names in memory, and the keys of one kind at a time: 140 to 600 bytes for each name (`docs/decisions/0019-search.md`).
#[derive(Debug)]
pub struct Writer {
    ordinals: u32,
    text: String,
    names: Vec<Name>,
}

/// A name; its texts are in one buffer.
#[derive(Debug)]
struct Name {
    id: u64,
    ordinal: u32,
    start: u32,
    name_bytes: u16,
    sort_bytes: u16,
    characters: u16,
    partition: u8,
    depth: u8,
}

impl Name {
    fn name<'a>(&self, text: &'a str) -> &'a str {
        let start = self.start as usize;
        &text[start..start + usize::from(self.name_bytes)]
    }

    fn sort_key<'a>(&self, text: &'a str) -> &'a str {
        let start = self.start as usize + usize::from(self.name_bytes);
        &text[start..start + usize::from(self.sort_bytes)]
    }

    fn kind(&self) -> Kind {
        of_partition(usize::from(self.partition)).0
    }
}

impl Writer {
    /// Creates a writer for a version with this number of ordinals.
    #[must_use]
    pub fn new(ordinals: u32) -> Self {
        Self {
            ordinals,
            text: String::new(),
            names: Vec::new(),
        }
    }

    /// Adds a name.
    ///
    /// # Errors
    /// The ordinal is out of range, a text is too long, or all texts together are.
    pub fn push(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        if entry.ordinal >= self.ordinals {
            return Err(WriteError::Ordinal(entry.ordinal));
        }
        let too_long = |_| WriteError::TooLong(entry.ordinal);
        self.names.push(Name {
            id: entry.id,
            ordinal: entry.ordinal,
            start: u32::try_from(self.text.len()).map_err(|_| WriteError::TooMany)?,
            name_bytes: u16::try_from(entry.name.len()).map_err(too_long)?,
            sort_bytes: u16::try_from(entry.sort_key.len()).map_err(too_long)?,
            characters: u16::try_from(entry.name.chars().count()).map_err(too_long)?,
            partition: u8::try_from(partition(entry.kind, entry.deprecated)).unwrap_or(u8::MAX),
            depth: entry.depth,
        });
        self.text.push_str(entry.name);
        self.text.push_str(entry.sort_key);
        Ok(())
    }

    /// Returns the number of added names.
    #[must_use]
    pub fn name_count(&self) -> usize {
        self.names.len()
    }

    /// Writes the object in one pass. Returns its length.
    ///
    /// # Errors
    /// The target failed, or the names exceed the format.
    pub fn finish(mut self, out: impl Write) -> Result<u64, WriteError> {
        self.rank();
        let mut object = Object::new(out, self.ordinals);
        self.write_names(&mut object)?;
        let ordinals: Vec<u32> = self.names.iter().map(|name| name.ordinal).collect();
        let mut ends = object.root.partitions;
        for partition in 1..PARTITIONS {
            ends[partition] += ends[partition - 1];
        }
        let ranked = Ranked {
            ordinals: &ordinals,
            ends: &ends,
        };
        let mut short = Vec::new();
        for pass in PASSES {
            for (space, sorted) in self.collect(pass)? {
                for (number, text) in sorted.keys.iter().enumerate() {
                    object.list(&key(space, text), &sorted.postings(number, number + 1, &ordinals))?;
                }
                let lists = hot::lists(&sorted, &ranked).into_iter();
                short.extend(lists.map(|(text, list)| (hot(&key(space, &text)), list)));
            }
        }
        for (key, list) in short {
            object.list(&key, &list)?;
        }
        object.finish()
    }

    /// Sorts the names by the criteria of their rank, which do not depend on a query.
    fn rank(&mut self) {
        let text = &self.text;
        self.names.sort_unstable_by(|a, b| {
            let fixed = |name: &Name| (name.partition, name.depth, name.characters);
            let last = |name: &Name| (name.id, name.ordinal);
            (fixed(a).cmp(&fixed(b)))
                .then_with(|| a.sort_key(text).cmp(b.sort_key(text)))
                .then_with(|| last(a).cmp(&last(b)))
                .then_with(|| a.name(text).cmp(b.name(text)))
        });
    }

    fn write_names<W: Write>(&self, object: &mut Object<W>) -> Result<(), WriteError> {
        let mut writer = NamesWriter::default();
        for name in &self.names {
            object.root.partitions[usize::from(name.partition)] += 1;
            let record = Record {
                ordinal: name.ordinal,
                id: name.id,
                name: name.name(&self.text),
            };
            if let Some((names, page)) = writer.push(record) {
                object.part(Section::Names(names), page)?;
            }
        }
        match writer.finish() {
            Some((names, page)) => object.part(Section::Names(names), page),
            None => Ok(()),
        }
    }

    /// Returns the keys of each space of a pass.
    fn collect(&self, pass: &[Space]) -> Result<Vec<(Space, SortedKeys)>, WriteError> {
        let mut collectors: Vec<(Space, Collector)> =
            pass.iter().map(|space| (*space, Collector::default())).collect();
        let mut is_full = false;
        for (rank, name) in (0u32..).zip(&self.names) {
            let (kind, text) = (name.kind(), name.name(&self.text));
            if !pass.iter().any(|space| space.may_have(kind, text)) {
                continue;
            }
            let text = Text::fold(text);
            for (space, collector) in &mut collectors {
                keys_of(*space, kind, &text, |key, plain| {
                    is_full |= collector.push(key, plain, rank).is_none();
                });
            }
        }
        if is_full {
            return Err(WriteError::TooMany);
        }
        let sorted = collectors.into_iter().map(|(space, keys)| (space, keys.finish()));
        Ok(sorted.collect())
    }
}

/// An object under construction.
struct Object<W> {
    out: W,
    written: u64,
    root: Root,
    dictionary: DictionaryWriter,
    page: Vec<u8>,
}

impl<W: Write> Object<W> {
    fn new(out: W, ordinals: u32) -> Self {
        Self {
            out,
            written: 0,
            root: Root {
                ordinals,
                ..Root::default()
            },
            dictionary: DictionaryWriter::default(),
            page: Vec::new(),
        }
    }

    fn part(&mut self, section: Section, payload: Vec<u8>) -> Result<(), WriteError> {
        let bytes = seal(payload);
        self.out.write_all(&bytes)?;
        self.written += bytes.len() as u64;
        self.root.parts.push((section, bytes.len() as u64));
        Ok(())
    }

    fn block(&mut self, block: Option<Block>) -> Result<(), WriteError> {
        match block {
            Some((separator, block)) => self.part(Section::Dictionary(separator), block),
            None => Ok(()),
        }
    }

    /// Writes a key with its list.
    fn list(&mut self, key: &[u8], postings: &[Posting]) -> Result<(), WriteError> {
        let mut list = Vec::new();
        let count = encode(&mut list, postings);
        let block = self.dictionary.push(key, list.len() as u64, count);
        self.page.append(&mut list);
        while self.page.len() as u64 >= PAGE_BYTES {
            let rest = self
                .page
                .split_off(usize::try_from(PAGE_BYTES).unwrap_or(usize::MAX));
            let page = std::mem::replace(&mut self.page, rest);
            self.part(Section::Postings, page)?;
        }
        self.block(block)
    }

    fn finish(mut self) -> Result<u64, WriteError> {
        let block = self.dictionary.finish();
        self.block(block)?;
        if !self.page.is_empty() {
            let page = std::mem::take(&mut self.page);
            self.part(Section::Postings, page)?;
        }
        let root = self.root.bytes();
        let footer = Footer {
            root_start: self.written,
            root_bytes: root.len() as u64,
        };
        if footer.root_bytes > MAX_ROOT_BYTES {
            return Err(WriteError::TooMany);
        }
        self.out.write_all(&root)?;
        self.out.write_all(&footer.bytes())?;
        self.out.flush()?;
        Ok(self.written + footer.root_bytes + FOOTER_BYTES as u64)
    }
}
