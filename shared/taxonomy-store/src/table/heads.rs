//! The heads of tenants: reading them, and the updates that note a refusal or a source. `commit` and `loads` have the others.

use taxonomy_keys::{Key, TenantId, Version, pattern};
use taxonomy_model::Hash;
use taxonomy_model::attribute::{self, Attributes, Malformed};

use crate::error::StoreError;
use crate::table::configuration::Configuration;
use crate::table::head::{Committed, Head, Refusal, SourceStamp};
use crate::table::raw_items::StoredItem;
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, Table, page};

/// The heads of all tenants.
#[derive(Debug, Clone)]
pub struct Heads {
    pub(crate) table: Table,
}

/// The items of head and configuration of a tenant, whatever they hold.
#[derive(Debug, Clone, Default)]
pub struct TenantItems {
    /// The head.
    pub head: Option<StoredItem>,
    /// The configuration.
    pub configuration: Option<StoredItem>,
}

impl TenantItems {
    /// Returns head and configuration; each is empty where its item is missing.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] names the item that is malformed.
    pub fn parsed(&self) -> Result<(Head, Configuration), StoreError> {
        let head = parsed(self.head.as_ref(), Head::read)?;
        let configuration = parsed(self.configuration.as_ref(), attribute::read)?;
        Ok((head, configuration))
    }

    /// Returns head and configuration, each unless it is missing or malformed.
    pub fn readable(&self) -> (Option<Head>, Option<Configuration>) {
        let head = self.head.as_ref().map(|head| parsed(Some(head), Head::read));
        let configuration = self.configuration.as_ref();
        let configuration = configuration.map(|item| parsed(Some(item), attribute::read));
        (head.and_then(Result::ok), configuration.and_then(Result::ok))
    }

    /// Whether a purge of the tenant has begun, whatever else the items hold.
    pub fn is_purging(&self) -> bool {
        let mut items = [&self.head, &self.configuration].into_iter().flatten();
        items.any(|item| item.raw.contains_key("Purge"))
    }
}

fn parsed<T: Default>(
    item: Option<&StoredItem>,
    read: impl FnOnce(Attributes) -> Result<T, Malformed>,
) -> Result<T, StoreError> {
    let Some(item) = item else {
        return Ok(T::default());
    };
    let content = item.with_version().and_then(read);
    content.map_err(|malformed| {
        let Key { pk, sk } = &item.key;
        StoreError::damaged(format!("the item {pk} {sk}"), malformed)
    })
}

impl Heads {
    /// Returns the heads in `table`.
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Returns head and configuration of a tenant, by one consistent Query.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] names the item that is malformed; [`StoreError::Request`] if the request fails.
    pub async fn read(&self, tenant: &TenantId) -> Result<(Head, Configuration), StoreError> {
        self.items(tenant).await?.parsed()
    }

    /// Returns the items of head and configuration, whatever they hold, by the same Query.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn items(&self, tenant: &TenantId) -> Result<TenantItems, StoreError> {
        let query = pattern::head_and_configuration(tenant);
        let page = page(self.table.query_request(query, Consistency::Strong)).await?;
        let (head, configuration) = (pattern::head(tenant), pattern::configuration(tenant));
        let mut items = TenantItems::default();
        for item in page.items {
            let item = StoredItem::read(item)?;
            match &item.key {
                key if *key == head => items.head = Some(item),
                key if *key == configuration => items.configuration = Some(item),
                _ => {}
            }
        }
        Ok(items)
    }

    /// Records a refused upload. Returns false if head or refusal changed since they were read, so that this one may no longer hold.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn refuse(
        &self,
        tenant: &TenantId,
        (onto, before): (Option<&Committed>, Option<&Refusal>),
        refusal: &Refusal,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("EntityType", "Head");
        change.set("Refused", attribute::write(refusal));
        change.value(":from", onto.map_or(0, |onto| onto.version.get()));
        change.set_if_absent("V", 0);
        require_refusal(&mut change, before);
        match onto {
            Some(onto) => {
                change.require("V = :from");
                require_source(&mut change, onto);
            }
            None => change.require("(attribute_not_exists(PK) OR V = :from)"),
        }
        self.update(tenant, change).await
    }

    /// Records another source object with the head's content. Returns false if the head, its source or the refusal changed since they were read.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn update_source(
        &self,
        tenant: &TenantId,
        (onto, refused): (&Committed, Option<&Refusal>),
        source: &SourceStamp,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("Source", attribute::write(source));
        change.remove("Refused");
        change.remove("Detached");
        require_head(&mut change, onto.version, &onto.changeset);
        require_source(&mut change, onto);
        require_refusal(&mut change, refused);
        self.update(tenant, change).await
    }

    /// Updates the head of a tenant. Returns false if a condition did not hold.
    pub(crate) async fn update(
        &self,
        tenant: &TenantId,
        change: UpdateExpression,
    ) -> Result<bool, StoreError> {
        self.table.update(pattern::head(tenant), change).await
    }
}

/// Requires that this version is at the head.
pub(crate) fn require_head(change: &mut UpdateExpression, version: Version, changeset: &Hash) {
    change.value(":to", version.get());
    change.value(":id", changeset.as_str());
    change.require("V = :to AND ChangesetId = :id");
}

/// Requires that the refusal is the one that was read: an update that arrives late must not undo what a later upload left.
pub(crate) fn require_refusal(change: &mut UpdateExpression, read: Option<&Refusal>) {
    let Some(read) = read else {
        return change.require("attribute_not_exists(#Refused)");
    };
    change.value(":refused", read.version_id.as_str());
    change.value(":refusedAt", read.at);
    change.require("#Refused.#VersionId = :refused AND #Refused.#At = :refusedAt");
}

/// Requires that the source is the one that was read, for the same reason.
fn require_source(change: &mut UpdateExpression, read: &Committed) {
    change.value(":etag", read.source.etag.as_str());
    change.value(":object", read.source.version_id.as_str());
    change.require("#Source.#ETag = :etag AND #Source.#VersionId = :object");
}
