//! What the list of tenants shows: the display name and the newest version of each. The item of a tenant's configuration has both, and the index of
//! tenants has them as well, so that a page of the list is one request (docs/decisions/0001-table.md).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, ItemKey, TenantId, Version, pattern};
use taxonomy_model::attribute::{Attributes, get};

use crate::error::StoreError;
use crate::table::Consistency;
use crate::table::head::{Committed, LogEntry};
use crate::table::reader::Reader;

/// The newest version of a tenant, in the item of its configuration. The commit writes it, so it is always that of the head. Attribute names are the
/// storage format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Newest {
    /// Its number.
    pub version: Version,
    /// The time of its commit, in epoch milliseconds.
    pub committed_at: u64,
    /// The cultures that have names.
    #[serde(default)]
    pub cultures: Vec<Culture>,
    /// Its categories.
    pub categories: u64,
    /// Its terms.
    pub terms: u64,
    /// Terms that the version before did not have.
    pub added: u64,
    /// Terms with another name, place or property.
    pub changed: u64,
    /// Terms that the version before had and this one does not.
    pub removed: u64,
}

/// A tenant of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTenant {
    /// The tenant.
    pub tenant: TenantId,
    /// Its display name, where one is configured.
    pub display_name: Option<String>,
    /// Its description, where one is configured.
    pub description: Option<String>,
    /// Its newest version; none before the first.
    pub newest: Option<Newest>,
}

impl Newest {
    /// Returns what the list shows of a version: of its head and its entry in the log.
    pub fn new(head: &Committed, entry: &LogEntry) -> Self {
        Self {
            version: entry.version,
            committed_at: entry.committed_at,
            cultures: head.cultures.clone(),
            categories: head.categories,
            terms: head.terms,
            added: entry.changes.added,
            changed: entry.changes.changed,
            removed: entry.changes.removed,
        }
    }
}

impl ListedTenant {
    /// Reads the item of a configuration, or its part in the index. A malformed attribute is absent: the tenant stays in the list.
    pub(crate) fn read(tenant: TenantId, attributes: &Attributes) -> Self {
        let text = |name| get(attributes, name).ok().flatten();
        Self {
            tenant,
            display_name: text("DisplayName"),
            description: text("Description"),
            newest: get(attributes, "Newest").ok().flatten(),
        }
    }
}

impl Reader {
    /// Returns those of some tenants that have had a version or a configuration, in their order; one BatchGetItem for a hundred.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn listed(&self, tenants: &[TenantId]) -> Result<Vec<ListedTenant>, StoreError> {
        let keys = tenants.iter().map(pattern::configuration).collect();
        let mut found = HashMap::new();
        for item in self.table.get_all(keys, Consistency::Strong).await? {
            let (pk, sk): (String, String) = (get(&item, "PK")?, get(&item, "SK")?);
            if let Ok(ItemKey::Tenant { tenant }) = ItemKey::parse(&pk, &sk) {
                found.insert(tenant, item);
            }
        }
        let listed = tenants.iter().filter_map(|tenant| {
            let item = found.get(tenant)?;
            Some(ListedTenant::read(tenant.clone(), item))
        });
        Ok(listed.collect())
    }
}
