//! Searches in the search object of a version and a culture, by ranged reads through the cache of parts (docs/decisions/0019-search.md).
//!
//! A search stops for missing parts at most [`MAX_ROUNDS`] times. Each round reads them concurrently. The index file of a version names its search
//! objects, which are stored before it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_index::search::{
    Damage, FOOTER_BYTES, Findings, Found, Hit, Index, MAX_READ_BYTES, MAX_ROUNDS, PartId, Query,
    SearchError, SearchFooter, SearchOptions, SearchPart,
};
use taxonomy_keys::Culture;

use crate::files::error::VersionError;
use crate::files::parts::{FilePart, PartKey, VersionFiles, inconsistent, within};
use crate::files::version_file::VersionFile;

/// The size of the first read of an object, its last bytes. They contain the footer, and the root of any object of up to a million names; a
/// smaller object fits into them whole.
const SEARCH_TAIL: u64 = 64 << 10;

/// The maximum number of parts that are read concurrently. A round of a usual query has fewer; one for typos has up to 96.
const CONCURRENCY: usize = 32;

impl VersionFile<'_> {
    /// Finds names of a culture; none if the version has no names in it.
    ///
    /// # Errors
    /// [`VersionError`] if the search object cannot be read, or is not that of the version.
    pub async fn find(
        &self,
        culture: &Culture,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<Option<Findings>, VersionError> {
        let Some(object) = self.search_object(culture) else {
            return Ok(None);
        };
        let found = object.search(self.footer().terms().end, |index, parts| {
            index.find(query, options, parts)
        });
        Ok(Some(found.await?))
    }

    /// Completes names that were found.
    ///
    /// # Errors
    /// [`VersionError`] as of [`find`](Self::find).
    pub async fn hits(
        &self,
        culture: &Culture,
        query: &Query,
        found: &[Found],
    ) -> Result<Vec<Hit>, VersionError> {
        let Some(object) = self.search_object(culture) else {
            return Ok(Vec::new());
        };
        let hits = object.search(self.footer().terms().end, |index, parts| {
            index.hits(query, found, parts)
        });
        hits.await
    }

    /// Returns the part that is the automaton of the names of a culture; none if the version has no names in it.
    ///
    /// # Errors
    /// [`VersionError`] as of [`find`](Self::find), or if the names are too many for an automaton.
    pub async fn automaton(&self, culture: &Culture) -> Result<Option<SearchPart>, VersionError> {
        let Some(object) = self.search_object(culture) else {
            return Ok(None);
        };
        let root = object.root().await?;
        object.check(&root, self.footer().terms().end)?;
        let id = root.index.automaton();
        let id = id.ok_or_else(|| VersionError::TooManyNames {
            object: object.key.to_string(),
            culture: culture.clone(),
        })?;
        let part = object.part(&root, id).await?;
        match part.automaton() {
            Some(_) => Ok(Some(part)),
            None => Err(inconsistent(&object.key, "its automaton cannot be opened")),
        }
    }

    fn search_object(&self, culture: &Culture) -> Option<SearchObject<'_>> {
        Some(SearchObject {
            versions: self.versions,
            key: self.footer().search_key(culture)?.into(),
        })
    }
}

/// The root of a search object, and the whole object if it fits into the first read.
#[derive(Debug)]
struct SearchRoot {
    index: Index,
    /// The whole object, or empty.
    whole: Bytes,
}

impl SearchRoot {
    fn bytes(&self) -> usize {
        self.index.size_in_memory() + self.whole.len()
    }
}

/// A search object.
struct SearchObject<'v> {
    versions: &'v VersionFiles,
    key: Arc<str>,
}

