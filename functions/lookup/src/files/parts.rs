//! Decoded parts of index files and search objects, in a cache that is bounded in bytes. The content of a file never changes. A repair may pack it
//! otherwise, so the places of its parts, which the footer has, can become stale.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use taxonomy_index::search::PartId;
use taxonomy_index::{Block, Damaged, Footer, Part, PartName};
use taxonomy_keys::TenantId;
use taxonomy_store::StoreError;

use crate::cache::bounded::bounded;
use crate::files::error::VersionError;
use crate::files::objects::Objects;
use crate::files::version_file::VersionFile;

/// The usual size of a part, in bytes.
const USUAL_BYTES: u64 = 64 << 10;

/// The largest content of a part, in bytes. Usual blocks have 32 KiB; names of 500 cultures on 32 levels make one of up to 96 MiB, which does
/// not fit into a process of 256 MB beside its other memory.
const MOST_CONTENT: u32 = 32 << 20;

/// The maximum number of bytes of neighbouring blocks that one read takes.
const MOST_READ: u64 = 1 << 20;

/// The maximum number of reads at a time.
pub(crate) const CONCURRENCY: usize = 8;

/// The index files and search objects of all versions, read through a cache.
#[derive(Debug)]
pub struct VersionFiles {
    pub(crate) objects: Objects,
    kept: Cache<PartKey, DecodedPart, PartWeight>,
}

/// A part of a file, by the key of the file's object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PartKey {
    pub(crate) file: Arc<str>,
    pub(crate) part: FilePart,
}

/// A part of an index file or of a search object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FilePart {
    Index(PartName),
    SearchRoot,
    Search(PartId),
}

/// A part in memory: a value of the type that belongs to its key, and the size of the value.
#[derive(Clone)]
struct DecodedPart {
    value: Arc<dyn Any + Send + Sync>,
    bytes: usize,
}

impl DecodedPart {
    fn new<T: Any + Send + Sync>(value: T, bytes: impl FnOnce(&T) -> usize) -> Self {
        Self {
            bytes: bytes(&value),
            value: Arc::new(value),
        }
    }

    /// Returns the value. A value of another type never occurs, and must not be served.
    fn get<T: Any + Send + Sync>(self, file: &str) -> Result<Arc<T>, VersionError> {
        let value = self.value.downcast().ok();
        value.ok_or_else(|| inconsistent(file, "an entry of the cache is of another kind"))
    }
}

#[derive(Debug, Clone)]
struct PartWeight;

impl Weighter<PartKey, DecodedPart> for PartWeight {
    fn weight(&self, key: &PartKey, part: &DecodedPart) -> u64 {
        (size_of::<PartKey>() + key.file.len() + size_of::<DecodedPart>() + part.bytes) as u64
    }
}

impl VersionFiles {
    /// Creates a cache that reads files from an archive or from memory, and keeps parts up to a number of bytes in all.
    pub fn new(objects: impl Into<Objects>, bytes: u64) -> Self {
        Self {
            objects: objects.into(),
            kept: bounded(bytes, USUAL_BYTES, PartWeight),
        }
    }

    /// Forgets where the parts of a tenant's files are: one did not fit its sum, or its file is gone.
    pub fn forget(&self, tenant: &TenantId) {
        let prefix = format!("indexes/{tenant}/");
        let is_place =
            |part: FilePart| matches!(part, FilePart::Index(PartName::Footer) | FilePart::SearchRoot);
        self.kept
            .retain(|key, _| !is_place(key.part) || !key.file.starts_with(&prefix));
    }

    /// Returns a part from the cache, or reads it. Concurrent reads of the same part are coalesced.
    pub(crate) async fn part<T: Any + Send + Sync>(
        &self,
        key: PartKey,
        read: impl Future<Output = Result<T, VersionError>>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Result<Arc<T>, VersionError> {
        // Where another request has forgotten it meanwhile, it is not kept, and the next one reads it again.
        let read = async { Ok::<_, VersionError>(DecodedPart::new(read.await?, bytes)) };
        self.kept.get_or_insert_async(&key, read).await?.get(&key.file)
    }
}

impl VersionFile<'_> {
    fn part_key(&self, part: PartName) -> PartKey {
        PartKey {
            file: self.key.clone(),
            part: FilePart::Index(part),
        }
    }

