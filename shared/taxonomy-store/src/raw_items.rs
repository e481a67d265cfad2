//! Raw items, tombstones included, for verification.

use taxonomy_keys::Key;
use taxonomy_keys::pattern::KeyQuery;
use taxonomy_model::attribute::{Attributes, Value, get};

use crate::error::StoreError;
use crate::reader::{Reader, is_removed};
use crate::table::Consistency;

/// The maximum number of pages of one list: a gigabyte.
const MAX_PAGES: usize = 1024;

/// A raw item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// Its primary key.
    pub key: Key,
    /// Its keys in the index.
    pub index: Option<Key>,
    /// The version that wrote it.
    pub version: u64,
    /// All other attributes except `EntityType`.
    pub attributes: Attributes,
}

impl StoredItem {
    /// Whether it is a tombstone.
    #[must_use]
    pub fn is_tombstone(&self) -> bool {
        is_removed(&self.attributes)
    }
}

impl Reader {
    /// Returns all items of a partition of the table, read consistently.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the partition does not end.
    pub async fn whole(&self, query: KeyQuery) -> Result<Vec<StoredItem>, StoreError> {
        self.all(query, Consistency::Strong, stored).await
    }

    /// Returns the primary keys of all items in a list of the index.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the list does not end.
    pub async fn listed(&self, query: KeyQuery) -> Result<Vec<Key>, StoreError> {
        let key = |mut item: Attributes| key(&mut item, ["PK", "SK"]);
        self.all(query, Consistency::Eventual, |item| key(item).ok_or_else(no_key))
            .await
    }

    async fn all<T>(
        &self,
        query: KeyQuery,
        consistency: Consistency,
        read: impl Fn(Attributes) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let (mut found, mut start) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self
                .table()
                .query(query.clone(), consistency, None, start)
                .await?;
            for item in page.items {
                found.push(read(item)?);
            }
            start = page.next;
            if start.is_none() {
                return Ok(found);
            }
        }
        Err(StoreError::Unprocessed { operation: "Query" })
    }
}

/// Removes a key from an item and returns it.
fn key(item: &mut Attributes, [pk, sk]: [&str; 2]) -> Option<Key> {
    let mut take = |name: &str| match item.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (pk, sk) = (take(pk), take(sk));
    Some(Key { pk: pk?, sk: sk? })
}

fn no_key() -> StoreError {
    StoreError::damaged("an item", "it has no key")
}

fn stored(mut item: Attributes) -> Result<StoredItem, StoreError> {
    let own = key(&mut item, ["PK", "SK"]).ok_or_else(no_key)?;
    let index = key(&mut item, ["GSI1PK", "GSI1SK"]);
    item.remove("EntityType");
    let version = get(&item, "V")?;
    item.remove("V");
    Ok(StoredItem {
        key: own,
        index,
        version,
        attributes: item,
    })
}