impl SearchObject<'_> {
    /// Searches, and reads the parts that are missing. The object must have this number of ordinals.
    async fn search<T>(
        &self,
        ordinals: u32,
        search: impl Fn(&Index, &HashMap<PartId, SearchPart>) -> Result<T, SearchError>,
    ) -> Result<T, VersionError> {
        let root = self.root().await?;
        self.check(&root, ordinals)?;
        let mut parts: HashMap<PartId, SearchPart> = HashMap::new();
        // The first search has no parts yet.
        for _ in 0..=MAX_ROUNDS {
            match search(&root.index, &parts) {
                Ok(answer) => return Ok(answer),
                Err(SearchError::Missing(missing)) => parts.extend(self.parts(&root, missing).await?),
                Err(SearchError::Damaged(damage)) => return Err(self.damaged(damage)),
            }
        }
        Err(inconsistent(&self.key, "a search asks for ever more parts"))
    }

    fn damaged(&self, source: Damage) -> VersionError {
        VersionError::DamagedSearch {
            object: self.key.to_string(),
            source,
        }
    }

    fn key_of(&self, part: FilePart) -> PartKey {
        PartKey {
            file: self.key.clone(),
            part,
        }
    }

    /// Refuses the root of an object of another number of ordinals.
    fn check(&self, root: &SearchRoot, ordinals: u32) -> Result<(), VersionError> {
        match root.index.ordinals() == ordinals {
            true => Ok(()),
            false => Err(inconsistent(
                &self.key,
                "it has other ordinals than the index file",
            )),
        }
    }

    async fn root(&self) -> Result<Arc<SearchRoot>, VersionError> {
        let key = self.key_of(FilePart::SearchRoot);
        let read = self.read_root(SEARCH_TAIL);
        self.versions.part(key, read, SearchRoot::bytes).await
    }

    /// Reads the footer and the root; `tail` is the size of the first read.
    async fn read_root(&self, tail: u64) -> Result<SearchRoot, VersionError> {
        let end = self.versions.objects.tail(&self.key, tail).await?;
        let footer = end.bytes.len().saturating_sub(FOOTER_BYTES);
        let footer = SearchFooter::read(&end.bytes.slice(footer..), end.size)
            .map_err(|damage| self.damaged(damage))?;
        let tail_start = end.size.saturating_sub(end.bytes.len() as u64);
        let root = match within(&end.bytes, tail_start, footer.root()) {
            Some(root) => root,
            None => self.long(footer.root()).await?,
        };
        let index = Index::open(&footer, &root).map_err(|damage| self.damaged(damage))?;
        let is_whole = tail_start == 0;
        Ok(SearchRoot {
            index,
            whole: if is_whole { end.bytes } else { Bytes::new() },
        })
    }

    /// Reads a range that may be longer than one read, by concurrent reads.
    async fn long(&self, range: Range<u64>) -> Result<Bytes, VersionError> {
        let read = stream::iter(reads(range)).map(|read| self.versions.objects.range(&self.key, read));
        let read: Vec<Bytes> = read.buffered(CONCURRENCY).try_collect().await?;
        let mut joined = BytesMut::with_capacity(read.iter().map(Bytes::len).sum());
        read.iter().for_each(|bytes| joined.extend_from_slice(bytes));
        Ok(joined.freeze())
    }

    /// Reads the parts of a round concurrently.
    async fn parts(
        &self,
        root: &SearchRoot,
        ids: Vec<PartId>,
    ) -> Result<Vec<(PartId, SearchPart)>, VersionError> {
        let read = stream::iter(ids).map(async |id| Ok::<_, VersionError>((id, self.part(root, id).await?)));
        read.buffered(CONCURRENCY).try_collect().await
    }

    /// Returns a part from the cache, from the whole object if that is cached, or by a read of its own. Concurrent reads of the same part are
    /// coalesced.
    async fn part(&self, root: &SearchRoot, id: PartId) -> Result<SearchPart, VersionError> {
        let range = root.index.range(id);
        let open = |bytes: &[u8]| root.index.part(id, bytes).map_err(|damage| self.damaged(damage));
        if let Some(bytes) = within(&root.whole, 0, range.clone()) {
            return open(&bytes);
        }
        let key = self.key_of(FilePart::Search(id));
        let read = async { open(&self.versions.objects.range(&self.key, range).await?) };
        let part = self.versions.part(key, read, SearchPart::size).await?;
        Ok((*part).clone())
    }
}

