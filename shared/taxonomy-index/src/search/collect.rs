//! The keys of one space, sorted, each with its postings: the form of a space in memory while it is written.

use std::collections::HashMap;

use crate::search::entry::Entry;
use crate::search::key::NameKey;
use crate::search::postings::Posting;

/// A key of a name, before the keys are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    key: u32,
    plain: u32,
    rank: u32,
    words: u8,
}

/// Collects the keys of names in any order.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    numbers: HashMap<Box<str>, u32>,
    occurrences: Vec<Occurrence>,
}

impl Collector {
    /// Records that a name has a key.
    pub(crate) fn push(&mut self, NameKey { text, plain, words }: NameKey<'_>, rank: u32) {
        let key = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
                self.numbers.insert(text.into(), number);
                number
            }
        };
        self.occurrences.push(Occurrence {
            key,
            plain,
            rank,
            words,
        });
    }

    /// Sorts the keys, and the postings of each. Returns none if there are too many keys.
    pub(crate) fn finish(self) -> Option<SortedKeys> {
        let Self {
            numbers,
            mut occurrences,
        } = self;
        u32::try_from(numbers.len()).ok()?;
        let mut keys: Vec<(Box<str>, u32)> = numbers.into_iter().collect();
        keys.sort_unstable();
        let mut order = vec![0u32; keys.len()];
        for (place, (_, number)) in (0u32..).zip(&keys) {
            order[*number as usize] = place;
        }
        for occurrence in &mut occurrences {
            occurrence.key = order[occurrence.key as usize];
        }
        occurrences.sort_unstable();
        // Of equal words of a name, the one that is a word of its own comes first.
        occurrences.dedup_by_key(|occurrence| (occurrence.key, occurrence.plain, occurrence.rank));
        Some(SortedKeys {
            keys: keys.into_iter().map(|(key, _)| key).collect(),
            occurrences,
        })
    }
}

/// The keys of a space, ascending.
#[derive(Debug)]
pub(crate) struct SortedKeys {
    pub(crate) keys: Vec<Box<str>>,
    occurrences: Vec<Occurrence>,
}

impl SortedKeys {
    /// Returns the occurrences of a range of keys.
    fn occurrences(&self, first: usize, end: usize) -> &[Occurrence] {
        let place = |key: usize| {
            self.occurrences
                .partition_point(|occurrence| (occurrence.key as usize) < key)
        };
        &self.occurrences[place(first)..place(end)]
    }

    /// Returns the number of postings of a range of keys.
    pub(crate) fn count(&self, first: usize, end: usize) -> usize {
        self.occurrences(first, end).len()
    }

    /// Returns the postings of a range of keys.
    pub(crate) fn postings(
        &self,
        first: usize,
        end: usize,
        names: &[Entry<'_>],
    ) -> impl Iterator<Item = Posting> + Clone {
        let posting = |occurrence: &Occurrence| Posting {
            plain: occurrence.plain,
            rank: occurrence.rank,
            ordinal: names[occurrence.rank as usize].ordinal,
            words: occurrence.words,
        };
        self.occurrences(first, end).iter().map(posting)
    }
}
