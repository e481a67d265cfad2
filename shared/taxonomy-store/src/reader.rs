//! The access patterns, each one request (docs/access-patterns.md has their units).

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::DeserializeOwned;
use taxonomy_keys::{CategoryId, Culture, ItemKey, Key, List, Place, TenantId, TermId, pattern};
use taxonomy_model::attribute::{Attributes, Malformed, get, read};
use taxonomy_model::stored::{ListedCategory, ListedTerm, StoredCategory, StoredTerm};

use crate::audit::is_removed;
use crate::error::StoreError;
use crate::head::Head;
use crate::table::{Consistency, Table};

/// Answers from the projection.
#[derive(Debug, Clone)]
pub struct Reader {
    table: Table,
}

/// What a request answered, and how new that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read<T> {
    /// The answer.
    pub value: T,
    /// The newest version that wrote any of the items that were looked at, tombstones of what is left out of the answer
    /// included; 0 where there were none.
    pub newest: u64,
}

impl<T> Read<Option<T>> {
    /// Nothing is there, and nothing was.
    const NOTHING: Self = Self {
        value: None,
        newest: 0,
    };
}

/// A stored value and the version that last wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// The version that last wrote it.
    pub modified_in: u64,
}

/// One item of a term, a complete answer in its culture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermItem {
    /// The term.
    pub id: TermId,
    /// A further culture; none for the item in the default culture.
    pub culture: Option<Culture>,
}

/// A row of a listing: a category or a term as the index shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<K, T> {
    /// Its id.
    pub id: K,
    /// The attributes that the index shows.
    pub value: T,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Where the last item read stands, if there may be more: the next page begins after it.
    pub next: Option<Place>,
}

impl Reader {
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Reads from `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Opens a connection before anybody waits for it: a read of something that is not there. While a function starts it has a
    /// whole processor; the handshake would cost the first caller many times as long. Whether it succeeds does not matter.
    pub async fn warm_up(&self) {
        if let Ok(nobody) = "-".parse() {
            drop(self.head(&nobody, Consistency::Eventual).await);
        }
    }

    /// The head of a tenant; none for a tenant that never uploaded anything.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn head(
        &self,
        tenant: &TenantId,
        consistency: Consistency,
    ) -> Result<Option<Head>, StoreError> {
        let item = self.table.get(pattern::head(tenant), consistency).await?;
        Ok(item.map(Head::read).transpose()?)
    }

    /// Returns those of `items` that exist, in their order; no item may be named twice. One GetItem for one, one BatchGetItem for a hundred.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn term_items(
        &self,
        tenant: &TenantId,
        items: &[TermItem],
        consistency: Consistency,
    ) -> Result<Vec<Read<Option<Found<StoredTerm>>>>, StoreError> {
        if let [item] = items {
            let found = self.table.get(term_item(tenant, item), consistency).await?;
            return Ok(vec![read_term(found)?]);
        }
        let keys: Vec<Key> = items.iter().map(|item| term_item(tenant, item)).collect();
        let mut there = HashMap::new();
        for item in self.table.get_all(keys.clone(), consistency).await? {
            let (pk, sk) = (get(&item, "PK")?, get(&item, "SK")?);
            there.insert(Key { pk, sk }, item);
        }
        keys.into_iter()
            .map(|key| read_term(there.remove(&key)))
            .collect()
    }

    /// A category: one GetItem.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn category(
        &self,
        tenant: &TenantId,
        id: CategoryId,
        consistency: Consistency,
    ) -> Result<Read<Option<Found<StoredCategory>>>, StoreError> {
        match self.table.get(pattern::category(tenant, id), consistency).await? {
            None => Ok(Read::NOTHING),
            Some(item) => read_one(item),
        }
    }

    /// A page of a tenant's categories, in order, after the place where the page before ended. The index knows no consistent read.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn categories(
        &self,
        tenant: &TenantId,
        limit: u16,
        after: Option<&Place>,
    ) -> Result<Page<Row<CategoryId, ListedCategory>>, StoreError> {
        let id = |key| match key {
            ItemKey::Category { category, .. } => Some(category),
            _ => None,
        };
        self.list(tenant, List::Categories, limit, after, id).await
    }

    /// A page of a list of terms, in order, after the place where the page before ended. The index knows no consistent read.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the list is not one of terms.
    pub async fn listed_terms(
        &self,
        tenant: &TenantId,
        list: List,
        limit: u16,
        after: Option<&Place>,
    ) -> Result<Page<Row<TermId, ListedTerm>>, StoreError> {
        let id = |key| match key {
            ItemKey::Term { term, .. } => Some(term),
            _ => None,
        };
        self.list(tenant, list, limit, after, id).await
    }

    async fn list<K, T: DeserializeOwned>(
        &self,
        tenant: &TenantId,
        list: List,
        limit: u16,
        after: Option<&Place>,
        id: impl Fn(ItemKey) -> Option<K>,
    ) -> Result<Page<Row<K, T>>, StoreError> {
        let start = after.map(|place| {
            let (item, index) = list.entry(tenant, place);
            let (item, index) = (item.key(), index.key());
            let values = [
                ("GSI1PK", index.pk),
                ("GSI1SK", index.sk),
                ("PK", item.pk),
                ("SK", item.sk),
            ];
            values
                .map(|(name, value)| (name.to_owned(), AttributeValue::S(value)))
                .into()
        });
        let query = pattern::siblings(tenant, list);
        let page = self
            .table
            .query(query, Consistency::Eventual, Some(i32::from(limit)), start)
            .await?;
        let items = page.items.into_iter().map(|item| {
            let key = ItemKey::parse(get(&item, "PK")?, get(&item, "SK")?).ok();
            let id = key.and_then(&id).ok_or_else(|| no_key_in("PK"))?;
            let value = read(item)?;
            Ok::<_, Malformed>(Row { id, value })
        });
        let items = items.collect::<Result<_, _>>()?;
        let next = page.next.map(|key| {
            let sort_key = key.get("GSI1SK").and_then(|value| value.as_s().ok());
            let place = sort_key.and_then(|sort_key| Place::parse(sort_key));
            place.ok_or_else(|| no_key_in("GSI1SK"))
        });
        Ok(Page {
            items,
            next: next.transpose()?,
        })
    }
}

fn term_item(tenant: &TenantId, item: &TermItem) -> Key {
    match &item.culture {
        None => pattern::term(tenant, item.id),
        Some(culture) => pattern::term_in_culture(tenant, item.id, culture),
    }
}

/// The item of a culture that the term has no name in any more is nothing; a term that is gone is found all the same.
fn read_term(item: Option<Attributes>) -> Result<Read<Option<Found<StoredTerm>>>, StoreError> {
    let Some(item) = item else {
        return Ok(Read::NOTHING);
    };
    if is_removed(&item) && get::<&str>(&item, "EntityType")? != "Term" {
        return Ok(Read {
            value: None,
            newest: get(&item, "V")?,
        });
    }
    read_one(item)
}

fn read_one<T: DeserializeOwned>(item: Attributes) -> Result<Read<Option<Found<T>>>, StoreError> {
    let found = found(item)?;
    Ok(Read {
        newest: found.modified_in,
        value: Some(found),
    })
}

/// A shape and the version of its item.
pub(crate) fn found<T: DeserializeOwned>(item: Attributes) -> Result<Found<T>, StoreError> {
    Ok(Found {
        modified_in: get(&item, "V")?,
        value: read(item)?,
    })
}

fn no_key_in(name: &str) -> Malformed {
    Malformed("not a key of this service".to_owned(), name.to_owned())
}
