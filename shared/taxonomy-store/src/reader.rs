//! The access patterns, each one request (docs/access-patterns.md has their units).

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{CategoryId, Culture, Key, TenantId, TermId, pattern};
use taxonomy_model::attribute::{Attributes, Fields};
use taxonomy_model::stored::{StoredAncestor, StoredCategory, StoredTerm};

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

/// A term in the default culture with the items of its ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermWithAncestors {
    /// The term; its lineage is the truth about its ancestors, since one item is atomic.
    pub term: StoredTerm,
    /// What the lineage leaves out, nearest first; to be used only where id and FinalName agree with the lineage.
    pub ancestors: Vec<StoredAncestor>,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Where the next page begins: the sort key of the index and the primary key of the last item read.
    pub next: Option<[String; 3]>,
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
        Ok(item.as_ref().map(Head::read).transpose()?)
    }

    /// A term in the default culture with its ancestors: one Query.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn term(
        &self,
        tenant: &TenantId,
        id: TermId,
        consistency: Consistency,
    ) -> Result<Read<Option<Found<TermWithAncestors>>>, StoreError> {
        let query = pattern::term_with_ancestors(tenant, id);
        // A term and 31 ancestors of the largest size stay far below the 1 MB of a page.
        let page = self.table.query(query, consistency, None, None).await?;
        let (mut ancestors, mut found, mut newest) = (Vec::new(), None, 0);
        for item in &page.items {
            newest = version(item)?.max(newest);
            match (entity_type(item)?, is_tombstone(item)) {
                ("Term", _) => found = Some((StoredTerm::read(item)?, version(item)?)),
                (_, false) => ancestors.push(StoredAncestor::read(item)?),
                // The tombstone of a satellite: the term had more ancestors once.
                (_, true) => {}
            }
        }
        let value = found.map(|(term, modified_in)| Found {
            value: TermWithAncestors { term, ancestors },
            modified_in,
        });
        Ok(Read { value, newest })
    }

    /// What there is of `items`, in their order; no item may be named twice. One BatchGetItem for a hundred.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn term_items(
        &self,
        tenant: &TenantId,
        items: &[TermItem],
        consistency: Consistency,
    ) -> Result<Vec<Read<Option<Found<StoredTerm>>>>, StoreError> {
        let keys: Vec<Key> = items.iter().map(|item| term_item(tenant, item)).collect();
        let mut there = HashMap::new();
        for item in self.table.get_all(keys.clone(), consistency).await? {
            let fields = Fields(&item);
            let key = (fields.text("PK")?.to_owned(), fields.text("SK")?.to_owned());
            there.insert(key, item);
        }
        let read = keys.into_iter().map(|key| match there.remove(&(key.pk, key.sk)) {
            None => Ok(Read {
                value: None,
                newest: 0,
            }),
            // A culture that the term has no name in any more; a term that is gone is found all the same.
            Some(item) if entity_type(&item)? != "Term" && is_tombstone(&item) => Ok(Read {
                value: None,
                newest: version(&item)?,
            }),
            Some(item) => read_one(StoredTerm::read(&item)?, &item),
        });
        read.collect()
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
            None => Ok(Read {
                value: None,
                newest: 0,
            }),
            Some(item) => read_one(StoredCategory::read(&item)?, &item),
        }
    }

    /// A page of a tenant's categories, in order; `start` is the end of the page before. The index knows no consistent read.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn categories(
        &self,
        tenant: &TenantId,
        limit: u16,
        start: Option<[String; 3]>,
    ) -> Result<Read<Page<Found<StoredCategory>>>, StoreError> {
        let query = pattern::categories(tenant);
        let start = start.map(|[gsi1_sk, pk, sk]| {
            let values = [
                ("GSI1PK", query.partition.clone()),
                ("GSI1SK", gsi1_sk),
                ("PK", pk),
                ("SK", sk),
            ];
            values
                .map(|(name, value)| (name.to_owned(), AttributeValue::S(value)))
                .into()
        });
        let page = self
            .table
            .query(query, Consistency::Eventual, Some(i32::from(limit)), start)
            .await?;
        let (mut items, mut newest) = (Vec::with_capacity(page.items.len()), 0);
        for item in &page.items {
            let modified_in = version(item)?;
            newest = modified_in.max(newest);
            items.push(Found {
                value: StoredCategory::read(item)?,
                modified_in,
            });
        }
        let next = page.next.and_then(|key| {
            let text = |name: &str| key.get(name).and_then(|value| value.as_s().ok()).cloned();
            Some([text("GSI1SK")?, text("PK")?, text("SK")?])
        });
        let value = Page { items, next };
        Ok(Read { value, newest })
    }
}

fn term_item(tenant: &TenantId, item: &TermItem) -> Key {
    match &item.culture {
        None => pattern::term(tenant, item.id),
        Some(culture) => pattern::term_in_culture(tenant, item.id, culture),
    }
}

fn entity_type(item: &Attributes) -> Result<&str, StoreError> {
    Ok(Fields(item).text("EntityType")?)
}

fn is_tombstone(item: &Attributes) -> bool {
    Fields(item).flag("Removed")
}

fn version(item: &Attributes) -> Result<u64, StoreError> {
    Ok(Fields(item).number("V")?)
}

fn read_one<T>(value: T, item: &Attributes) -> Result<Read<Option<Found<T>>>, StoreError> {
    let modified_in = version(item)?;
    Ok(Read {
        value: Some(Found { value, modified_in }),
        newest: modified_in,
    })
}
