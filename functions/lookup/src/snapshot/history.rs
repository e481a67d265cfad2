//! The index files of the versions of tenants, by the log.

use std::sync::Arc;

use taxonomy_index::Expected;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::Committed;

use crate::files::VersionFile;
use crate::response::problem::Problem;
use crate::snapshot::context::Context;

/// The id of the changeset of a version, and the key of its index file.
#[derive(Debug, Clone)]
pub(crate) struct FileName {
    pub(crate) changeset: Hash,
    index_key: Arc<str>,
}

impl Context {
    /// Opens the index file of a version up to that of the head.
    pub(crate) async fn open(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<VersionFile<'_>, Problem> {
        let name = self.file_name(tenant, head, version).await?;
        let expected = Expected {
            tenant,
            version,
            changeset: &name.changeset,
        };
        Ok(self.files.open(&name.index_key, expected).await?)
    }

    /// Returns the name of the index file of a version up to that of the head.
    pub(crate) async fn file_name(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
    ) -> Result<FileName, Problem> {
        if version == head.version {
            return Ok(FileName {
                changeset: head.changeset.clone(),
                index_key: head.index_key.as_str().into(),
            });
        }
        let key = (tenant.clone(), version, head.changeset.clone());
        if let Some(name) = self.known_files.get(&key) {
            return Ok(name);
        }
        let entry = self.entry(tenant, version).await?;
        let name = FileName {
            changeset: entry.changeset,
            index_key: entry.index_key.into(),
        };
        self.known_files.insert(key, name.clone());
        Ok(name)
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
        let newest = self.open(tenant, head, head.version).await?;
        newest
            .version_at(at)
            .await?
            .ok_or_else(Problem::version_not_found)
    }
}
