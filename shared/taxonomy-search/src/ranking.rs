//! The order of hits, one a term.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::entry::of_partition;
use crate::layout::Index;
use crate::matching::Candidate;
use crate::query::Options;
use crate::search::Match;

/// A name of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) rank: u32,
    pub(crate) ordinal: u32,
    pub(crate) matched: Match,
}

/// The names of the answer so far, the best first.
#[derive(Debug)]
pub(crate) struct Choice<'a> {
    index: &'a Index,
    options: &'a Options,
    pub(crate) names: Vec<Chosen>,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(index: &'a Index, options: &'a Options) -> Self {
        Self {
            index,
            options,
            names: Vec::new(),
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.names.len() >= self.options.limit
    }

    /// Appends the best names of candidates, up to the limit: a term that is there already is not there twice.
    pub(crate) fn take(&mut self, candidates: &[Candidate], matched: Match) {
        let order = candidates.iter().filter_map(|candidate| {
            let (kind, is_deprecated) = of_partition(self.index.partition(candidate.rank));
            let admitted = self.options.admits(candidate.ordinal, is_deprecated);
            // Names with typos have no marks to agree with.
            let is_folded = !candidate.is_exact && matched != Match::Typo;
            let class = u64::from(candidate.edits) << 3 | (kind as u64) << 1 | u64::from(is_folded);
            admitted.then_some(Reverse((
                class << 32 | u64::from(candidate.rank),
                candidate.ordinal,
            )))
        });
        let mut order: BinaryHeap<Reverse<(u64, u32)>> = order.collect::<Vec<_>>().into();
        while !self.is_full()
            && let Some(Reverse((place, ordinal))) = order.pop()
        {
            let rank = u32::try_from(place & u64::from(u32::MAX)).unwrap_or(u32::MAX);
            if !self.names.iter().any(|chosen| chosen.ordinal == ordinal) {
                self.names.push(Chosen {
                    rank,
                    ordinal,
                    matched,
                });
            }
        }
    }
}
