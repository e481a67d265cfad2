//! The positions of postings by key, through parts that may not be in memory.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::dictionary::{Keys, Position};
use crate::search::hot::HOT_POSTINGS;
use crate::search::key::{Space, beside};
use crate::search::layout::Index;
use crate::search::letters;
use crate::search::map::MAP_POSTINGS;
use crate::search::names::{StoredName, name_at};
use crate::search::part::{PartId, SearchPart};
use crate::search::postings::{Bounds, PAGE_BYTES};
use crate::search::query::sought::Sought;

/// The positions of the lists of all keys with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

impl Span {
    /// Returns the span of the last key that was read.
    pub(crate) fn of(keys: &Keys<'_>) -> Self {
        Self {
            start: keys.start,
            end: keys.end,
        }
    }

    pub(crate) fn bytes(self) -> Range<u64> {
        self.start.bytes..self.end.bytes
    }

    pub(crate) fn length(self) -> u64 {
        self.end.bytes - self.start.bytes
    }

    /// Returns whether the prefix has a short list.
    pub(crate) fn is_hot(self) -> bool {
        self.end.postings - self.start.postings > HOT_POSTINGS as u64
    }

    /// Returns whether the prefix has a map.
    pub(crate) fn is_mapped(self) -> bool {
        self.end.postings - self.start.postings > MAP_POSTINGS as u64
    }
}

/// An index with the parts that are in memory.
#[derive(Debug)]
pub(crate) struct IndexReader<'a> {
    pub(crate) index: &'a Index,
    pub(crate) parts: &'a HashMap<PartId, SearchPart>,
}

