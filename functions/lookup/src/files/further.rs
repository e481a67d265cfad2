//! Terms below a term by any of their parents: its own subtree, and those of the terms that have one of its terms as a further parent.
//!
//! A further parent is a relation `broad` without a scheme, or `narrow` the other way. Lists that follow them are in the order of the tree, and have
//! each term once, so circles end.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use taxonomy_index::{IdTable, Row};
use taxonomy_keys::TermId;

use crate::files::error::VersionError;
use crate::files::tree::{FullPage, Levels, Walk};
use crate::files::version_file::{FilePage, ListedNode, VersionFile};

/// The maximum number of relations to further parents that a request follows: eight buckets.
pub const MAX_FURTHER: usize = 65_536;

/// Ranges of ordinals that do not meet, by their starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OrdinalRanges(BTreeMap<u32, u32>);

impl OrdinalRanges {
    /// Adds a range, and returns those of its parts that were not there.
    fn add(&mut self, range: Range<u32>) -> Vec<Range<u32>> {
        let before = self.0.range(..=range.start).next_back();
        let first = before.filter(|(_, end)| **end >= range.start);
        let first = first.map_or(range.start, |(start, _)| *start);
        let met: Vec<Range<u32>> = self
            .0
            .range(first..=range.end)
            .map(|(start, end)| *start..*end)
            .collect();
        let (mut added, mut from, mut joined) = (Vec::new(), range.start, range.clone());
        for known in met {
            if known.start > from {
                added.push(from..known.start.min(range.end));
            }
            from = from.max(known.end);
            joined = joined.start.min(known.start)..joined.end.max(known.end);
            self.0.remove(&known.start);
        }
        if from < range.end {
            added.push(from..range.end);
        }
        if !joined.is_empty() {
            self.0.insert(joined.start, joined.end);
        }
        added
    }

    fn has(&self, ordinal: u32) -> bool {
        let before = self.0.range(..=ordinal).next_back();
        before.is_some_and(|(_, end)| ordinal < *end)
    }

    fn into_ranges(self) -> impl Iterator<Item = Range<u32>> {
        self.0.into_iter().map(|(start, end)| start..end)
    }
}

