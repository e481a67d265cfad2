//! The order of hits, one for each term.

use std::collections::HashSet;

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

    /// Appends the best names of candidates, up to the limit; each node occurs once.
    pub(crate) fn take(&mut self, candidates: &[Candidate], class: Match) {
        let mut best = Best::new(self.options.wanted().saturating_sub(self.names.len()));
        for candidate in candidates {
            if let Some(place) = self.place(candidate, class) {
                self.count += usize::from(self.nodes.insert(candidate.ordinal));
                if best.takes(&(place, candidate.rank)) && !self.has(candidate.ordinal) {
                    best.add((place, candidate.rank), candidate.ordinal);
                }
            }
        }
        let found = best.names.into_iter();
        self.names
            .extend(found.map(|((_, rank), ordinal)| Found { class, ordinal, rank }));
    }

    fn has(&self, ordinal: u32) -> bool {
        self.names.iter().any(|chosen| chosen.ordinal == ordinal)
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
}

/// The criteria that precede the rank, and the rank.
type Place = (u32, u32);

/// The best names, up to a number of nodes, each with the place of its best name.
struct Best {
    most: usize,
    /// Ascending by place.
    names: Vec<(Place, u32)>,
}

impl Best {
    fn new(most: usize) -> Self {
        Self {
            most,
            names: Vec::new(),
        }
    }

    /// Returns whether a name with this place may be one of the best: few of many are.
    fn takes(&self, place: &Place) -> bool {
        let is_full = self.names.len() >= self.most;
        self.most > 0 && !(is_full && self.names.last().is_some_and(|(worst, _)| worst <= place))
    }

    fn add(&mut self, place: Place, ordinal: u32) {
        if let Some(known) = self.names.iter().position(|(_, other)| *other == ordinal) {
            if self.names[known].0 <= place {
                return;
            }
            self.names.remove(known);
        }
        let at = self.names.partition_point(|(other, _)| *other < place);
        self.names.insert(at, (place, ordinal));
        self.names.truncate(self.most);
    }
}
