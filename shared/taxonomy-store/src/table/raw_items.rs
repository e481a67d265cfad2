//! Raw items, tombstones included, and the partitions of a tenant, for verification and purge.

use std::collections::BTreeSet;

use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{ItemKey, Key, TenantId};
use taxonomy_model::attribute::{Attributes, get};

use crate::error::StoreError;
use crate::table::Consistency;
use crate::table::attributes::from_sdk;
use crate::table::reader::{Reader, is_removed};

/// The maximum number of pages of the whole table: a terabyte.
const MAX_SCANNED_PAGES: usize = 1024 * 1024;

/// A raw item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// Its primary key.
    pub key: Key,
    /// The version that wrote it.
    pub version: u64,
    /// All other attributes except `EntityType`; an item of the projection has no keys of the index among them.
    pub attributes: Attributes,
}

impl StoredItem {
    /// Whether it is a tombstone.
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
        let mut found = Vec::new();
        let request = self.table.query_request(query, Consistency::Strong);
        let take = |item| {
            found.push(stored(from_sdk(item)?)?);
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
        let others = [pattern::head(tenant).pk, pattern::tenant_stats(tenant).pk];
        let (mut found, mut start) = (BTreeSet::new(), None);
        for _ in 0..MAX_SCANNED_PAGES {
            let page = self.table.scan_keys(start).await?;
            let partitions = page.items.iter().filter_map(|item| item.get("PK")?.as_s().ok());
            let own =
                partitions.filter(|pk| ItemKey::owner(pk).as_ref() == Some(tenant) && !others.contains(pk));
            found.extend(own.cloned());
            start = page.next;
            if start.is_none() {
                return Ok(found);
            }
        }
        Err(StoreError::Unprocessed { operation: "Scan" })
    }
}

fn stored(mut item: Attributes) -> Result<StoredItem, StoreError> {
    let (pk, sk) = (get(&item, "PK")?, get(&item, "SK")?);
    let version = get(&item, "V")?;
    item.retain(|name, _| !["PK", "SK", "EntityType", "V"].contains(&name.as_str()));
    Ok(StoredItem {
        key: Key { pk, sk },
        version,
        attributes: item,
    })
}
