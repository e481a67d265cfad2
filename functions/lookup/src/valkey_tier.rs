//! The second cache tier over Valkey or Redis: the implementation of the port [`SecondTier`] for stacks that name a server.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_keys::Version;
use taxonomy_runtime::{Clock, ConfigError};
use taxonomy_valkey::{EntriesOf, ReadResult, Stats, Valkey, ValkeyConfig};

use crate::cache::{CachedEntries, SecondTier, TierErrors, VersionKey};

/// A second tier whose entries are in Valkey.
#[derive(Debug)]
pub struct ValkeyTier(Valkey);

impl ValkeyTier {
    /// Creates the tier. It connects with the first request, or with [`SecondTier::warm_up`].
    ///
    /// # Errors
    /// [`ConfigError`] when the address or the certificate of the server is invalid.
    pub fn new(config: &ValkeyConfig, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        Valkey::new(config, clock).map(Self)
    }
}

impl SecondTier for ValkeyTier {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            let changeset = version.changeset();
            let of = EntriesOf::new(version.version(), &changeset);
            let ReadResult { newest, values } = self.0.get(version.tenant(), &of, entries).await;
            CachedEntries {
                newest_version: newest.map(Version::get),
                values,
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, version: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            let changeset = version.changeset();
            let of = EntriesOf::new(version.version(), &changeset);
            self.0.put(version.tenant(), &of, entries).await;
        }
        .boxed()
    }

    fn warm_up(&self) -> BoxFuture<'_, ()> {
        self.0.connect().boxed()
    }

    fn take_errors(&self) -> TierErrors {
        let Stats { failed, skipped } = self.0.take_stats();
        TierErrors { failed, skipped }
    }
}
