//! The access patterns, each one request (docs/access-patterns.md has their units).

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use taxonomy_keys::{CategoryId, Culture, Key, TenantId, TermId, pattern};
use taxonomy_model::attribute::{Attributes, Value, get, read};
use taxonomy_model::stored::{StoredCategory, StoredTerm};

use crate::error::StoreError;
use crate::table::attributes::{from_sdk, read_by};
use crate::table::head::Head;
use crate::table::{Consistency, Table, page};

/// Reads the projection.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(crate) table: Table,
}

/// A stored value and the version that last wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The value.
    pub value: T,
    /// The version that last wrote it. That of a value that is absent is its tombstone's, and 0 if it never existed.
    pub modified_in: u64,
}

/// One item of a term: the term in one culture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermItem {
    /// The term.
    pub id: TermId,
    /// A further culture; `None` for the item in the default culture.
    pub culture: Option<Culture>,
}

impl Reader {
    /// Returns a reader of `table`.
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Opens a connection before the first request, by a read of an item that does not exist. A starting function has a whole processor; the
    /// handshake would cost the first caller many times as long. Success is not required.
    pub async fn warm_up(&self) {
        if let Ok(nobody) = "-".parse() {
            drop(self.head(&nobody, Consistency::Eventual).await);
        }
    }

    /// Returns the head of a tenant; `None` for a tenant without an upload. One Query of one item, which costs as much as reading the head alone.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the head is malformed, or lost: the tenant has a log. [`StoreError::Request`] if the request fails.
    pub async fn head(
        &self,
        tenant: &TenantId,
        consistency: Consistency,
    ) -> Result<Option<Head>, StoreError> {
        let request = self
            .table
            .query_request(pattern::head_or_log(tenant), consistency);
        let page = page(request.scan_index_forward(false).limit(1)).await?;
        let Some(item) = page.items.into_iter().next() else {
            return Ok(None);
        };
        let item = from_sdk(item)?;
        match get(&item, "SK") == Ok(pattern::head(tenant).sk.as_str()) {
            true => read_by(item, Head::read).map(Some),
            false => {
                let lost = format!("the head of {tenant}");
                Err(StoreError::damaged(lost, "it is lost, and its log has versions"))
            }
        }
    }

    /// Returns the existing ones of `items`, in their order; no item may be named twice. One GetItem for one, one BatchGetItem for a hundred. A damaged
    /// item is an error of its own.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn term_items(
        &self,
        tenant: &TenantId,
        items: &[TermItem],
        consistency: Consistency,
    ) -> Result<Vec<Result<Versioned<Option<StoredTerm>>, StoreError>>, StoreError> {
        if let [item] = items {
            let found = self.table.get(term_item(tenant, item), consistency).await?;
            return Ok(vec![read_term(found)]);
        }
        let keys: Vec<Key> = items.iter().map(|item| term_item(tenant, item)).collect();
        let mut there = HashMap::new();
        for item in self.table.get_all(keys.clone(), consistency).await? {
            let (pk, sk) = (get(&item, "PK")?, get(&item, "SK")?);
            there.insert(Key { pk, sk }, item);
        }
        Ok(keys
            .into_iter()
            .map(|key| read_term(there.remove(&key)))
            .collect())
    }

    /// Returns a category, by one GetItem.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn category(
        &self,
        tenant: &TenantId,
        id: CategoryId,
        consistency: Consistency,
    ) -> Result<Versioned<Option<StoredCategory>>, StoreError> {
        optional(self.table.get(pattern::category(tenant, id), consistency).await?)
    }
}

fn term_item(tenant: &TenantId, item: &TermItem) -> Key {
    match &item.culture {
        None => pattern::term(tenant, item.id),
        Some(culture) => pattern::term_in_culture(tenant, item.id, culture),
    }
}

fn read_term(item: Option<Attributes>) -> Result<Versioned<Option<StoredTerm>>, StoreError> {
    optional(item)
}

fn optional<T: DeserializeOwned>(item: Option<Attributes>) -> Result<Versioned<Option<T>>, StoreError> {
    let Some(item) = item else {
        return Ok(Versioned {
            value: None,
            modified_in: 0,
        });
    };
    if is_void(&item) {
        return Ok(Versioned {
            value: None,
            modified_in: get(&item, "V")?,
        });
    }
    let Versioned { value, modified_in } = versioned(item)?;
    Ok(Versioned {
        value: Some(value),
        modified_in,
    })
}

/// Decodes an item.
pub(crate) fn versioned<T: DeserializeOwned>(item: Attributes) -> Result<Versioned<T>, StoreError> {
    Ok(Versioned {
        modified_in: get(&item, "V")?,
        value: read(item)?,
    })
}

/// Returns whether an item stands for none, and expires: that of a culture in which a term has no name any more, and what a repair found that should not
/// exist. The tombstone of a category or term itself does not expire.
pub(crate) fn is_void(item: &Attributes) -> bool {
    item.get("Removed") == Some(&Value::Bool(true)) && item.contains_key("ExpiresAt")
}
