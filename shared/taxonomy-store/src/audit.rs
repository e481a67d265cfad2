//! Items as they are stored, tombstones included: what those read who verify.

use taxonomy_keys::Key;
use taxonomy_keys::pattern::{Index, Query};
use taxonomy_model::attribute::{Attributes, Fields, Value};

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
    /// Where the index lists it; none also where it was read through the index.
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
        Fields(&self.attributes).flag("Removed")
    }
}

impl Reader {
    /// Everything that a query finds, all pages of it, consistently where that can be had.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the list does not end.
    pub async fn whole(&self, query: Query) -> Result<Vec<StoredItem>, StoreError> {
        let consistency = match query.index {
            Index::Table => Consistency::Strong,
            Index::Gsi1 => Consistency::Eventual,
        };
        let (mut found, mut start) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self
                .table()
                .query(query.clone(), consistency, None, start)
                .await?;
            for item in page.items {
                found.push(stored(item)?);
            }
            start = page.next;
            if start.is_none() {
                return Ok(found);
            }
        }
        Err(StoreError::Unprocessed { operation: "Query" })
    }
}

fn stored(mut item: Attributes) -> Result<StoredItem, StoreError> {
    let mut take = |name: &str| match item.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let key = (take("PK"), take("SK"));
    let index = (take("GSI1PK"), take("GSI1SK"));
    take("EntityType");
    let pair = |(pk, sk): (Option<String>, Option<String>)| Some(Key { pk: pk?, sk: sk? });
    let version = Fields(&item).number("V")?;
    item.remove("V");
    Ok(StoredItem {
        key: pair(key).ok_or_else(|| StoreError::damaged("an item", "it has no key"))?,
        index: pair(index),
        version,
        attributes: item,
    })
}
