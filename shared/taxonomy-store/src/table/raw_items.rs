//! Raw items, tombstones included, and the partitions of a tenant, for verification and purge.

use std::collections::BTreeSet;

use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{ItemKey, Key, TenantId};
use taxonomy_model::attribute::{Attributes, Malformed, get};

use crate::error::StoreError;
use crate::table::Consistency;
use crate::table::attributes::{SdkItem, from_sdk};
use crate::table::reader::Reader;

/// The maximum number of pages of the whole table: a terabyte.
const MAX_SCANNED_PAGES: usize = 1024 * 1024;

/// A raw item, whatever it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredItem {
    /// Its primary key.
    pub key: Key,
    /// What it holds, or the attribute that this service never writes.
    pub content: Result<ItemContent, Malformed>,
    /// Everything that was read, for a replacement of exactly this.
    pub(crate) raw: SdkItem,
}

/// What an item holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemContent {
    /// The version that wrote it.
    pub version: u64,
    /// All attributes but the primary key, `EntityType` and `V`; an item of the projection has no keys of the index among them.
    pub attributes: Attributes,
}

impl StoredItem {
    pub(crate) fn read(raw: SdkItem) -> Result<Self, StoreError> {
        let text = |name: &str| raw.get(name).and_then(|value| value.as_s().ok()).cloned();
        let key = text("PK").zip(text("SK")).map(|(pk, sk)| Key { pk, sk });
        let key = key.ok_or_else(|| StoreError::damaged("an item", "it has no key"))?;
        let content = content(raw.clone());
        Ok(Self { key, content, raw })
    }

    /// Returns its attributes with its version, as the shapes of this crate have them.
    ///
    /// # Errors
    /// [`Malformed`] names the attribute that this service never writes.
    pub fn with_version(&self) -> Result<Attributes, Malformed> {
        let content = self.content.clone()?;
        let mut attributes = content.attributes;
        attributes.insert("V".to_owned(), content.version.into());
        Ok(attributes)
    }

    /// Whether it is a tombstone.
    pub fn is_tombstone(&self) -> bool {
        self.raw
            .get("Removed")
            .is_some_and(|removed| removed.as_bool() == Ok(&true))
    }

    /// Whether it stands for no item, and expires (docs/decisions/0035-losses.md).
    pub fn is_void(&self) -> bool {
        self.is_tombstone() && self.raw.contains_key("ExpiresAt")
    }
}

fn content(raw: SdkItem) -> Result<ItemContent, Malformed> {
    let mut attributes = from_sdk(raw)?;
    let version = get(&attributes, "V")?;
    attributes.retain(|name, _| !["PK", "SK", "EntityType", "V"].contains(&name.as_str()));
    Ok(ItemContent { version, attributes })
}

impl Reader {
    /// Returns all items of a partition of the table, read consistently.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the partition does not end.
    pub async fn whole(&self, query: KeyQuery) -> Result<Vec<StoredItem>, StoreError> {
        let mut found = Vec::new();
        let request = self.table.query_request(query, Consistency::Strong);
        let take = |item| {
            found.push(StoredItem::read(item)?);
            Ok(())
        };
        self.table.query_all(request, take).await?;
        Ok(found)
    }

    /// Returns the partitions that the table has of a tenant beside those of its head and its aggregates, whoever wrote them. Reads the whole table, the
    /// items of all tenants: a unit for each 4 KB. Only an operator may, with a role of its own.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails, or the table does not end.
    pub async fn scanned(&self, tenant: &TenantId) -> Result<BTreeSet<String>, StoreError> {
        let (mut found, mut start) = (BTreeSet::new(), None);
        for _ in 0..MAX_SCANNED_PAGES {
            let page = self.table.scan_keys(start).await?;
            let partitions = page.items.iter().filter_map(|item| item.get("PK")?.as_s().ok());
            found.extend(partitions.filter(|pk| is_of_nodes(pk, tenant)).cloned());
            start = page.next;
            if start.is_none() {
                return Ok(found);
            }
        }
        Err(StoreError::Unprocessed { operation: "Scan" })
    }
}

/// Whether a partition of the table is a tenant's, and neither that of its head nor that of its aggregates, whoever wrote it.
pub fn is_of_nodes(partition: &str, tenant: &TenantId) -> bool {
    let others = [pattern::head(tenant).pk, pattern::tenant_stats(tenant).pk];
    ItemKey::owner(partition).as_ref() == Some(tenant) && !others.iter().any(|other| other == partition)
}
