//! The access patterns, each one request (docs/access-patterns.md has their units).

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, pattern};
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

/// A stored value and the version that last wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// The version that last wrote it.
    pub modified_in: u64,
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
            drop(self.head(&nobody).await);
        }
    }

    /// The head of a tenant; none for a tenant that never uploaded anything.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn head(&self, tenant: &TenantId) -> Result<Option<Head>, StoreError> {
        let item = self
            .table
            .get(pattern::head(tenant), Consistency::Eventual)
            .await?;
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
    ) -> Result<Option<Found<TermWithAncestors>>, StoreError> {
        let query = pattern::term_with_ancestors(tenant, id);
        // A term and 31 ancestors of the largest size stay far below the 1 MB of a page.
        let page = self.table.query(query, Consistency::Eventual, None, None).await?;
        let mut ancestors = Vec::new();
        for item in &page.items {
            match (entity_type(item)?, Fields(item).flag("Removed")) {
                ("Term", _) => {
                    let term = StoredTerm::read(item)?;
                    return Ok(Some(found(TermWithAncestors { term, ancestors }, item)?));
                }
                (_, false) => ancestors.push(StoredAncestor::read(item)?),
                // The tombstone of a satellite: the term had more ancestors once.
                (_, true) => {}
            }
        }
        Ok(None)
    }

    /// A term in the first culture of `order` that it is stored in; the last of `order` is the default culture.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn term_in(
        &self,
        tenant: &TenantId,
        id: TermId,
        order: &[Culture],
    ) -> Result<Option<Found<StoredTerm>>, StoreError> {
        Ok(self.terms(tenant, &[id], order).await?.remove(&id))
    }

    /// The terms that exist out of `ids`, each in the first culture of `order` that it is stored in. One BatchGetItem for a
    /// hundred ids in the default culture alone; each further culture to try is one more item an id.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn terms(
        &self,
        tenant: &TenantId,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Found<StoredTerm>>, StoreError> {
        let further = &order[..order.len().saturating_sub(1)];
        let mut keys = BTreeMap::new();
        for &id in ids {
            keys.insert((id, further.len()), pattern::term(tenant, id));
            for (rank, culture) in further.iter().enumerate() {
                keys.insert((id, rank), pattern::term_in_culture(tenant, id, culture));
            }
        }
        let mut best: HashMap<TermId, (usize, Found<StoredTerm>)> = HashMap::new();
        for item in self.table.get_all(keys.into_values().collect()).await? {
            let is_term = entity_type(&item)? == "Term";
            if !is_term && Fields(&item).flag("Removed") {
                continue;
            }
            let term = StoredTerm::read(&item)?;
            let rank = match further
                .iter()
                .position(|culture| !is_term && *culture == term.culture)
            {
                Some(rank) => rank,
                None => further.len(),
            };
            let (id, term) = (term.id, found(term, &item)?);
            match best.get(&id) {
                Some((known, _)) if *known <= rank => {}
                _ => drop(best.insert(id, (rank, term))),
            }
        }
        Ok(best.into_iter().map(|(id, (_, term))| (id, term)).collect())
    }

    /// A category: one GetItem.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn category(
        &self,
        tenant: &TenantId,
        id: CategoryId,
    ) -> Result<Option<Found<StoredCategory>>, StoreError> {
        let item = self
            .table
            .get(pattern::category(tenant, id), Consistency::Eventual)
            .await?;
        item.map(|item| found(StoredCategory::read(&item)?, &item))
            .transpose()
    }

    /// A page of a tenant's categories, in order; `start` is the end of the page before.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn categories(
        &self,
        tenant: &TenantId,
        limit: u16,
        start: Option<[String; 3]>,
    ) -> Result<Page<Found<StoredCategory>>, StoreError> {
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
        let items = page
            .items
            .iter()
            .map(|item| found(StoredCategory::read(item)?, item));
        let next = page.next.and_then(|key| {
            let text = |name: &str| key.get(name).and_then(|value| value.as_s().ok()).cloned();
            Some([text("GSI1SK")?, text("PK")?, text("SK")?])
        });
        Ok(Page {
            items: items.collect::<Result<_, StoreError>>()?,
            next,
        })
    }
}

fn entity_type(item: &Attributes) -> Result<&str, StoreError> {
    Ok(Fields(item).text("EntityType")?)
}

pub(crate) fn found<T>(value: T, item: &Attributes) -> Result<Found<T>, StoreError> {
    Ok(Found {
        value,
        modified_in: Fields(item).number("V")?,
    })
}
