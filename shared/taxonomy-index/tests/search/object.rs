//! An object in memory, read as a caller reads it: part by part.

use std::collections::HashMap;
use std::ops::Range;

use taxonomy_index::search::{
    Damage, Entry, FOOTER_BYTES, Index, Kind, Language, MAX_ROUNDS, PartId, Query, SearchError, SearchFooter,
    SearchOptions, SearchPart, SearchResult,
};

/// A name with its own texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnEntry {
    pub(crate) ordinal: u32,
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) depth: u8,
    pub(crate) deprecated: bool,
    pub(crate) sort_key: String,
}

impl OwnEntry {
    pub(crate) fn new(ordinal: u32, name: &str) -> Self {
        Self {
            ordinal,
            id: 1000 + u64::from(ordinal),
            name: name.to_owned(),
            kind: Kind::Preferred,
            depth: 1,
            deprecated: false,
            sort_key: String::new(),
        }
    }

    pub(crate) fn kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }
}

/// The kinds of names, as often as made-up names have them.
pub(crate) const KINDS: [Kind; 4] = {
    use Kind::{Alternative, Notation, Preferred};
    [Preferred, Preferred, Alternative, Notation]
};

pub(crate) fn write(entries: &[OwnEntry]) -> Vec<u8> {
    write_in("en", entries)
}

/// Writes the names of a language.
pub(crate) fn write_in(language: &str, names: &[OwnEntry]) -> Vec<u8> {
    let ordinals = names.iter().map(|name| name.ordinal + 1).max().unwrap_or(0);
    taxonomy_index::search::write(Language::parse(language), ordinals, entries(names)).unwrap()
}

pub(crate) fn entries(names: &[OwnEntry]) -> Vec<Entry<'_>> {
    let entries = names.iter().map(|name| Entry {
        ordinal: name.ordinal,
        id: name.id,
        name: &name.name,
        kind: name.kind,
        depth: name.depth,
        deprecated: name.deprecated,
        sort_key: &name.sort_key,
    });
    entries.collect()
}

/// Names with ascending ordinals.
pub(crate) fn named(names: &[&str]) -> Vec<OwnEntry> {
    let names = (0..).zip(names);
    let entries = names.map(|(ordinal, name)| OwnEntry::new(ordinal, name));
    entries.collect()
}

/// A text with brackets around ranges of it.
pub(crate) fn marked(text: &str, ranges: impl IntoIterator<Item = Range<u32>>) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let part = |range: Range<usize>| String::from_utf16(&units[range]).expect("whole characters");
    let (mut shown, mut at) = (String::new(), 0);
    for range in ranges {
        let (start, end) = (range.start as usize, range.end as usize);
        shown += &format!("{}[{}]", part(at..start), part(start..end));
        at = end;
    }
    shown + &part(at..units.len())
}

/// An opened object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) bytes: Vec<u8>,
    pub(crate) index: Index,
}

/// The reads of a search.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    pub(crate) rounds: usize,
    pub(crate) parts: HashMap<PartId, SearchPart>,
    pub(crate) bytes: u64,
}

impl Object {
    pub(crate) fn of(entries: &[OwnEntry]) -> Self {
        Self::open(write(entries)).unwrap()
    }

    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self, Damage> {
        let tail = bytes.len().saturating_sub(FOOTER_BYTES);
        let footer = SearchFooter::read(&bytes[tail..], bytes.len() as u64)?;
        let root = footer.root();
        let index = Index::open(&footer, &bytes[root.start as usize..root.end as usize])?;
        Ok(Self { bytes, index })
    }

    /// Where a part lies.
    pub(crate) fn range(&self, id: PartId) -> Range<usize> {
        let range = self.index.range(id);
        range.start as usize..range.end as usize
    }

    pub(crate) fn search(&self, query: &str, options: &SearchOptions) -> SearchResult {
        self.read(&Query::parse(query).unwrap(), options).unwrap().0
    }

    /// Searches with nothing in memory, and counts what is read.
    pub(crate) fn read(
        &self,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<(SearchResult, Reads), Damage> {
        let mut reads = Reads::default();
        loop {
            match self.index.search(query, options, &reads.parts) {
                Ok(answer) => return Ok((answer, reads)),
                Err(SearchError::Damaged(damage)) => return Err(damage),
                Err(SearchError::Missing(missing)) => {
                    assert!(!missing.is_empty());
                    reads.rounds += 1;
                    assert!(reads.rounds <= MAX_ROUNDS, "{query:?}");
                    for id in missing {
                        let range = self.range(id);
                        reads.bytes += range.len() as u64;
                        let before = reads.parts.insert(id, self.index.part(id, &self.bytes[range])?);
                        assert!(before.is_none(), "part {id} was asked for twice");
                    }
                }
            }
        }
    }

    /// Returns the names of an answer.
    pub(crate) fn names(&self, query: &str) -> Vec<String> {
        let answer = self.search(query, &SearchOptions::new(50).unwrap());
        assert!(!answer.truncated);
        answer.hits.into_iter().map(|hit| hit.name).collect()
    }
}
