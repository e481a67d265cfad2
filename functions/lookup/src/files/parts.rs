//! Decoded parts of index files and search objects, in a cache that is bounded in bytes. The content of a file never changes. A repair may pack it
//! otherwise, so the places of its parts, which the footer has, can become stale.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use quick_cache::sync::{Cache, DefaultLifecycle, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, Weighter};
use taxonomy_index::search::PartId;
use taxonomy_index::{Block, Bucket, Column, CountedPart, Damaged, Footer, Part, PartName};
use taxonomy_keys::TenantId;
use taxonomy_store::StoreError;

use crate::cache::bounded::bounded;
use crate::files::error::VersionError;
use crate::files::objects::Objects;
use crate::files::search_root::SearchRoot;

/// The usual size of a part, in bytes.
const USUAL_BYTES: u64 = 64 << 10;

/// The largest content of a part, in bytes. Usual blocks have 32 KiB; names of 500 cultures on 32 levels make one of up to 96 MiB, which does
/// not fit into a process of 256 MB beside its other memory.
const MOST_CONTENT: u32 = 32 << 20;

/// The maximum number of bytes of neighbouring blocks that one read takes.
const MOST_READ: u64 = 1 << 20;

/// The maximum number of reads at a time.
const CONCURRENCY: usize = 8;

/// The index files and search objects of all versions, read through a cache.
pub struct Versions {
    pub(crate) objects: Objects,
    pub(crate) kept: Cache<Key, Decoded, Weight>,
}

/// A part of a file, by the key of the file's object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) file: Arc<str>,
    pub(crate) part: Piece,
}

/// A part of an index file or of a search object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    Index(PartName),
    SearchRoot,
    Search(PartId),
}

#[derive(Debug, Clone)]
pub(crate) enum Decoded {
    Opened(Arc<Opened>),
    Block(Arc<Block>),
    Column(Arc<Column>),
    Counts(Arc<CountedPart>),
    Bucket(Arc<Bucket>),
    SearchRoot(Arc<SearchRoot>),
    SearchPart(taxonomy_index::search::SearchPart),
}

/// A file's footer, and the last bytes of the file, which contain the tables of ids.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) footer: Footer,
    pub(crate) tail: Bytes,
}

impl Opened {
    /// The bytes of a range, if the tail contains them.
    fn in_tail(&self, range: Range<u64>) -> Option<Bytes> {
        let begin = self.footer.size().checked_sub(self.tail.len() as u64)?;
        let place = |at: u64| usize::try_from(at.checked_sub(begin)?).ok();
        let (from, to) = (place(range.start)?, place(range.end)?);
        (from <= to && to <= self.tail.len()).then(|| self.tail.slice(from..to))
    }
}

type Guard<'c> =
    PlaceholderGuard<'c, Key, Decoded, Weight, DefaultHashBuilder, DefaultLifecycle<Key, Decoded>>;

/// A block that this request reads: its number, its place, and the place of its entry in the cache.
type Claim<'c> = (u32, Part, Guard<'c>);

#[derive(Debug, Clone)]
pub(crate) struct Weight;

impl Weighter<Key, Decoded> for Weight {
    fn weight(&self, key: &Key, value: &Decoded) -> u64 {
        let bytes = match value {
            Decoded::Opened(opened) => opened.footer.bytes() + opened.tail.len(),
            Decoded::Block(block) => block.bytes(),
            Decoded::Column(column) => column.bytes(),
            Decoded::Counts(counts) => counts.bytes(),
            Decoded::Bucket(bucket) => bucket.bytes(),
            Decoded::SearchRoot(root) => root.bytes(),
            Decoded::SearchPart(part) => part.size(),
        };
        (size_of::<Key>() + key.file.len() + size_of::<Decoded>() + bytes) as u64
    }
}

