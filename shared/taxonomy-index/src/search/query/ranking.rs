//! The order of hits, one for each term.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::search::entry::Partition;
use crate::search::layout::Index;
use crate::search::query::evaluate::Findings;
use crate::search::query::matching::Candidate;
use crate::search::query::{Match, SearchOptions};

/// The maximum number of typos: two in each of eight words.
const MAX_EDITS: u8 = 16;

/// A name among the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The class of the match.
    pub class: Match,
    /// The position of the term in the version.
    pub ordinal: u32,
    pub(crate) rank: u32,
}

/// A set of nodes, by their positions in the version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ordinals(Vec<u64>);

impl Ordinals {
    /// Makes a set of 64 terms a word, the first in its lowest bit.
    pub fn new(words: Vec<u64>) -> Self {
        Self(words)
    }

    fn add(&mut self, ordinal: u32) {
        let word = (ordinal / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (ordinal % 64);
    }

    /// Adds the terms of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Returns whether a term is in the set.
    pub fn contains(&self, ordinal: u32) -> bool {
        let word = self.0.get((ordinal / 64) as usize);
        word.is_some_and(|word| word & 1 << (ordinal % 64) != 0)
    }

    /// Returns the number of terms.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Merges the findings of several objects of a version: by class, then in the order of the objects. Each name comes with the number of its object,
/// each node once.
pub fn merge(findings: &[Findings]) -> Vec<(usize, Found)> {
    let numbered = findings.iter().enumerate();
    let names = numbered.flat_map(|(number, found)| found.names.iter().map(move |name| (number, *name)));
    let mut names: Vec<(usize, Found)> = names.collect();
    names.sort_by_key(|(number, name)| (name.class, *number));
    let mut nodes = HashSet::new();
    names.retain(|(_, name)| nodes.insert(name.ordinal));
    names
}

/// The hits found so far, the best first.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    index: &'a Index,
    options: &'a SearchOptions,
    pub(crate) names: Vec<Found>,
    /// The terms of all candidates.
    pub(crate) terms: Ordinals,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(index: &'a Index, options: &'a SearchOptions) -> Self {
        Self {
            index,
            options,
            names: Vec::new(),
            terms: Ordinals::default(),
        }
    }

    /// Appends the best names of candidates, up to the limit; each term occurs once.
    pub(crate) fn take(&mut self, candidates: &[Candidate], class: Match) {
        let mut order = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if let Some(place) = self.place(candidate, class) {
                self.terms.add(candidate.ordinal);
                order.push((place, candidate.rank, candidate.ordinal));
            }
        }
        // The postings of a key are in this order.
        if order.is_sorted() {
            for (_, rank, ordinal) in order {
                if self.is_full() {
                    return;
                }
                self.add(Found { class, ordinal, rank });
            }
            return;
        }
        let mut order: BinaryHeap<Reverse<(u32, u32, u32)>> = order.into_iter().map(Reverse).collect();
        while !self.is_full()
            && let Some(Reverse((_, rank, ordinal))) = order.pop()
        {
            self.add(Found { class, ordinal, rank });
        }
    }

    fn is_full(&self) -> bool {
        self.names.len() >= self.options.wanted()
    }

    /// Returns the criteria that precede the rank; none if the options exclude the name.
    fn place(&self, candidate: &Candidate, class: Match) -> Option<u32> {
        let Partition {
            kind,
            deprecated,
            node,
        } = self.index.partition(candidate.rank);
        let options = self.options;
        let is_deep = options
            .depth
            .is_some_and(|depth| self.index.depth(candidate.rank) > depth.into());
        if is_deep || !options.admits(candidate.ordinal, deprecated, node) {
            return None;
        }
        // A name with typos has no marks to compare.
        let is_folded = !candidate.is_exact && class != Match::Typo;
        let edits = u32::from(candidate.edits.min(MAX_EDITS));
        let flags = u32::from(!candidate.is_complete) << 3 | (kind as u32) << 1 | u32::from(is_folded);
        Some(edits << 16 | u32::from(candidate.lacks) << 8 | flags)
    }

    fn add(&mut self, found: Found) {
        if !self.names.iter().any(|chosen| chosen.ordinal == found.ordinal) {
            self.names.push(found);
        }
    }
}
