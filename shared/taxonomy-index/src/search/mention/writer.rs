//! Writing the automaton of the names of a culture.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::search::bytes::push;
use crate::search::entry::{Entry, Kind};
use crate::search::language::Language;
use crate::search::layout::MAX_AUTOMATON_BYTES;
use crate::search::mention::automaton::{LANGUAGE_BYTES, Widths, width};
use crate::search::mention::stored::{self, StoredName};
use crate::search::mention::words::{AND, Gap, Spelling, Words};
use crate::search::part::CHECKSUM_BYTES;

/// Writes the automaton of names of a language, in any order. The same names give the same bytes. Notations, and the names of
/// categories, are none. None where it would exceed [`MAX_AUTOMATON_BYTES`].
pub fn write(language: Language, names: &[Entry<'_>]) -> Option<Vec<u8>> {
    write_within(MAX_AUTOMATON_BYTES, language, names)
}

/// Writes an automaton that takes this many bytes at most with its checksum.
fn write_within(most: u64, language: Language, names: &[Entry<'_>]) -> Option<Vec<u8>> {
    let mut keys = Keys {
        language,
        numbers: BTreeMap::new(),
        words: Vec::new(),
        keys: Vec::with_capacity(names.len()),
    };
    for name in names
        .iter()
        .filter(|name| name.kind != Kind::Notation && name.depth > 0)
    {
        keys.add(name);
    }
    let automaton = keys.finish()?;
    ((automaton.len() + CHECKSUM_BYTES) as u64 <= most).then_some(automaton)
}

/// The keys of all names.
struct Keys {
    language: Language,
    /// Each word with a number, in the order in which they came.
    numbers: BTreeMap<Box<str>, u32>,
    /// The words of all keys, by their numbers.
    words: Vec<u32>,
    keys: Vec<Key>,
}

/// A key with one of its names.
struct Key {
    /// Its place in the words of all keys.
    words: Range<usize>,
    name: StoredName<'static>,
}

impl Keys {
    fn add(&mut self, name: &Entry<'_>) {
        let words = Words::new(name.name);
        if !words.are_a_name() {
            return;
        }
        let spelling = words.spelling(0..words.len()).map(Spelling::into_owned);
        let singles: Vec<Range<usize>> = words.singles().collect();
        let chunks = words.chunks();
        // A short name is written in one way.
        if chunks.len() < singles.len() && spelling.is_none() {
            self.push(name, &words, &chunks, None);
        }
        self.push(name, &words, &singles, spelling);
    }

    fn push(
        &mut self,
        name: &Entry<'_>,
        words: &Words<'_>,
        key: &[Range<usize>],
        spelling: Option<Spelling<'static>>,
    ) {
        let start = self.words.len();
        let (mut breaks, mut fixed) = (0, 0);
        for (bit, word) in key.iter().enumerate() {
            let text = words.key_word(self.language, word.clone());
            let is_acronym = text != AND && word.clone().any(|word| words.is_acronym(word));
            self.words.push(number(&mut self.numbers, &text));
            let is_broken = bit > 0 && words.gap(word.start) == Gap::Break;
            breaks |= u64::from(is_broken) << bit;
            fixed |= u64::from(is_acronym) << bit;
        }
        self.keys.push(Key {
            words: start..self.words.len(),
            name: StoredName {
                is_alternative: name.kind == Kind::Alternative,
                is_deprecated: name.deprecated,
                ordinal: name.ordinal,
                breaks,
                fixed,
                spelling,
            },
        });
    }

    fn finish(mut self) -> Option<Vec<u8>> {
        let (mut ends, mut texts, mut ranks) = (Vec::new(), Vec::new(), vec![0; self.numbers.len()]);
        for (rank, (text, number)) in (0..).zip(&self.numbers) {
            texts.extend_from_slice(text.as_bytes());
            ends.extend_from_slice(&small(texts.len())?);
            ranks[*number as usize] = rank;
        }
        let mut language = self.language.subtag().as_bytes().to_vec();
        language.resize(LANGUAGE_BYTES, 0);
        // No place is 0.
        let mut lists = vec![0];
        for word in &mut self.words {
            *word = ranks[*word as usize];
        }
        let nodes = self.nodes(&mut lists, ranks.len())?;
        let header = [ranks.len(), texts.len(), nodes.bytes.len(), nodes.root];
        let header = header
            .into_iter()
            .map(small)
            .collect::<Option<Vec<_>>>()?
            .concat();
        Some([language, header, ends, texts, nodes.bytes, lists].concat())
    }

    /// Writes the nodes of all keys, whose words are ranks, and gives up the keys, which take more memory than the automaton.
    fn nodes(mut self, lists: &mut Vec<u8>, ranks: usize) -> Option<Nodes> {
        let words = |key: &Key| &self.words[key.words.clone()];
        self.keys
            .sort_unstable_by(|one, other| (words(one), &one.name).cmp(&(words(other), &other.name)));
        let groups = self.keys.chunk_by(|one, other| words(one) == words(other));
        let valued = groups.map(|group| {
            let names: Vec<&StoredName<'_>> = group.iter().map(|key| &key.name).collect();
            (words(&group[0]), stored::write(lists, &names))
        });
        let valued: Vec<(&[u32], u64)> = valued.collect();
        // The least width of addresses that the nodes fit.
        (1..=4).find_map(|address| Nodes::write(&valued, ranks, address))
    }
}

/// Returns the number of a word.
fn number(numbers: &mut BTreeMap<Box<str>, u32>, word: &str) -> u32 {
    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    match numbers.get(word) {
        Some(number) => *number,
        None => *numbers.entry(word.into()).or_insert(next),
    }
}

fn small(number: usize) -> Option<[u8; 4]> {
    u32::try_from(number).ok().map(u32::to_le_bytes)
}

/// The nodes, each behind those below it.
struct Nodes {
    bytes: Vec<u8>,
    root: usize,
    widths: Widths,
}

impl Nodes {
    /// Writes the nodes of keys, which ascend; none if they do not fit the width of addresses.
    fn write(keys: &[(&[u32], u64)], words: usize, address: usize) -> Option<Self> {
        let widths = Widths {
            word: width(words),
            address,
        };
        let mut nodes = Self {
            bytes: Vec::new(),
            root: 0,
            widths,
        };
        if !keys.is_empty() {
            nodes.root = nodes.node(keys, 0)?;
        }
        Some(nodes)
    }

    /// Writes the node of keys that share their first words, `depth` of them, and returns its address.
    fn node(&mut self, keys: &[(&[u32], u64)], depth: usize) -> Option<usize> {
        let ([(first, value), ..], [.., (last, _)]) = (keys, keys) else {
            return None;
        };
        let shared = first[depth..].iter().zip(&last[depth..]);
        let end = depth + shared.take_while(|(one, other)| one == other).count();
        let value = (first.len() == end).then_some(*value);
        let below = &keys[usize::from(value.is_some())..];
        let mut children = Vec::new();
        for group in below.chunk_by(|(one, _), (other, _)| one[end] == other[end]) {
            children.push((group[0].0[end], self.node(group, end + 1)?));
        }
        let start = self.bytes.len();
        let kind = (end - depth) << 2 | usize::from(!children.is_empty()) << 1 | usize::from(value.is_some());
        push(&mut self.bytes, kind as u64);
        for word in &first[depth..end] {
            self.number(*word as usize, self.widths.word);
        }
        value.inspect(|value| push(&mut self.bytes, *value));
        if !children.is_empty() {
            push(&mut self.bytes, children.len() as u64);
        }
        children
            .iter()
            .for_each(|(word, _)| self.number(*word as usize, self.widths.word));
        children
            .iter()
            .for_each(|(_, address)| self.number(*address, self.widths.address));
        (width(self.bytes.len()) <= self.widths.address).then_some(start)
    }

    fn number(&mut self, number: usize, width: usize) {
        self.bytes.extend_from_slice(&number.to_le_bytes()[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_automaton_that_is_too_large_is_not_written() {
        let name = Entry {
            ordinal: 0,
            id: 1,
            name: "Rust developer",
            kind: Kind::Preferred,
            depth: 1,
            deprecated: false,
            sort_key: "",
        };
        let english = Language::parse("en");
        let automaton = write(english, &[name]).unwrap();
        let size = (automaton.len() + CHECKSUM_BYTES) as u64;
        assert_eq!(write_within(size, english, &[name]), Some(automaton));
        assert_eq!(write_within(size - 1, english, &[name]), None);
    }
}
