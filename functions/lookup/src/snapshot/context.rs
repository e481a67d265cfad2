//! The sources of the data of all tenants, which every handler gets.

use std::sync::Arc;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Aggregates, Committed, Heads, LogEntry};

use crate::cache::CachedReader;
use crate::cache::current_version::CurrentVersion;
use crate::files::Versions;
use crate::request::authorise::tenant::AuthorisedTenant;
use crate::response::problem::Problem;
use crate::snapshot::downloads::Downloads;
use crate::snapshot::history::History;
use crate::snapshot::log::Log;
use crate::snapshot::source::{Source, Table};

/// The sources of the data: the table or a preview, index files, and downloads.
#[derive(Debug)]
pub struct Context {
    pub(crate) source: Source,
    pub(crate) history: Option<History>,
    downloads: Option<Downloads>,
    /// Whether the served version is read from its index file as well.
    pub(crate) reads_files: bool,
}

impl Context {
    /// Reads the projection and its aggregates from the table.
    #[must_use]
    pub fn new(reader: CachedReader, aggregates: Aggregates) -> Self {
        Self {
            source: Source::Table(Box::new(Table { reader, aggregates })),
            history: None,
            downloads: None,
            reads_files: false,
        }
    }

    /// Serves a version in memory, which `versions` reads from index files alone; it follows the versions of `heads`, if there are any.
    #[must_use]
    pub fn of_preview(
        tenant: TenantId,
        head: Committed,
        entry: LogEntry,
        versions: Versions,
        heads: Option<Heads>,
    ) -> Self {
        let log = Log::of_preview(tenant.clone(), entry, heads);
        Self {
            source: Source::Preview {
                tenant,
                head: Arc::new(head),
            },
            history: Some(History::new(versions, log)),
            downloads: None,
            reads_files: true,
        }
    }

    /// Adds the index files of versions, and the log of versions.
    #[must_use]
    pub fn with_versions(self, versions: Versions, heads: Heads) -> Self {
        Self {
            history: Some(History::new(versions, Log::of_table(heads))),
            ..self
        }
    }

    /// Adds the downloads of versions.
    #[must_use]
    pub fn with_downloads(self, downloads: Downloads) -> Self {
        Self {
            downloads: Some(downloads),
            ..self
        }
    }

    /// Reads everything from index files. For every request that both can answer, the table and the files give equal responses.
    #[must_use]
    pub fn reading_files(self) -> Self {
        Self {
            reads_files: true,
            ..self
        }
    }

    /// Returns the current version of a tenant. A request that names a version sees it if any process serves it.
    pub(crate) async fn current(
        &self,
        tenant: &AuthorisedTenant,
        named: Option<Version>,
    ) -> Result<CurrentVersion, Problem> {
        let current = self.source.current(tenant.id(), named).await?;
        current.ok_or_else(Problem::tenant_not_found)
    }

    /// Returns the downloads of versions.
    pub(crate) fn downloads(&self) -> Result<&Downloads, Problem> {
        match (&self.downloads, &self.source) {
            (Some(downloads), _) => Ok(downloads),
            (None, Source::Preview { .. }) => Err(Problem::route_not_found()),
            (None, Source::Table(_)) => Err(Problem::internal("a lookup without downloads")),
        }
    }

    /// Returns the id of the changeset of a version that is or was served.
    pub(crate) async fn changeset(
        &self,
        current: &CurrentVersion,
        version: Version,
    ) -> Result<Hash, Problem> {
        let history = self.history()?;
        history.changeset(current.tenant(), current.head(), version).await
    }

    /// Forgets head and files of a tenant, so that the next request opens them again.
    pub(crate) fn forget(&self, tenant: &AuthorisedTenant) {
        if let Source::Table(table) = &self.source {
            table.reader.forget_head(tenant.id());
        }
        if let Some(history) = &self.history {
            history.forget(tenant.id());
        }
    }

    /// Returns the versions of all tenants.
    pub(crate) fn history(&self) -> Result<&History, Problem> {
        let history = self.history.as_ref();
        history.ok_or_else(|| Problem::internal("a lookup without the log of versions"))
    }

    /// Returns the log of versions.
    pub(crate) fn log(&self) -> Result<&Log, Problem> {
        Ok(self.history()?.log())
    }

    /// Returns the log entry of a version.
    pub(crate) async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, Problem> {
        let entry = self.log()?.entry(tenant, version).await?;
        entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))
    }
}
