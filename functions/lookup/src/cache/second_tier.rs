//! The port of a cache that processes share. Without one, the lookup has the memory of its process only.

use std::fmt::Debug;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};

use crate::cache::current_version::VersionKey;

pub use taxonomy_valkey::TierErrors;

/// A cache outside the process. It never fails: an implementation counts its errors and stops sending requests for a while. It has its own
/// time-out, after which a `get` has found nothing and a `put` ends.
pub trait SecondTier: Debug + Send + Sync {
    /// Returns the values of `entries` under `version`, and the newest known version of the tenant, by one request. Names of entries are
    /// visible ASCII without blanks, of at most 128 bytes.
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries>;

    /// Stores entries under `version`.
    fn put<'a>(&'a self, version: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()>;

    /// Opens a connection before the first request.
    fn warm_up(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }

    /// Returns the failures since the last call.
    fn take_errors(&self) -> TierErrors {
        TierErrors::default()
    }
}

/// The result of a `get`. The default is a miss for every entry, as when the server is down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CachedEntries {
    /// The highest version of the tenant that any process saw committed: a hint to read the head again, never a value.
    pub newest_version: Option<u64>,
    /// The values in the order of the entries; missing values at the end are misses.
    pub values: Vec<Option<Vec<u8>>>,
}
