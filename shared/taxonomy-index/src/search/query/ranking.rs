//! The order of hits, one for each term.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::search::entry::of_partition;
use crate::search::layout::Index;
use crate::search::query::matching::Candidate;
use crate::search::query::{Match, SearchOptions};

/// The maximum number of typos: two in each of eight words.
const MAX_EDITS: u8 = 16;

/// A name among the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) rank: u32,
    pub(crate) ordinal: u32,
    pub(crate) matched: Match,
}

/// The hits found so far, the best first.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    index: &'a Index,
    options: &'a SearchOptions,
    pub(crate) names: Vec<Chosen>,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(index: &'a Index, options: &'a SearchOptions) -> Self {
        Self {
            index,
            options,
            names: Vec::new(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.names.len() >= self.options.limit
    }

    /// Appends the best names of candidates, up to the limit; each term occurs once.
    pub(crate) fn take(&mut self, candidates: &[Candidate], matched: Match) {
        let is_best = |candidate: &Candidate| candidate.is_exact && candidate.edits == 0;
        if candidates.iter().all(is_best) && candidates.is_sorted_by_key(|candidate| candidate.rank) {
            for candidate in candidates {
                if self.is_full() {
                    return;
                }
                if self.place(candidate, matched).is_some() {
                    self.add(candidate.rank, candidate.ordinal, matched);
                }
            }
            return;
        }
        let order = candidates.iter().filter_map(|candidate| {
            let place = self.place(candidate, matched)?;
            Some(Reverse((place, candidate.rank, candidate.ordinal)))
        });
        let mut order: BinaryHeap<Reverse<(u8, u32, u32)>> = order.collect::<Vec<_>>().into();
        while !self.is_full()
            && let Some(Reverse((_, rank, ordinal))) = order.pop()
        {
            self.add(rank, ordinal, matched);
        }
    }

    /// Returns the criterion that precedes the rank; none if the options exclude the name.
    fn place(&self, candidate: &Candidate, matched: Match) -> Option<u8> {
        let (kind, is_deprecated) = of_partition(self.index.partition(candidate.rank));
        let is_admitted = self.options.admits(candidate.ordinal, is_deprecated);
        // A name with typos has no marks to compare.
        let is_folded = !candidate.is_exact && matched != Match::Typo;
        is_admitted.then_some(candidate.edits.min(MAX_EDITS) << 3 | (kind as u8) << 1 | u8::from(is_folded))
    }

    fn add(&mut self, rank: u32, ordinal: u32, matched: Match) {
        if !self.names.iter().any(|chosen| chosen.ordinal == ordinal) {
            self.names.push(Chosen {
                rank,
                ordinal,
                matched,
            });
        }
    }
}