impl VersionFile<'_> {
    /// Returns the ordinals of the terms below a term by any of their parents, as ascending ranges that do not meet; none if the version has no such
    /// term. The term itself is not among them, also where a circle leads back to it.
    ///
    /// # Errors
    /// [`VersionError::TooManyFurther`] if more than [`MAX_FURTHER`] relations lead to them; another one if the file cannot be read.
    pub async fn below_by_all_parents(&self, term: TermId) -> Result<Option<Vec<Range<u32>>>, VersionError> {
        let Some(own) = self.subtree(term).await? else {
            return Ok(None);
        };
        let itself = own.start;
        let mut ranges = OrdinalRanges::default();
        let (mut waiting, mut followed) = (ranges.add(own), 0);
        while let Some(parents) = waiting.pop() {
            let parents = u64::from(parents.start)..=u64::from(parents.end - 1);
            let terms = self.values_of(IdTable::Further, parents).await?;
            followed += terms.len();
            if followed > MAX_FURTHER {
                return Err(VersionError::TooManyFurther);
            }
            for term in terms {
                if !ranges.has(term) {
                    waiting.extend(ranges.add(term..term + self.row(term).await?.span));
                }
            }
        }
        let ranges = ranges.into_ranges().flat_map(|range| {
            let Range { start, end } = range;
            [start..end.min(itself), start.max(itself + 1)..end]
        });
        Ok(Some(ranges.filter(|range| !range.is_empty()).collect()))
    }

    /// Returns the ordinals of a term and of all terms below it, none of them for a removed term; none if the version has no such term.
    async fn subtree(&self, term: TermId) -> Result<Option<Range<u32>>, VersionError> {
        let Some(ordinal) = self.term_ordinal(term).await? else {
            return Ok(None);
        };
        let span = self.row(ordinal).await?.span;
        Ok(Some(ordinal..ordinal + span))
    }

    /// Returns a page of the terms below a term by any of their parents, or with a depth of 1 of its children by any of their parents; none if the
    /// version has no such term.
    ///
    /// # Errors
    /// As of [`below_by_all_parents`](Self::below_by_all_parents).
    pub async fn walk_by_all_parents(
        &self,
        term: TermId,
        walk: Walk,
    ) -> Result<Option<FilePage<ListedNode>>, VersionError> {
        if walk.order.is_some() {
            return self.walk_placed(term, walk).await;
        }
        let mut page = FullPage::new(walk.limit);
        if walk.depth == 1 {
            let Some(mut children) = self.children_by_all_parents(term, walk).await? else {
                return Ok(None);
            };
            while let Some((ordinal, row)) = children.next(self).await? {
                if page.adds(walk.deprecated, ordinal, ordinal, &row) {
                    break;
                }
            }
        } else {
            let Some(ranges) = self.below_by_all_parents(term).await? else {
                return Ok(None);
            };
            let (from, candidates) = (
                walk.from.unwrap_or_default(),
                self.candidates(walk.deprecated).await?,
            );
            let ordinals = ranges.into_iter().flatten();
            for ordinal in ordinals.filter(|ordinal| *ordinal >= from && candidates.has(*ordinal)) {
                if page.adds(walk.deprecated, ordinal, ordinal, &self.row(ordinal).await?) {
                    break;
                }
            }
        }
        self.listed(page).await.map(Some)
    }

    /// Returns such a page in the order of a culture, in which the places of all terms have to be known.
    async fn walk_placed(
        &self,
        term: TermId,
        walk: Walk,
    ) -> Result<Option<FilePage<ListedNode>>, VersionError> {
        let mut ordinals = Vec::new();
        if walk.depth == 1 {
            let Some(mut children) = self
                .children_by_all_parents(term, Walk { from: None, ..walk })
                .await?
            else {
                return Ok(None);
            };
            while let Some((ordinal, _)) = children.next(self).await? {
                ordinals.push(ordinal);
            }
        } else {
            let Some(ranges) = self.below_by_all_parents(term).await? else {
                return Ok(None);
            };
            ordinals.extend(ranges.into_iter().flatten());
        }
        let mut placed = Vec::with_capacity(ordinals.len());
        for ordinal in ordinals {
            placed.push((self.position_of(ordinal, walk.order).await?, ordinal));
        }
        placed.sort_unstable();
        let (from, mut page) = (walk.from.unwrap_or_default(), FullPage::new(walk.limit));
        for (at, ordinal) in placed.into_iter().filter(|(at, _)| *at >= from) {
            if page.adds(walk.deprecated, at, ordinal, &self.row(ordinal).await?) {
                break;
            }
        }
        self.listed(page).await.map(Some)
    }

    /// Returns the children from the first one of a page on.
    async fn children_by_all_parents(
        &self,
        term: TermId,
        walk: Walk,
    ) -> Result<Option<ChildrenByAllParents>, VersionError> {
        let Some(ordinal) = self.term_ordinal(term).await? else {
            return Ok(None);
        };
        let (row, from) = (self.row(ordinal).await?, walk.from.unwrap_or_default());
        let end = ordinal + row.span;
        let mut further = match row.removed {
            true => Vec::new(),
            false => self.values(IdTable::Further, ordinal.into()).await?,
        };
        let candidates = self.candidates(walk.deprecated).await?;
        further.retain(|ordinal| *ordinal >= from && candidates.has(*ordinal));
        Ok(Some(ChildrenByAllParents {
            own: Levels {
                order: None,
                left: from.max(ordinal + 1).min(end)..end,
                last: row.depth + 1,
                candidates,
            },
            next_own: None,
            further: further.into(),
        }))
    }
}

/// The children of a term by any of their parents, ascending.
struct ChildrenByAllParents {
    /// What is left of the terms below the term.
    own: Levels,
    /// The first child of those, if it was read.
    next_own: Option<(u32, Row)>,
    /// What is left of the terms that have it as a further parent.
    further: VecDeque<u32>,
}

impl ChildrenByAllParents {
    async fn next(&mut self, file: &VersionFile<'_>) -> Result<Option<(u32, Row)>, VersionError> {
        if self.next_own.is_none() {
            let own = self.own.next(file).await?;
            self.next_own = own.map(|(_, ordinal, row)| (ordinal, row));
        }
        let further = self.further.front().copied();
        let own = self.next_own.map(|(ordinal, _)| ordinal);
        let Some(ordinal) = own.into_iter().chain(further).min() else {
            return Ok(None);
        };
        if further == Some(ordinal) {
            self.further.pop_front();
        }
        match self.next_own.take_if(|(own, _)| *own == ordinal) {
            Some(child) => Ok(Some(child)),
            None => Ok(Some((ordinal, file.row(ordinal).await?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds ranges of up to 20 ordinals at random, and compares with a list of bits.
    #[test]
    fn ranges_are_a_set_of_ordinals() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (mut ranges, mut bits) = (OrdinalRanges::default(), [false; 64]);
            for _ in 0..12 {
                let start = random.u32(0..44);
                let range = start..start + random.u32(0..20);
                let added: Vec<u32> = ranges.add(range.clone()).into_iter().flatten().collect();
                let new: Vec<u32> = range.clone().filter(|ordinal| !bits[*ordinal as usize]).collect();
                assert_eq!(added, new, "seed {seed}: {range:?}");
                range.for_each(|ordinal| bits[ordinal as usize] = true);
                for (ordinal, is_in) in (0..).zip(bits) {
                    assert_eq!(ranges.has(ordinal), is_in, "seed {seed}: {ordinal}");
                }
            }
            let all: Vec<Range<u32>> = ranges.into_ranges().collect();
            assert!(all.is_sorted_by(|one, next| one.end < next.start), "{all:?}");
        }
    }
}