impl<'a> IndexReader<'a> {
    /// Returns the bytes of a part, or its id if it is missing.
    pub(crate) fn payload(&self, id: PartId) -> Result<&'a [u8], SearchError> {
        let part = self.parts.get(&id).map(SearchPart::payload);
        part.ok_or_else(|| SearchError::Missing(vec![id]))
    }

    /// Returns the ids of all missing parts as an error.
    pub(crate) fn require(&self, ids: &[PartId]) -> Result<(), SearchError> {
        let missing = ids.iter().filter(|id| !self.parts.contains_key(id));
        let mut missing: Vec<PartId> = missing.copied().collect();
        missing.sort_unstable();
        missing.dedup();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(SearchError::Missing(missing)),
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds {
            names: self.index.name_count(),
            ordinals: self.index.ordinals,
        }
    }

    /// Returns the number of the block that a key belongs to.
    pub(crate) fn block_of(&self, key: &[u8]) -> Option<usize> {
        let below = |(separator, _): &(Vec<u8>, PartId)| separator.as_slice() <= key;
        self.index.blocks.partition_point(below).checked_sub(1)
    }

    /// Returns the blocks that may contain keys of a range, but those that `is_wanted` excludes by their least key and that of the next block.
    pub(crate) fn blocks_between(
        &self,
        start: &[u8],
        end: &[u8],
        mut is_wanted: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> Vec<PartId> {
        let blocks = &self.index.blocks;
        let from = self.block_of(start).unwrap_or(0);
        let to = self.block_of(end).map_or(0, |last| last + 1).max(from);
        let wanted = (from..to).filter(|at| match blocks.get(*at..at + 2) {
            Some([(separator, _), (next, _)]) => is_wanted(separator, next),
            _ => true,
        });
        wanted.map(|at| blocks[at].1).collect()
    }

    /// Verifies the positions of a block that was read to its end.
    pub(crate) fn check(&self, id: PartId, keys: &Keys<'_>) -> Result<(), Damage> {
        match keys.end.bytes > self.index.posting_bytes {
            true => Err(Damage::in_part(id, "has positions out of order")),
            false => Ok(()),
        }
    }

    pub(crate) fn id_of(&self, key: &[u8]) -> Option<PartId> {
        Some(self.index.blocks.get(self.block_of(key)?)?.1)
    }

    /// Returns the keys of a block, or its id if it is missing.
    pub(crate) fn keys(&self, id: PartId) -> Result<Keys<'a>, SearchError> {
        Ok(Keys::new(id, self.payload(id)?)?)
    }

    /// Returns keys, ascending, each with the position before the first one that is not less, or the ids of missing blocks.
    fn positions<'k>(
        &self,
        keys: impl Iterator<Item = &'k [u8]>,
    ) -> Result<Vec<(&'k [u8], Position)>, SearchError> {
        let mut keys: Vec<&[u8]> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        let blocks = keys.iter().filter_map(|key| self.id_of(key));
        self.require(&blocks.collect::<Vec<PartId>>())?;
        let mut positions = Vec::with_capacity(keys.len());
        let mut block: Option<(PartId, Keys<'_>)> = None;
        for key in keys {
            let Some(id) = self.id_of(key) else {
                positions.push((key, Position::default()));
                continue;
            };
            let mut open = match block.take().filter(|(open, _)| *open == id) {
                Some((_, open)) => open,
                None => self.keys(id)?,
            };
            open.seek(key)?;
            positions.push((key, open.start));
            block = Some((id, open));
        }
        Ok(positions)
    }

    /// Returns where the postings of ranges of keys are, or the ids of missing blocks.
    pub(crate) fn spans(&self, sought: &[&Sought]) -> Result<Vec<Span>, SearchError> {
        let keys = sought.iter().flat_map(|sought| [&*sought.start, &*sought.end]);
        let positions = self.positions(keys)?;
        let position = |key: &[u8]| {
            let found = positions.binary_search_by_key(&key, |(key, _)| *key);
            found.ok().map_or(Position::default(), |at| positions[at].1)
        };
        let span = |sought: &&Sought| {
            let (start, end) = (position(&sought.start), position(&sought.end));
            let is_ordered = start.bytes <= end.bytes && start.postings <= end.postings;
            match is_ordered && end.bytes <= self.index.posting_bytes {
                true => Ok(Span { start, end }),
                false => Err(Damage::new(DamagedPart::Root, "has positions out of order").into()),
            }
        };
        sought.iter().map(span).collect()
    }

    /// Returns the id of the block of the short list or the map of a prefix.
    pub(crate) fn block_beside(&self, space: Space, prefix: &[u8]) -> Option<PartId> {
        self.id_of(&beside(space, prefix))
    }

    /// Returns the bytes of the short list or the map of a prefix: it is stored under the first key that begins with the prefix.
    pub(crate) fn beside(&self, space: Space, prefix: &[u8]) -> Result<Range<u64>, SearchError> {
        let target = beside(space, prefix);
        let first = self.block_of(&target).unwrap_or(0);
        for (_, id) in self.index.blocks.iter().skip(first).take(2) {
            let mut keys = self.keys(*id)?;
            if keys.seek(&target)? {
                let range = keys.start.bytes..keys.end.bytes;
                let is_list = keys.key.starts_with(&target) && range.end <= self.index.posting_bytes;
                let lacks = || Damage::in_part(*id, "lacks a short list or a map");
                return Ok(is_list.then_some(range).ok_or_else(lacks)?);
            }
        }
        Err(Damage::new(DamagedPart::Root, "lacks the block of a short list or a map").into())
    }

    /// Returns the bucket of the table of letters for a hash.
    pub(crate) fn bucket(&self, hash: u32) -> Option<PartId> {
        let buckets = &self.index.letters;
        buckets.get(letters::bucket_of(hash, buckets.len())).copied()
    }

    /// Returns the page of a name with the first rank in it.
    pub(crate) fn page_of(&self, rank: u32) -> Option<(u32, PartId)> {
        let pages = &self.index.names;
        let behind = pages.partition_point(|(first, _)| *first <= rank);
        pages.get(behind.saturating_sub(1)).copied()
    }

    /// Returns names by their ranks, each with its page, or the ids of the missing pages.
    pub(crate) fn names(
        &self,
        ranks: impl Iterator<Item = u32>,
    ) -> Result<Vec<(StoredName<'a>, PartId)>, SearchError> {
        let damage = || Damage::new(DamagedPart::Root, "lacks the page of a name");
        let page = |rank| Ok((rank, self.page_of(rank).ok_or_else(damage)?));
        let pages: Vec<(u32, (u32, PartId))> = ranks.map(page).collect::<Result<_, Damage>>()?;
        self.require(&pages.iter().map(|(_, (_, id))| *id).collect::<Vec<PartId>>())?;
        let name = |(rank, (first, id)): &(u32, (u32, PartId))| {
            let found = name_at(self.payload(*id)?, rank - first);
            Ok((found.ok_or_else(|| Damage::in_part(*id, "lacks a name"))?, *id))
        };
        pages.iter().map(name).collect()
    }

    /// Returns the pages of a range of postings.
    pub(crate) fn pages(&self, range: &Range<u64>) -> &'a [PartId] {
        let pages = &self.index.pages;
        let number = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(pages.len());
        let end = number(range.end.div_ceil(PAGE_BYTES as u64));
        &pages[number(range.start / PAGE_BYTES as u64).min(end)..end]
    }

    /// Returns a range of postings, or the ids of the missing pages.
    pub(crate) fn postings(&self, range: &Range<u64>) -> Result<Cow<'a, [u8]>, SearchError> {
        let damage = || Damage::new(DamagedPart::Postings, "end early");
        let length = usize::try_from(range.end - range.start).map_err(|_| damage())?;
        let mut skip = usize::try_from(range.start % PAGE_BYTES as u64).map_err(|_| damage())?;
        let pages = self.pages(range);
        self.require(pages)?;
        if let [page] = pages {
            let page = self.payload(*page)?.get(skip..skip + length);
            return Ok(page.ok_or_else(damage)?.into());
        }
        let mut joined = Vec::with_capacity(length.min(pages.len() << 16));
        for id in pages {
            let page = self.payload(*id)?.get(skip..).ok_or_else(damage)?;
            skip = 0;
            joined.extend_from_slice(&page[..page.len().min(length - joined.len())]);
        }
        match joined.len() == length {
            true => Ok(joined.into()),
            false => Err(damage().into()),
        }
    }
}
