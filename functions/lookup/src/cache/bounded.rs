//! A cache in memory that is bounded in bytes.

use std::hash::Hash;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// Creates a cache of at most `bytes` bytes in all, for values of usually `usual` bytes. The usual size sets the number of entries that the cache
/// expects, and with it the number of evicted keys that it remembers.
pub(crate) fn bounded<K: Eq + Hash, V: Clone, W: Weighter<K, V> + Clone>(
    bytes: u64,
    usual: u64,
    weigher: W,
) -> Cache<K, V, W> {
    let expected = usize::try_from(bytes / usual).unwrap_or(usize::MAX);
    // One shard: a Lambda process serves one request at a time, and a value may then be as large as the whole cache.
    let mut options = OptionsBuilder::new();
    options
        .shards(1)
        .estimated_items_capacity(expected)
        .weight_capacity(bytes);
    match options.build() {
        Ok(options) => {
            let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
            Cache::with_options(options, weigher, hasher, lifecycle)
        }
        // Only the options omitted above could be invalid.
        Err(_) => Cache::with_weighter(expected, bytes, weigher),
    }
}
