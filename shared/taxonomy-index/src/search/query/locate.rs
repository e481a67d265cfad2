//! The positions of postings by key, through parts that may not be in memory.

use std::ops::Range;

use crate::search::damage::{Damage, DamagedPart};
use crate::search::dictionary::{Keys, Position};
use crate::search::hot::HOT_POSTINGS;
use crate::search::key::{after, hot};
use crate::search::layout::Index;
use crate::search::part::{Parts, SearchPart};
use crate::search::part_id::PartId;
use crate::search::postings::{Bounds, PAGE_BYTES};
use crate::search::search_error::SearchError;

/// The positions of the lists of all keys with a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
pub(crate) struct Reader<'a, P> {
    pub(crate) index: &'a Index,
    pub(crate) parts: &'a P,
}

impl<P: Parts> Reader<'_, P> {
    /// Returns parts, or the ids of all missing ones.
    pub(crate) fn require(&self, ids: &[PartId]) -> Result<Vec<SearchPart>, SearchError> {
        let found: Vec<Option<SearchPart>> = ids.iter().map(|id| self.parts.part(*id)).collect();
        let mut missing: Vec<PartId> = ids
            .iter()
            .zip(&found)
            .filter(|(_, part)| part.is_none())
            .map(|(id, _)| *id)
            .collect();
        missing.sort_unstable();
        missing.dedup();
        match missing.is_empty() {
            true => Ok(found.into_iter().flatten().collect()),
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

    fn id_of(&self, key: &[u8]) -> Option<PartId> {
        Some(self.index.blocks.get(self.block_of(key)?)?.1)
    }

    /// Returns the spans of prefixes, or the ids of all missing blocks, with those of their short lists if these may be used.
    pub(crate) fn locate(&self, prefixes: &[Vec<u8>], with_hot: bool) -> Result<Vec<Span>, SearchError> {
        let mut ids: Vec<PartId> = Vec::new();
        for prefix in prefixes {
            ids.extend(self.id_of(prefix));
            ids.extend(self.id_of(&after(prefix)));
            ids.extend(with_hot.then(|| self.id_of(&hot(prefix))).flatten());
        }
        self.require(&ids)?;
        prefixes.iter().map(|prefix| self.span(prefix)).collect()
    }

    fn span(&self, prefix: &[u8]) -> Result<Span, SearchError> {
        let end_key = after(prefix);
        let Some((id, part)) = self.block(prefix)? else {
            let start = Position::default();
            return Ok(Span { start, end: start });
        };
        let damaged = || Damage::new(id.place(), "does not parse");
        let mut keys = Keys::new(part.payload()).ok_or_else(damaged)?;
        let is_found = keys.seek(prefix).ok_or_else(damaged)?;
        let start = keys.start;
        let end = match self.id_of(&end_key) {
            Some(other) if other != id => self.position(&end_key)?,
            _ => {
                if is_found && keys.key < end_key {
                    keys.seek(&end_key).ok_or_else(damaged)?;
                }
                keys.start
            }
        };
        let is_ordered = start.bytes <= end.bytes && start.postings <= end.postings;
        if !is_ordered || end.bytes > self.index.posting_bytes {
            return Err(Damage::new(id.place(), "has positions out of order").into());
        }
        Ok(Span { start, end })
    }

    fn block(&self, key: &[u8]) -> Result<Option<(PartId, SearchPart)>, SearchError> {
        let Some(id) = self.id_of(key) else {
            return Ok(None);
        };
        Ok(self.require(&[id])?.pop().map(|part| (id, part)))
    }

    fn position(&self, key: &[u8]) -> Result<Position, SearchError> {
        let Some((id, part)) = self.block(key)? else {
            return Ok(Position::default());
        };
        let damaged = || Damage::new(id.place(), "does not parse");
        let mut keys = Keys::new(part.payload()).ok_or_else(damaged)?;
        keys.seek(key).ok_or_else(damaged)?;
        Ok(keys.start)
    }

    /// Returns the bytes of the short list of a prefix: it is stored under the first key that begins with the prefix.
    pub(crate) fn hot(&self, prefix: &[u8]) -> Result<Range<u64>, SearchError> {
        let target = hot(prefix);
        let first = self.block_of(&target).unwrap_or(0);
        for (_, id) in self.index.blocks.iter().skip(first).take(2) {
            let damaged = || Damage::new(id.place(), "does not parse");
            let Some(part) = self.require(&[*id])?.pop() else {
                break;
            };
            let mut keys = Keys::new(part.payload()).ok_or_else(damaged)?;
            if keys.seek(&target).ok_or_else(damaged)? {
                let range = keys.start.bytes..keys.end.bytes;
                let is_list = keys.key.starts_with(&target) && range.end <= self.index.posting_bytes;
                let lacks = || Damage::new(id.place(), "lacks a short list");
                return Ok(is_list.then_some(range).ok_or_else(lacks)?);
            }
        }
        Err(Damage::new(DamagedPart::Root, "lacks the block of a short list").into())
    }

    /// Returns the pages of a range of postings.
    pub(crate) fn pages(&self, range: &Range<u64>) -> &[PartId] {
        let number = |at: u64| {
            usize::try_from(at)
                .unwrap_or(usize::MAX)
                .min(self.index.pages.len())
        };
        let end = number(range.end.div_ceil(PAGE_BYTES as u64));
        &self.index.pages[number(range.start / PAGE_BYTES as u64).min(end)..end]
    }

    /// Returns a range of postings, or the ids of the missing pages.
    pub(crate) fn postings(&self, range: &Range<u64>) -> Result<Vec<u8>, SearchError> {
        let damage = || Damage::new(DamagedPart::Postings, "end early");
        let length = usize::try_from(range.end - range.start).map_err(|_| damage())?;
        let mut skip = usize::try_from(range.start % PAGE_BYTES as u64).map_err(|_| damage())?;
        let parts = self.require(self.pages(range))?;
        let mut joined = Vec::with_capacity(length.min(parts.len() << 16));
        for part in &parts {
            let page = part.payload().get(skip..).ok_or_else(damage)?;
            skip = 0;
            joined.extend_from_slice(&page[..page.len().min(length - joined.len())]);
        }
        match joined.len() == length {
            true => Ok(joined),
            false => Err(damage().into()),
        }
    }
}
