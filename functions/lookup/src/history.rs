//! The versions of tenants: their index files, and their changesets by the log.

use quick_cache::sync::Cache;
use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::Committed;
use taxonomy_version_reader::{VersionFile, Versions};

use crate::log::Log;
use crate::problem::Problem;

/// The number of ids of changesets that a process keeps, some megabytes.
const CHANGESETS: usize = 10_000;

/// The versions of all tenants.
#[derive(Debug)]
pub(crate) struct History {
    versions: Versions,
    log: Log,
    /// The changeset of a version, by the head of the request: a table that was restored may assign a version number again.
    changesets: Cache<(TenantId, Version, Hash), Hash>,
}

impl History {
    pub(crate) fn new(versions: Versions, log: Log) -> Self {
        Self {
            versions,
            log,
            changesets: Cache::new(CHANGESETS),
        }
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Opens the index file of a version; none where it has not been built.
    pub(crate) async fn open(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<Option<VersionFile<'_>>, Problem> {
        if head
            .indexed_in(INDEX_FORMAT)
            .is_none_or(|indexed| indexed < version)
        {
            return Ok(None);
        }
        let changeset = self.changeset(tenant, head, version).await?;
        Ok(Some(self.versions.open(tenant, version, &changeset).await?))
    }

    /// Returns the id of the changeset of a version up to that of the head.
    pub(crate) async fn changeset(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<Hash, Problem> {
        if version == head.version {
            return Ok(head.changeset.clone());
        }
        let key = (tenant.clone(), version, head.changeset.clone());
        if let Some(changeset) = self.changesets.get(&key) {
            return Ok(changeset);
        }
        let entry = self.log.entry(tenant, version).await?;
        let entry = entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))?;
        self.changesets.insert(key, entry.changeset.clone());
        Ok(entry.changeset)
    }

    /// Returns the newest version, up to `newest`, at a time in epoch milliseconds.
    pub(crate) async fn version_at(
        &self,
        tenant: &TenantId,
        newest: Version,
        at: u64,
    ) -> Result<Version, Problem> {
        let entry = self.log.entry_at(tenant, newest, at).await?;
        Ok(entry.ok_or_else(Problem::version_not_found)?.version)
    }
}
