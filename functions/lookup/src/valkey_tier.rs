//! The second cache tier over Valkey or Redis: the implementation of the port [`SecondTier`] for stacks that name a server.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_cache::{CachedEntries, SecondTier, TierErrors, ViewKey};
use taxonomy_keys::Version;
use taxonomy_runtime::{Clock, ConfigError};
use taxonomy_valkey::{EntriesOf, ReadResult, Stats, Valkey, ValkeyConfig};

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
    fn get<'a>(&'a self, view: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            let changeset = view.changeset();
            let Some(version) = Version::new(view.version()) else {
                return CachedEntries::default();
            };
            let of = EntriesOf::new(version, &changeset);
            let ReadResult { newest, values } = self.0.get(view.tenant(), &of, entries).await;
            CachedEntries {
                newest_version: newest.map(Version::get),
                values,
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, view: &'a ViewKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async move {
            let changeset = view.changeset();
            if let Some(version) = Version::new(view.version()) {
                let of = EntriesOf::new(version, &changeset);
                self.0.put(view.tenant(), &of, entries).await;
            }
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
