//! The sources of the data of all tenants, which every request has.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::sync::Cache;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Aggregates, Committed, Heads, ListedTenant, LogEntry, Newest, StoreError};

use crate::cache::current_version::CurrentVersion;
use crate::cache::{CachedReader, TierErrors};
use crate::files::{Objects, OnFirstUse, VersionFiles};
use crate::request::authorise::tenant::AuthorisedTenant;
use crate::response::problem::Problem;
use crate::snapshot::downloads::Downloads;
use crate::snapshot::history::FileName;

/// The number of versions whose files a process knows the names of, some megabytes.
const KNOWN_FILES: usize = 10_000;

/// The sources of the data: the table or a preview, index files, the log of versions, and downloads.
#[derive(Debug)]
pub struct Context {
    /// None for a preview, all of whose data is in its index files.
    table: Option<Projection>,
    pub(super) preview: Option<Preview>,
    pub(super) files: VersionFiles,
    /// The files of versions, by the head of the request: a table that was restored may assign a version number again.
    pub(super) known_files: Cache<(TenantId, Version, Hash), FileName>,
    /// The log of versions and the list of tenants.
    pub(super) heads: Option<Heads>,
    downloads: Option<OnFirstUse<Downloads>>,
    /// Whether the served version is read from its index file as well.
    pub(crate) reads_files: bool,
}

/// The projection, and its aggregates.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) reader: CachedReader,
    pub(crate) aggregates: Aggregates,
}

/// A version that is not in the table: the newest one of its tenant, after those of the log (docs/decisions/0024-pages.md).
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) tenant: TenantId,
    head: Arc<Committed>,
    pub(super) entry: LogEntry,
}

impl Preview {
    /// Returns the tenant as lists show it.
    pub(super) fn listed(&self) -> ListedTenant {
        ListedTenant {
            tenant: self.tenant.clone(),
            display_name: None,
            description: None,
            newest: Some(Newest::new(&self.head, &self.entry)),
        }
    }
}

impl Context {
    /// Reads the projection and its aggregates from the table.
    pub fn new(reader: CachedReader, aggregates: Aggregates) -> Self {
        Self {
            table: Some(Projection { reader, aggregates }),
            ..Self::of_files(
                VersionFiles::new(Objects::in_memory(HashMap::new(), None), 0),
                None,
            )
        }
    }

    /// Serves a version in memory, which `versions` reads from index files alone; it follows the versions of `heads`, if there are any.
    pub fn of_preview(
        tenant: TenantId,
        head: Committed,
        entry: LogEntry,
        versions: VersionFiles,
        heads: Option<Heads>,
    ) -> Self {
        let head = Arc::new(head);
        Self {
            preview: Some(Preview { tenant, head, entry }),
            reads_files: true,
            ..Self::of_files(versions, heads)
        }
    }

    fn of_files(files: VersionFiles, heads: Option<Heads>) -> Self {
        Self {
            table: None,
            preview: None,
            files,
            known_files: Cache::new(KNOWN_FILES),
            heads,
            downloads: None,
            reads_files: false,
        }
    }

    /// Adds the index files of versions, and the log of versions.
    #[must_use]
    pub fn with_versions(mut self, versions: VersionFiles, heads: Heads) -> Self {
        self.files = versions;
        self.heads = Some(heads);
        self
    }

    /// Adds the downloads of versions, which the first request for one builds.
    #[must_use]
    pub fn with_downloads(mut self, downloads: impl FnOnce() -> Downloads + Send + 'static) -> Self {
        self.downloads = Some(OnFirstUse::new(Box::new(downloads)));
        self
    }

    /// Reads everything from index files. For every request that both can answer, the table and the files give equal responses.
    #[must_use]
    pub fn reading_files(mut self) -> Self {
        self.reads_files = true;
        self
    }

    /// Opens connections before the first request needs them.
    pub(crate) async fn warm_up(&self) {
        if let Some(table) = &self.table {
            table.reader.warm_up().await;
        }
    }

    /// Returns the failures of the second cache tier since the last call.
    pub(crate) fn take_errors(&self) -> TierErrors {
        let table = self.table.as_ref();
        table.map_or_else(TierErrors::default, |table| table.reader.take_errors())
    }

    /// Returns the current version of a tenant; none if it never had one. A request that names a version sees it if any process serves it.
    pub(crate) async fn current(
        &self,
        tenant: &TenantId,
        named: Option<Version>,
    ) -> Result<Option<CurrentVersion>, StoreError> {
        match (&self.table, &self.preview) {
            (Some(table), _) => table.reader.current(tenant, named).await,
            (None, Some(preview)) if preview.tenant == *tenant => {
                // Its head is in no table and never changes, so it is old at any time.
                Ok(Some(CurrentVersion::new(tenant, preview.head.clone(), u64::MAX)))
            }
            (None, _) => Ok(None),
        }
    }

    /// Returns the table, for data that no other source has.
    pub(crate) fn table(&self) -> Result<&Projection, Problem> {
        let table = self.table.as_ref();
        table.ok_or_else(|| Problem::internal("a preview has no table"))
    }

    /// Returns the downloads of versions.
    pub(crate) fn downloads(&self) -> Result<&Downloads, Problem> {
        match (&self.downloads, &self.preview) {
            (Some(downloads), _) => Ok(downloads),
            (None, Some(_)) => Err(Problem::route_not_found()),
            (None, None) => Err(Problem::internal("a lookup without downloads")),
        }
    }

    /// Forgets head and files of a tenant, so that the next request opens them again.
    pub(crate) fn forget(&self, tenant: &AuthorisedTenant) {
        let tenant = tenant.id();
        if let Some(table) = &self.table {
            table.reader.forget_head(tenant);
        }
        self.files.forget(tenant);
        self.known_files.retain(|(known, _, _), _| known != tenant);
    }
}
