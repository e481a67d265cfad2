//! The log of a tenant's versions: one item each, without gaps, ascending.

use taxonomy_keys::{TenantId, Version, pattern};

use crate::error::{StoreError, UnlessLost as _};
use crate::table::attributes::read_by;
use crate::table::head::LogEntry;
use crate::table::heads::{Heads, require_head};
use crate::table::raw_items::StoredItem;
use crate::table::reader::is_void;
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, page};

/// The newest items of the log that are looked at: more than one is there only where somebody put it there.
const NEWEST: i32 = 10;

/// The maximum number of entries of one page.
pub const PAGE: u64 = 100;

impl Heads {
    /// Returns the log entry of a version, read consistently.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn entry(&self, tenant: &TenantId, version: Version) -> Result<Option<LogEntry>, StoreError> {
        let item = self
            .table
            .get(pattern::changeset(tenant, version), Consistency::Strong)
            .await?;
        let item = item.filter(|item| !is_void(item));
        item.map(|item| read_by(item, LogEntry::read)).transpose()
    }

    /// Returns the entries from one version to another, both included, ascending: at most a page, from the first on, so a shorter list than requested
    /// is not the end.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn entries(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let last = Version::new(from.get() + PAGE - 1).map_or(to, |last| last.min(to));
        if last < from {
            return Ok(Vec::new());
        }
        let query = pattern::changesets(tenant, from, last);
        let items = self.table.query(query, Consistency::Strong).await?;
        let entries = items.into_iter().filter(|item| !is_void(item));
        entries.map(|item| read_by(item, LogEntry::read)).collect()
    }

    /// Returns what the ten newest items of the log hold, newest first, without void ones.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn newest(&self, tenant: &TenantId) -> Result<Vec<StoredItem>, StoreError> {
        let query = pattern::changesets(tenant, Version::FIRST, Version::MAX);
        let request = self.table.query_request(query, Consistency::Strong);
        let page = page(request.scan_index_forward(false).limit(NEWEST)).await?;
        let items = page.items.into_iter().map(StoredItem::read);
        items
            .filter(|item| !item.as_ref().is_ok_and(StoredItem::is_void))
            .collect()
    }

    /// Returns the log entry of a version; `None` where it is missing or malformed.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn readable_entry(
        &self,
        tenant: &TenantId,
        version: Version,
    ) -> Result<Option<LogEntry>, StoreError> {
        Ok(self.entry(tenant, version).await.unless_lost()?.ok().flatten())
    }

    /// Returns the items of the log from one version to another, both included, whatever they hold: at most a page, from the first on.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn logged(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
    ) -> Result<Vec<StoredItem>, StoreError> {
        let last = Version::new(from.get() + PAGE - 1).map_or(to, |last| last.min(to));
        let query = pattern::changesets(tenant, from, last);
        let page = page(self.table.query_request(query, Consistency::Strong)).await?;
        page.items.into_iter().map(StoredItem::read).collect()
    }

    /// Returns the newest version at the time `at` (epoch milliseconds), among those up to `newest`; `None` before the first.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or a version is missing.
    pub async fn entry_at(
        &self,
        tenant: &TenantId,
        newest: Version,
        at: u64,
    ) -> Result<Option<LogEntry>, StoreError> {
        // Commit times ascend with the versions, so a binary search finds it: at most 40 reads.
        let (mut found, mut low, mut high) = (None, 1, newest.get());
        while let Some(middle) = Version::new(low + high.saturating_sub(low) / 2).filter(|_| low <= high) {
            let entry = self.required_entry(tenant, middle).await?;
            let middle = middle.get();
            if entry.committed_at <= at {
                found = Some(entry);
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        Ok(found)
    }

    /// Lets a log entry name another index file of its version, and the head as well where it is the head's: the only change that a log entry ever sees.
    /// Returns false if either names another one by now, or the head moved.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn rename_index(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        key: &str,
        is_head: bool,
    ) -> Result<bool, StoreError> {
        let renamed = || {
            let mut change = UpdateExpression::default();
            change.set("IndexKey", key);
            change.value(":before", entry.index_key.as_str());
            change.require("IndexKey = :before");
            require_head(&mut change, entry.version, &entry.changeset);
            change
        };
        let log = pattern::changeset(tenant, entry.version);
        let mut items = vec![renamed().transact_item(&self.table, log)?];
        if is_head {
            let mut head = renamed();
            head.require("attribute_not_exists(#Purge)");
            items.push(head.transact_item(&self.table, pattern::head(tenant))?);
        }
        self.table.transact_if(items).await
    }

    /// Returns the log entry of a version that must exist.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it does not.
    pub async fn required_entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, StoreError> {
        self.entry(tenant, version).await?.ok_or_else(|| {
            StoreError::damaged(
                format!("the log of {tenant}"),
                format!("version {version} is missing"),
            )
        })
    }
}