impl fmt::Debug for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Versions")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl Versions {
    /// Forgets where the parts of a tenant's files are: one did not fit its sum, or its file is gone.
    pub fn forget(&self, tenant: &TenantId) {
        let prefix = format!("indexes/{tenant}/");
        let is_place = |value: &Decoded| matches!(value, Decoded::Opened(_) | Decoded::SearchRoot(_));
        self.kept
            .retain(|key, value| !is_place(value) || !key.file.starts_with(&prefix));
    }

    /// Creates a cache that reads files from an archive or from memory, and keeps parts up to a number of bytes in all.
    #[must_use]
    pub fn new(objects: impl Into<Objects>, bytes: u64) -> Self {
        Self {
            objects: objects.into(),
            kept: bounded(bytes, USUAL_BYTES, Weight),
        }
    }

    /// Returns the bytes of the cached parts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.kept.weight()
    }

    /// Returns blocks by their numbers, given in the order of the file. Neighbours that are not cached take one read. Blocks are claimed in their
    /// order, so no two requests wait for each other.
    pub(crate) async fn blocks(
        &self,
        file: &Arc<str>,
        opened: &Opened,
        parts: BTreeMap<u32, Part>,
    ) -> Result<BTreeMap<u32, Arc<Block>>, VersionError> {
        let (mut blocks, mut runs) = (BTreeMap::new(), Vec::<Vec<Claim<'_>>>::new());
        for (number, part) in parts {
            let key = Key {
                file: file.clone(),
                part: Piece::Index(part.name),
            };
            let guard = match self.kept.get_value_or_guard_async(&key).await {
                Ok(Decoded::Block(block)) => {
                    blocks.insert(number, block);
                    continue;
                }
                Ok(_) => return Err(wrong_variant(file)),
                Err(guard) => guard,
            };
            check_size(file, &part)?;
            let claim = (number, part, guard);
            let run = runs.last_mut().filter(|run| are_neighbours(run, &part));
            match run {
                Some(run) => run.push(claim),
                None => runs.push(vec![claim]),
            }
        }
        // Only the ranges are read at once: a claim is no argument of a closure, whose lifetime it would have to fit.
        let ranges: Vec<Range<u64>> = runs.iter().filter_map(|run| range_of(run)).collect();
        let read = stream::iter(ranges).map(|range| self.bytes_of(file, opened, range));
        let read: Vec<Bytes> = read.buffered(CONCURRENCY).try_collect().await?;
        for (run, packed) in runs.into_iter().zip(read) {
            let start = range_of(&run).map_or(0, |range| range.start);
            for (number, part, guard) in run {
                let place = usize::try_from(part.offset - start).unwrap_or(usize::MAX);
                let packed = packed
                    .get(place..)
                    .and_then(|packed| packed.get(..part.packed as usize));
                let block = Block::open(packed.unwrap_or_default(), &part, &opened.footer);
                let block = Arc::new(block.map_err(|source| damaged(file, source))?);
                drop(guard.insert(Decoded::Block(block.clone())));
                blocks.insert(number, block);
            }
        }
        Ok(blocks)
    }

    /// Reads a range, unless the end of the file that was read already contains it.
    async fn bytes_of(&self, file: &str, opened: &Opened, range: Range<u64>) -> Result<Bytes, StoreError> {
        match opened.in_tail(range.clone()) {
            Some(packed) => Ok(packed),
            None => self.objects.range(file, range).await,
        }
    }

    pub(crate) async fn column(
        &self,
        file: &Arc<str>,
        opened: &Opened,
        part: Part,
    ) -> Result<Arc<Column>, VersionError> {
        let open = |packed: &[u8]| {
            Column::open(packed, &part, &opened.footer).map(|it| Decoded::Column(Arc::new(it)))
        };
        match self.decoded(file, opened, part, open).await? {
            Decoded::Column(column) => Ok(column),
            _ => Err(wrong_variant(file)),
        }
    }

    pub(crate) async fn counts(
        &self,
        file: &Arc<str>,
        opened: &Opened,
        part: Part,
    ) -> Result<Arc<CountedPart>, VersionError> {
        let open = |packed: &[u8]| {
            CountedPart::open(packed, &part, &opened.footer).map(|it| Decoded::Counts(Arc::new(it)))
        };
        match self.decoded(file, opened, part, open).await? {
            Decoded::Counts(counts) => Ok(counts),
            _ => Err(wrong_variant(file)),
        }
    }

    pub(crate) async fn bucket(
        &self,
        file: &Arc<str>,
        opened: &Opened,
        part: Part,
    ) -> Result<Arc<Bucket>, VersionError> {
        let open = |packed: &[u8]| {
            Bucket::open(packed, &part, &opened.footer).map(|it| Decoded::Bucket(Arc::new(it)))
        };
        match self.decoded(file, opened, part, open).await? {
            Decoded::Bucket(bucket) => Ok(bucket),
            _ => Err(wrong_variant(file)),
        }
    }

    /// Returns a part from the cache, from the end of the file that was read already, or by a read of its own. Concurrent reads of the same part
    /// are coalesced.
    async fn decoded(
        &self,
        file: &Arc<str>,
        opened: &Opened,
        part: Part,
        open: impl Fn(&[u8]) -> Result<Decoded, Damaged>,
    ) -> Result<Decoded, VersionError> {
        let key = Key {
            file: file.clone(),
            part: Piece::Index(part.name),
        };
        let guard = match self.kept.get_value_or_guard_async(&key).await {
            Ok(decoded) => return Ok(decoded),
            Err(guard) => guard,
        };
        check_size(file, &part)?;
        let decoded = match opened.footer.bytes_in_tail(&part, &opened.tail) {
            Some(packed) => open(packed),
            None => open(&self.objects.range(file, part.range()).await?),
        };
        let decoded = decoded.map_err(|source| damaged(file, source))?;
        drop(guard.insert(decoded.clone()));
        Ok(decoded)
    }
}

/// Refuses a part whose content does not fit into memory.
fn check_size(file: &str, part: &Part) -> Result<(), VersionError> {
    match part.content > MOST_CONTENT {
        true => Err(VersionError::TooLarge {
            file: file.to_owned(),
            bytes: part.content,
        }),
        false => Ok(()),
    }
}

/// The range of blocks that lie one behind the other.
fn range_of(run: &[Claim<'_>]) -> Option<Range<u64>> {
    let ((_, first, _), (_, last, _)) = (run.first()?, run.last()?);
    Some(first.offset..last.range().end)
}

/// Whether a block lies behind those of a run, and one read takes all.
fn are_neighbours(run: &[Claim<'_>], part: &Part) -> bool {
    range_of(run).is_some_and(|range| range.end == part.offset && part.range().end - range.start <= MOST_READ)
}

pub(crate) fn damaged(file: &str, source: Damaged) -> VersionError {
    VersionError::Damaged {
        file: file.to_owned(),
        source,
    }
}

/// Guards against an entry of another kind under a key, which never happens and must not be served.
pub(crate) fn wrong_variant(file: &str) -> VersionError {
    inconsistent(file, "an entry of the cache is of another kind")
}

pub(crate) fn inconsistent(file: &str, what: &'static str) -> VersionError {
    VersionError::Inconsistent {
        file: file.to_owned(),
        what,
    }
}
