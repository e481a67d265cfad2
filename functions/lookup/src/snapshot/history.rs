//! The versions of tenants: their index files and changesets, by the log.

use std::sync::Arc;

use crate::files::{VersionFile, Versions};
use quick_cache::sync::Cache;
use taxonomy_index::Expected;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::Committed;

use crate::response::problem::Problem;
use crate::snapshot::log::Log;

/// The number of versions whose names a process keeps, some megabytes.
const KNOWN: usize = 10_000;

/// The id of the changeset of a version, and the key of its index file.
#[derive(Debug, Clone)]
struct Names {
    changeset: Hash,
    index_key: Arc<str>,
}

/// The versions of all tenants.
#[derive(Debug)]
pub(crate) struct History {
    versions: Versions,
    log: Log,
    /// The names of a version, by the head of the request: a table that was restored may assign a version number again.
    known: Cache<(TenantId, Version, Hash), Names>,
}

impl History {
    pub(crate) fn new(versions: Versions, log: Log) -> Self {
        Self {
            versions,
            log,
            known: Cache::new(KNOWN),
        }
    }

    /// Forgets the files of a tenant, and their keys.
    pub(crate) fn forget(&self, tenant: &TenantId) {
        self.versions.forget(tenant);
        self.known.retain(|(known, _, _), _| known != tenant);
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Opens the index file of a version up to that of the head.
    pub(crate) async fn open(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<VersionFile<'_>, Problem> {
        let names = self.names(tenant, head, version).await?;
        let expected = Expected {
            tenant,
            version,
            changeset: &names.changeset,
        };
        Ok(self.versions.open(&names.index_key, expected).await?)
    }

    /// Returns the id of the changeset of a version up to that of the head.
    pub(crate) async fn changeset(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<Hash, Problem> {
        Ok(self.names(tenant, head, version).await?.changeset)
    }

    async fn names(&self, tenant: &TenantId, head: &Committed, version: Version) -> Result<Names, Problem> {
        if version == head.version {
            return Ok(Names {
                changeset: head.changeset.clone(),
                index_key: head.index_key.as_str().into(),
            });
        }
        let key = (tenant.clone(), version, head.changeset.clone());
        if let Some(names) = self.known.get(&key) {
            return Ok(names);
        }
        let entry = self.log.entry(tenant, version).await?;
        let entry = entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))?;
        let names = Names {
            changeset: entry.changeset,
            index_key: entry.index_key.into(),
        };
        self.known.insert(key, names.clone());
        Ok(names)
    }

    /// Returns the version of the head, or of one before, that was the newest at a time in epoch milliseconds.
    pub(crate) async fn version_at(
        &self,
        tenant: &TenantId,
        head: &Committed,
        at: u64,
    ) -> Result<Version, Problem> {
        if head.committed_at <= at {
            return Ok(head.version);
        }
        let found = self
            .open(tenant, head, head.version)
            .await?
            .version_at(at)
            .await?;
        found.ok_or_else(Problem::version_not_found)
    }
}
