//! The access patterns, each one request (docs/access-patterns.md has their units).

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use taxonomy_keys::{CategoryId, Culture, Key, TenantId, TermId, pattern};
use taxonomy_model::attribute::{Attributes, Value, get, read};
use taxonomy_model::stored::{StoredCategory, StoredTerm};

use crate::error::StoreError;
use crate::table::head::Head;
use crate::table::{Consistency, Table};

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

    /// Returns the head of a tenant; `None` for a tenant without an upload.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn head(
        &self,
        tenant: &TenantId,
        consistency: Consistency,
    ) -> Result<Option<Head>, StoreError> {
        let item = self.table.get(pattern::head(tenant), consistency).await?;
        Ok(item.map(Head::read).transpose()?)
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

/// Drops the item of a culture in which the term has no name any more; the tombstone of a term itself is returned.
fn read_term(item: Option<Attributes>) -> Result<Versioned<Option<StoredTerm>>, StoreError> {
    if let Some(item) = &item
        && is_removed(item)
        && get::<&str>(item, "EntityType")? != "Term"
    {
        return Ok(Versioned {
            value: None,
            modified_in: get(item, "V")?,
        });
    }
    optional(item)
}

fn optional<T: DeserializeOwned>(item: Option<Attributes>) -> Result<Versioned<Option<T>>, StoreError> {
    let Some(item) = item else {
        return Ok(Versioned {
            value: None,
            modified_in: 0,
        });
    };
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

/// Returns whether an item is marked as removed.
pub(crate) fn is_removed(item: &Attributes) -> bool {
    item.get("Removed") == Some(&Value::Bool(true))
}
