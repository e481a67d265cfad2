//! The positions of postings by key, through parts that may not be in memory.

use std::collections::HashMap;
use std::ops::Range;

use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::dictionary::{Keys, Position};
use crate::search::hot::HOT_POSTINGS;
use crate::search::key::{after, hot};
use crate::search::layout::Index;
use crate::search::part::{PartId, SearchPart};
use crate::search::postings::{Bounds, PAGE_BYTES};

/// The positions of the lists of all keys with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

impl Span {
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
            ordinals: Some(self.index.ordinals),
        }
    }

    /// Returns the number of the block that a key belongs to.
    pub(crate) fn block_of(&self, key: &[u8]) -> Option<usize> {
        let below = |(separator, _): &(Vec<u8>, PartId)| separator.as_slice() <= key;
        self.index.blocks.partition_point(below).checked_sub(1)
    }

    fn id_of(&self, key: &[u8]) -> Option<PartId> {
        Some(self.index.blocks.get(self.block_of(key)?)?.1)
    }

    /// Returns the keys of a block, or its id if it is missing.
    pub(crate) fn keys(&self, id: PartId) -> Result<Keys<'a>, SearchError> {
        Ok(Keys::new(id, self.payload(id)?)?)
    }

    /// Returns the blocks that a prefix begins and ends in, with that of its short list if this may be used.
    pub(crate) fn blocks(&self, prefix: &[u8], with_hot: bool) -> impl Iterator<Item = PartId> {
        let short = with_hot.then(|| self.id_of(&hot(prefix))).flatten();
        let ends = [self.id_of(prefix), self.id_of(&after(prefix))];
        ends.into_iter().flatten().chain(short)
    }

    /// Returns the span of a prefix, or the id of a missing block.
    pub(crate) fn span(&self, prefix: &[u8]) -> Result<Span, SearchError> {
        let Some(id) = self.id_of(prefix) else {
            return Ok(Span::default());
        };
        let mut keys = self.keys(id)?;
        keys.seek(prefix)?;
        let start = keys.start;
        let end_key = after(prefix);
        if let Some(last) = self.id_of(&end_key).filter(|last| *last != id) {
            keys = self.keys(last)?;
        }
        keys.seek(&end_key)?;
        let end = keys.start;
        let is_ordered = start.bytes <= end.bytes && start.postings <= end.postings;
        if !is_ordered || end.bytes > self.index.posting_bytes {
            return Err(Damage::in_part(id, "has positions out of order").into());
        }
        Ok(Span { start, end })
    }

    /// Returns the bytes of the short list of a prefix: it is stored under the first key that begins with the prefix.
    pub(crate) fn hot(&self, prefix: &[u8]) -> Result<Range<u64>, SearchError> {
        let target = hot(prefix);
        let first = self.block_of(&target).unwrap_or(0);
        for (_, id) in self.index.blocks.iter().skip(first).take(2) {
            let mut keys = self.keys(*id)?;
            if keys.seek(&target)? {
                let range = keys.start.bytes..keys.end.bytes;
                let is_list = keys.key.starts_with(&target) && range.end <= self.index.posting_bytes;
                let lacks = || Damage::in_part(*id, "lacks a short list");
                return Ok(is_list.then_some(range).ok_or_else(lacks)?);
            }
        }
        Err(Damage::new(DamagedPart::Root, "lacks the block of a short list").into())
    }

    /// Returns the pages of a range of postings.
    pub(crate) fn pages(&self, range: &Range<u64>) -> &'a [PartId] {
        let pages = &self.index.pages;
        let number = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(pages.len());
        let end = number(range.end.div_ceil(PAGE_BYTES as u64));
        &pages[number(range.start / PAGE_BYTES as u64).min(end)..end]
    }

    /// Returns a range of postings, or the ids of the missing pages.
    pub(crate) fn postings(&self, range: &Range<u64>) -> Result<Vec<u8>, SearchError> {
        let damage = || Damage::new(DamagedPart::Postings, "end early");
        let length = usize::try_from(range.end - range.start).map_err(|_| damage())?;
        let mut skip = usize::try_from(range.start % PAGE_BYTES as u64).map_err(|_| damage())?;
        let pages = self.pages(range);
        self.require(pages)?;
        let mut joined = Vec::with_capacity(length.min(pages.len() << 16));
        for id in pages {
            let page = self.payload(*id)?.get(skip..).ok_or_else(damage)?;
            skip = 0;
            joined.extend_from_slice(&page[..page.len().min(length - joined.len())]);
        }
        match joined.len() == length {
            true => Ok(joined),
            false => Err(damage().into()),
        }
    }
}
