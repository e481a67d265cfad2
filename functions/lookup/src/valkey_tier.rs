//! The second cache tier over Valkey or Redis: the implementation of the port [`SecondTier`] for stacks that name a server.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_keys::Version;
use taxonomy_valkey::{EntriesOf, ReadResult, Valkey};

use crate::cache::{CachedEntries, SecondTier, TierErrors, VersionKey};

/// Valkey connects with the first request, or with [`SecondTier::warm_up`].
impl SecondTier for Valkey {
    fn get<'a>(&'a self, version: &'a VersionKey, entries: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        async move {
            let changeset = version.changeset();
            let of = EntriesOf::new(version.version, &changeset);
            let ReadResult { newest, values } = self.get(&version.tenant, &of, entries).await;
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
            let of = EntriesOf::new(version.version, &changeset);
            self.put(&version.tenant, &of, entries).await;
        }
        .boxed()
    }

    fn warm_up(&self) -> BoxFuture<'_, ()> {
        self.connect().boxed()
    }

    fn take_errors(&self) -> TierErrors {
        self.take_errors()
    }
}