/// Splits a range into reads of at most [`MAX_READ_BYTES`].
fn reads(range: Range<u64>) -> Vec<Range<u64>> {
    let step = usize::try_from(MAX_READ_BYTES).unwrap_or(usize::MAX);
    let starts = range.clone().step_by(step);
    starts
        .map(|start| start..range.end.min(start + MAX_READ_BYTES))
        .collect()
}

#[cfg(test)]
mod tests {
    use taxonomy_index::search::{Entry, Kind, Language, write};
    use taxonomy_store::Archive;
    use taxonomy_testkit::S3Fake;

    use super::*;

    /// Returns an object with names, as bytes.
    fn object(names: u32) -> Vec<u8> {
        let texts: Vec<_> = (0..names).map(|ordinal| format!("Name {ordinal}")).collect();
        let entries = (0..).zip(&texts).map(|(ordinal, name)| Entry {
            ordinal,
            id: ordinal.into(),
            name,
            kind: Kind::Preferred,
            depth: 1,
            deprecated: false,
            sort_key: "",
        });
        write(Language::parse("en"), names, entries.collect()).unwrap()
    }

    /// From a first read of the whole object, the root; from the footer alone, a second read; a shorter one is not an object.
    #[tokio::test]
    async fn a_root_that_the_first_read_does_not_hold_is_read_by_itself() {
        let archive = Archive::new(S3Fake::new().client(), "changesets");
        let bytes = object(500);
        let (key, size) = ("indexes/acme/1/000000000001-a.search-en-GB", bytes.len() as u64);
        let stored = taxonomy_store::Object::file(key.to_owned(), bytes.into());
        archive.put(&stored).await.unwrap();
        let versions = VersionFiles::new(archive, 1 << 20);
        let object = SearchObject {
            versions: &versions,
            key: key.into(),
        };
        let footer = FOOTER_BYTES as u64;
        for (tail, is_whole) in [
            (size + 1, true),
            (size, true),
            (size - 1, false),
            (footer + 1, false),
            (footer, false),
        ] {
            let root = object.read_root(tail).await.unwrap();
            assert_eq!(root.index.name_count(), 500, "{tail}");
            assert_eq!(!root.whole.is_empty(), is_whole, "{tail}");
        }
        let short = object.read_root(footer - 1).await.unwrap_err();
        assert!(matches!(short, VersionError::DamagedSearch { .. }), "{short:?}");
    }

    #[test]
    fn a_long_range_is_read_in_pieces_without_gaps() {
        const MIB: u64 = 1 << 20;
        for (range, expect) in [
            (5..5, &[][..]),
            (5..6, &[(5, 6)]),
            (5..5 + MIB, &[(5, 5 + MIB)]),
            (5..6 + MIB, &[(5, 5 + MIB), (5 + MIB, 6 + MIB)]),
        ] {
            let found: Vec<(u64, u64)> = reads(range).iter().map(|read| (read.start, read.end)).collect();
            assert_eq!(found, expect);
        }
        let reads = reads(3..3 + 16 * MIB);
        assert_eq!(reads.len(), 16);
        assert!(reads.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn a_range_outside_the_bytes_is_not_within() {
        let bytes = Bytes::from_static(b"0123456789");
        for (start, range, expect) in [
            (0, 2..4, Some("23")),
            (100, 100..110, Some("0123456789")),
            (100, 99..101, None),
            (100, 109..111, None),
            (0, 10..10, Some("")),
        ] {
            let found = within(&bytes, start, range.clone());
            assert_eq!(found.as_deref(), expect.map(str::as_bytes), "{start} {range:?}");
        }
        assert_eq!(within(&Bytes::new(), 0, 0..1), None);
    }
}