    /// Returns a part other than a block.
    pub(crate) async fn part<T: Any + Send + Sync>(
        &self,
        part: Part,
        open: impl FnOnce(&[u8], &Part, &Footer) -> Result<T, Damaged>,
        bytes: impl FnOnce(&T) -> usize,
    ) -> Result<Arc<T>, VersionError> {
        let read = async {
            self.check_size(&part)?;
            let packed = self.bytes_of(part.range()).await?;
            open(&packed, &part, self.footer()).map_err(|source| self.damaged(source))
        };
        self.versions.part(self.part_key(part.name), read, bytes).await
    }

    /// Returns blocks by their numbers, given in the order of the file. Neighbours that are not cached take one read.
    pub(crate) async fn blocks(
        &self,
        parts: BTreeMap<u32, Part>,
    ) -> Result<BTreeMap<u32, Arc<Block>>, VersionError> {
        let (mut blocks, mut runs) = (BTreeMap::new(), Vec::<Run>::new());
        for (number, part) in parts {
            if let Some(block) = self.versions.kept.get(&self.part_key(part.name)) {
                blocks.insert(number, block.get(&self.key)?);
                continue;
            }
            self.check_size(&part)?;
            match runs.last_mut().filter(|run| run.is_before(&part)) {
                Some(run) => run.add(number, part),
                None => runs.push(Run {
                    range: part.range(),
                    blocks: vec![(number, part)],
                }),
            }
        }
        let ranges: Vec<Range<u64>> = runs.iter().map(|run| run.range.clone()).collect();
        let read = stream::iter(ranges).map(|range| self.bytes_of(range));
        let read: Vec<Bytes> = read.buffered(CONCURRENCY).try_collect().await?;
        for (run, packed) in runs.iter().zip(read) {
            for (number, part) in &run.blocks {
                let packed = within(&packed, run.range.start, part.range()).unwrap_or_default();
                let block = Block::open(&packed, part, self.footer());
                let block = DecodedPart::new(block.map_err(|source| self.damaged(source))?, Block::bytes);
                self.versions.kept.insert(self.part_key(part.name), block.clone());
                blocks.insert(*number, block.get(&self.key)?);
            }
        }
        Ok(blocks)
    }

    /// Reads a range, unless the end of the file that was read already contains it.
    async fn bytes_of(&self, range: Range<u64>) -> Result<Bytes, StoreError> {
        let tail = &self.opened.tail;
        let begin = self.footer().size().checked_sub(tail.len() as u64);
        match begin.and_then(|begin| within(tail, begin, range.clone())) {
            Some(packed) => Ok(packed),
            None => self.versions.objects.range(&self.key, range).await,
        }
    }

    /// Refuses a part whose content does not fit into memory.
    fn check_size(&self, part: &Part) -> Result<(), VersionError> {
        match part.content > MOST_CONTENT {
            true => Err(VersionError::TooLarge {
                file: self.key.to_string(),
                bytes: part.content,
            }),
            false => Ok(()),
        }
    }
}

/// Blocks that lie one behind the other, by their numbers, and the range of all.
struct Run {
    range: Range<u64>,
    blocks: Vec<(u32, Part)>,
}

impl Run {
    /// Whether a block lies behind these, and one read takes all.
    fn is_before(&self, part: &Part) -> bool {
        self.range.end == part.offset && part.range().end - self.range.start <= MOST_READ
    }

    fn add(&mut self, number: u32, part: Part) {
        self.range.end = part.range().end;
        self.blocks.push((number, part));
    }
}

/// Returns the bytes of a range of an object, given a part of the object that begins at `start`; none if the part does not contain the whole range.
pub(crate) fn within(bytes: &Bytes, start: u64, range: Range<u64>) -> Option<Bytes> {
    let place = |at: u64| usize::try_from(at.checked_sub(start)?).ok();
    let (from, to) = (place(range.start)?, place(range.end)?);
    (from <= to && to <= bytes.len()).then(|| bytes.slice(from..to))
}

pub(crate) fn inconsistent(file: &str, what: &'static str) -> VersionError {
    VersionError::Inconsistent {
        file: file.to_owned(),
        what,
    }
}
