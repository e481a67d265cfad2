//! Read access to past versions: the log, and the state at a version or a time.

pub(crate) mod downloads;
pub(crate) mod parts;
pub(crate) mod preview;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_store::{Committed, Configuration, LogEntry};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::Mends;

/// A version with its content.
#[derive(Debug)]
pub struct State {
    /// The log entry.
    pub entry: LogEntry,
    /// Its content.
    pub taxonomy: Taxonomy,
}

impl Service {
    /// Returns the newest versions before `before` (`None`: of all), newest first, at most `limit` and at most a page of 100.
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`] for a tenant without one, [`VersioningError::Purging`], [`VersioningError::Store`] when the table cannot be read.
    pub async fn history(
        &self,
        tenant: &TenantId,
        before: Option<Version>,
        limit: u64,
    ) -> Result<Vec<LogEntry>, VersioningError> {
        let newest = self.committed(tenant).await?.version.get();
        let last = before.map_or(newest, |before| newest.min(before.get() - 1));
        let Some(to) = Version::new(last) else {
            return Ok(Vec::new());
        };
        let first = last.saturating_sub(limit.clamp(1, 100) - 1).max(1);
        let from = Version::new(first).unwrap_or(Version::FIRST);
        let mut entries = self.heads.entries(tenant, from, to).await?;
        entries.reverse();
        Ok(entries)
    }

    /// Returns the state of a tenant at a version.
    ///
    /// # Errors
    /// [`VersioningError::UnknownVersion`] if it never had it, [`VersioningError::Store`] if it cannot be read.
    pub async fn state(&self, tenant: &TenantId, version: Version) -> Result<State, VersioningError> {
        let entry = self.heads.entry(tenant, version).await?;
        let entry = entry.ok_or(VersioningError::UnknownVersion(version))?;
        let taxonomy = self
            .content(tenant, &(&entry).into(), Mends::Nothing, Deadline::NONE)
            .await?;
        Ok(State { entry, taxonomy })
    }

    /// Returns the state of a tenant at a time, in epoch milliseconds; `None` before its first commit.
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`] for a tenant without one, [`VersioningError::Store`] when it cannot be read.
    pub async fn state_at(&self, tenant: &TenantId, at: u64) -> Result<Option<State>, VersioningError> {
        let newest = self.committed(tenant).await?.version;
        let Some(entry) = self.heads.entry_at(tenant, newest, at).await? else {
            return Ok(None);
        };
        let taxonomy = self
            .content(tenant, &(&entry).into(), Mends::Nothing, Deadline::NONE)
            .await?;
        Ok(Some(State { entry, taxonomy }))
    }

    pub(crate) async fn committed(&self, tenant: &TenantId) -> Result<Committed, VersioningError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        unless_purging(&configuration)?;
        match head.committed {
            Some(committed) => Ok(committed),
            None => Err(self.without_head(tenant).await?),
        }
    }

    /// Returns why a tenant has no head: it is lost, or there never was a version.
    pub(crate) async fn without_head(&self, tenant: &TenantId) -> Result<VersioningError, VersioningError> {
        Ok(match self.heads.newest(tenant).await?.is_empty() {
            true => VersioningError::NoVersion,
            false => VersioningError::HeadLost,
        })
    }
}

/// Refuses a tenant that is being purged: its log, its bodies and its items disappear in no order that a reader could follow.
pub(crate) fn unless_purging(configuration: &Configuration) -> Result<(), VersioningError> {
    match configuration.purge {
        Some(_) => Err(VersioningError::Purging),
        None => Ok(()),
    }
}
