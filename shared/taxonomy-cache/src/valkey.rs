//! The second tier that stacks name: Valkey or Redis.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use taxonomy_keys::Version;
use taxonomy_valkey::{Answer, EntriesOf, Stats, Valkey};

use crate::second_tier::{Kept, SecondTier, Trouble};
use crate::view::ViewKey;

impl SecondTier for Valkey {
    fn get<'a>(&'a self, view: &'a ViewKey, entries: &'a [String]) -> BoxFuture<'a, Kept> {
        async move {
            let changeset = view.changeset();
            let Some(version) = Version::new(view.version()) else {
                return Kept::default();
            };
            let of = EntriesOf::new(version, &changeset);
            let Answer { newest, values } = Valkey::get(self, view.tenant(), &of, entries).await;
            Kept {
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
                Valkey::put(self, view.tenant(), &EntriesOf::new(version, &changeset), entries).await;
            }
        }
        .boxed()
    }

    fn warm_up(&self) -> BoxFuture<'_, ()> {
        self.connect().boxed()
    }

    fn take_trouble(&self) -> Trouble {
        let Stats { failed, skipped } = self.take_stats();
        Trouble { failed, skipped }
    }
}
