//! Answers with an ETag, bounded by bytes.

use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::target::Target;
use crate::transport::RawResponse;

/// The bytes of a usual answer: it decides how much the cache remembers of entries that went.
const USUAL_BYTES: usize = 2_000;
/// The memory of an entry besides its texts.
const OVERHEAD: usize = 128;
/// A tag of the service has 40 characters; a long one would not fit into a request.
const MAX_TAG: usize = 256;

/// An answer that the service confirms with 304 as long as it is right.
#[derive(Debug)]
pub(crate) struct CachedAnswer {
    pub(crate) etag: String,
    pub(crate) body: Box<[u8]>,
}

/// Answers by path and query, which name the tenant. One client has one identity, and so its cache has.
#[derive(Debug)]
pub(crate) struct EtagCache(Option<Cache<String, Arc<CachedAnswer>, ByteWeighter>>);

#[derive(Debug, Clone)]
struct ByteWeighter;

impl Weighter<String, Arc<CachedAnswer>> for ByteWeighter {
    fn weight(&self, target: &String, kept: &Arc<CachedAnswer>) -> u64 {
        let bytes = target.len() + kept.etag.len() + kept.body.len() + OVERHEAD;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl EtagCache {
    /// A cache of so many bytes; none where they are 0.
    pub(crate) fn new(bytes: u64) -> Self {
        let expected = usize::try_from(bytes).unwrap_or(usize::MAX) / USUAL_BYTES;
        // One shard, so that an entry may be as large as all of the cache.
        let mut options = OptionsBuilder::new();
        let options = options
            .shards(1)
            .estimated_items_capacity(expected)
            .weight_capacity(bytes)
            .build();
        // Only an option that is left out makes building fail; without a cache every answer is right too.
        let cache = options.ok().filter(|_| bytes > 0).map(|options| {
            let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
            Cache::with_options(options, ByteWeighter, hasher, lifecycle)
        });
        Self(cache)
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn get(&self, target: &Target) -> Option<Arc<CachedAnswer>> {
        self.0.as_ref()?.get(target.as_str())
    }

    /// Keeps an answer that has a tag and may be kept.
    pub(crate) fn keep(&self, target: &Target, response: RawResponse) {
        let Some(cache) = &self.0 else { return };
        let is_tag = |tag: &&str| tag.len() <= MAX_TAG && tag.bytes().all(|c| c.is_ascii_graphic());
        match response.header("etag").filter(is_tag).map(str::to_owned) {
            Some(etag) if response.is_storable() => {
                let body = response.body.into_boxed_slice();
                cache.insert(target.as_str().to_owned(), Arc::new(CachedAnswer { etag, body }));
            }
            _ => drop(cache.remove(target.as_str())),
        }
    }

    /// The bytes of all entries.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, Cache::weight)
    }
}
