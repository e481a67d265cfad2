//! The order of hits, one for each term.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use crate::ordinal_set::OrdinalSet;
use crate::search::entry::Partition;
use crate::search::layout::Index;
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

/// Merges the names that were found in several objects of a version: by class, then in the order of the objects. Each name comes with the number of
/// its object, each node once.
pub fn merge(found: &[Vec<Found>]) -> Vec<(usize, Found)> {
    let numbered = found.iter().enumerate();
    let names = numbered.flat_map(|(number, names)| names.iter().map(move |name| (number, *name)));
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
    /// The nodes of all candidates, and their number.
    pub(crate) nodes: OrdinalSet,
    pub(crate) count: usize,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(index: &'a Index, options: &'a SearchOptions) -> Self {
        Self {
            index,
            options,
            names: Vec::new(),
            nodes: OrdinalSet::default(),
            count: 0,
        }
    }

    /// Appends the best names of candidates, up to the limit; each term occurs once.
    pub(crate) fn take(&mut self, candidates: &[Candidate], class: Match) {
        let mut order = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if let Some(place) = self.place(candidate, class) {
                self.count += usize::from(self.nodes.insert(candidate.ordinal));
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
        let filter = &self.options.filter;
        let is_deep = filter
            .depth
            .is_some_and(|most| self.index.depth(candidate.rank) > most.into());
        if is_deep || !filter.admits(candidate.ordinal, deprecated, node) {
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
