//! Items as they are stored, tombstones included: what those read who verify.

use taxonomy_keys::Key;
use taxonomy_keys::pattern::Query;
use taxonomy_model::attribute::{Attributes, Value, get};

use crate::error::StoreError;
use crate::reader::Reader;
use crate::table::Consistency;

/// The most pages of one list: a gigabyte.
const MAX_PAGES: usize = 1024;

/// An item as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// Its primary key.
    pub key: Key,
    /// Where the index lists it.
    pub index: Option<Key>,
    /// The version that wrote it.
    pub version: u64,
    /// Everything else but `EntityType`.
    pub attributes: Attributes,
}

impl StoredItem {
    /// Whether it stands for something that is gone.
    #[must_use]
    pub fn is_tombstone(&self) -> bool {
        is_removed(&self.attributes)
    }
}

impl Reader {
    /// All items of a partition of the table, read consistently.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the partition does not end.
    pub async fn whole(&self, query: Query) -> Result<Vec<StoredItem>, StoreError> {
        self.all(query, Consistency::Strong, stored).await
    }

    /// The primary keys of everything that a list of the index holds.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be read, or the list does not end.
    pub async fn listed(&self, query: Query) -> Result<Vec<Key>, StoreError> {
        let key = |mut item: Attributes| key(&mut item, ["PK", "SK"]);
        self.all(query, Consistency::Eventual, |item| key(item).ok_or_else(no_key))
            .await
    }

    async fn all<T>(
        &self,
        query: Query,
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

/// True for an item that is marked as removed.
pub(crate) fn is_removed(item: &Attributes) -> bool {
    item.get("Removed") == Some(&Value::Bool(true))
}

/// Takes a key out of an item.
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
