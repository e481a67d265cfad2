//! What was: the log, the state at a version or a time, and what lies between two versions.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Fact, Taxonomy, diff};
use taxonomy_runtime::Clock;
use taxonomy_store::{Chain, Committed, Configuration, LogEntry};

use crate::error::ProtocolError;
use crate::taxonomies::Taxonomies;

/// A version and what it had.
#[derive(Debug)]
pub struct State {
    /// The version in the log.
    pub entry: LogEntry,
    /// Its content.
    pub taxonomy: Taxonomy,
}

impl<C: Clock> Taxonomies<C> {
    /// The newest versions before `before` (none: of all), newest first, at most `limit` and at most a page of 100.
    ///
    /// # Errors
    /// [`ProtocolError::NoVersion`] for a tenant without one, [`ProtocolError::Purging`], [`ProtocolError::Store`] when the table cannot be read.
    pub async fn history(
        &self,
        tenant: &TenantId,
        before: Option<Version>,
        limit: u64,
    ) -> Result<Vec<LogEntry>, ProtocolError> {
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

    /// What a tenant had at a version.
    ///
    /// # Errors
    /// [`ProtocolError::UnknownVersion`] when it never had it, [`ProtocolError::Store`] when it cannot be read.
    pub async fn state(&self, tenant: &TenantId, version: Version) -> Result<State, ProtocolError> {
        let entry = self.heads.entry(tenant, version).await?;
        let entry = entry.ok_or(ProtocolError::UnknownVersion(version))?;
        let taxonomy = self.load(&entry).await?;
        Ok(State { entry, taxonomy })
    }

    /// What a tenant had at a time, in epoch milliseconds; none before its first version was committed.
    ///
    /// # Errors
    /// [`ProtocolError::NoVersion`] for a tenant without one, [`ProtocolError::Store`] when it cannot be read.
    pub async fn state_at(&self, tenant: &TenantId, at: u64) -> Result<Option<State>, ProtocolError> {
        let newest = self.committed(tenant).await?.version;
        let Some(entry) = self.heads.entry_at(tenant, newest, at).await? else {
            return Ok(None);
        };
        let taxonomy = self.load(&entry).await?;
        Ok(Some(State { entry, taxonomy }))
    }

    /// The facts that make version `to` out of version `from`, whichever is older.
    ///
    /// # Errors
    /// As [`state`](Self::state).
    pub async fn diff(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
    ) -> Result<Vec<Fact>, ProtocolError> {
        let from = self.state(tenant, from).await?.taxonomy;
        let to = self.state(tenant, to).await?.taxonomy;
        Ok(diff(Some(&from), &to))
    }

    /// The changesets, one after the other.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) async fn committed(&self, tenant: &TenantId) -> Result<Committed, ProtocolError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        unless_purging(&configuration)?;
        head.committed.ok_or(ProtocolError::NoVersion)
    }
}

/// Refuses a tenant that is being purged: from then on its log, its bodies and its items vanish in no order that a reader could follow.
pub(crate) fn unless_purging(configuration: &Configuration) -> Result<(), ProtocolError> {
    match configuration.purge {
        Some(_) => Err(ProtocolError::Purging),
        None => Ok(()),
    }
}
