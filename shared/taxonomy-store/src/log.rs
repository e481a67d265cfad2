//! The log of a tenant's versions: one item each, contiguous, ascending.

use taxonomy_keys::{TenantId, Version, pattern};
use taxonomy_model::attribute;

use crate::error::StoreError;
use crate::head::LogEntry;
use crate::heads::Heads;
use crate::table::Consistency;

/// The most entries that one page asks for.
pub const PAGE: u64 = 100;

impl Heads {
    /// One version of the log, as it is now.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn entry(&self, tenant: &TenantId, version: Version) -> Result<Option<LogEntry>, StoreError> {
        let item = self
            .table
            .get(pattern::changeset(tenant, version), Consistency::Strong)
            .await?;
        Ok(item.map(attribute::read).transpose()?)
    }

    /// Entries from one version to another, both included, ascending: at most a page, from the first on, so fewer than asked for is
    /// no end.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
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
        let page = self.table.query(query, Consistency::Strong, None, None).await?;
        page.items
            .into_iter()
            .map(|item| Ok(attribute::read(item)?))
            .collect()
    }

    /// The version that was the newest at `at` (epoch milliseconds), among those up to `newest`; none if there was none yet.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or lacks a version.
    pub async fn entry_at(
        &self,
        tenant: &TenantId,
        newest: Version,
        at: u64,
    ) -> Result<Option<LogEntry>, StoreError> {
        // Commit times ascend with the versions, so halving finds it: 40 reads among the most versions there can be.
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

    /// One version that the log must have.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when it has not.
    pub async fn required_entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, StoreError> {
        self.entry(tenant, version).await?.ok_or_else(|| {
            StoreError::damaged(
                format!("the log of {tenant}"),
                format!("version {version} is missing"),
            )
        })
    }
}
