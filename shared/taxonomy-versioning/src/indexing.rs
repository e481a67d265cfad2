//! The index files of a tenant's versions, each built from its snapshot, its changeset and the file of the version before
//! (docs/decisions/0018-version-index.md). The search objects of a version are stored before its index file.

use bytes::Bytes;
use taxonomy_index::{BuildError, Built, Changed, Expected, File, INDEX_FORMAT, Identity};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{Changeset, Header};
use taxonomy_model::{Fact, Taxonomy};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Archive, Committed, LogEntry, StoreError, Stored, extra_time};
use tracing::{error, info};

use crate::deadline::Deadline;
use crate::error::{VersioningError, causes};
use crate::service::Service;

const OTHER_CONTENT: &str = "it has other content than the version";

/// The outcome of building index files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indexing {
    /// No index file was missing.
    Nothing,
    /// Every version up to the head's has its file; the last one may not be recorded in the head yet.
    Done,
    /// The time is over.
    OutOfTime {
        /// Whether a file was built and recorded before.
        further: bool,
    },
    /// A file could not be built or stored.
    Failed,
}

impl<C: Clock> Service<C> {
    /// Builds the missing files up to the head's version, and records each but the last in the head. A failure is logged and counted and stops
    /// nothing else: the next sweep continues.
    pub(crate) async fn index(&self, tenant: &TenantId, head: &Committed, deadline: Deadline) -> Indexing {
        if head.is_indexed(INDEX_FORMAT) {
            return Indexing::Nothing;
        }
        let mut further = false;
        match self.build_missing(tenant, head, deadline, &mut further).await {
            Ok(()) => Indexing::Done,
            Err(VersioningError::OutOfTime) => {
                self.count(Metric::IndexBehind, 1);
                info!(%tenant, version = head.version.get(), "no time for the index file");
                Indexing::OutOfTime { further }
            }
            Err(failure) => {
                self.count(Metric::IndexFailed, 1);
                error!(%tenant, version = head.version.get(), error = causes(&failure), "the index file is not built");
                Indexing::Failed
            }
        }
    }

    async fn build_missing(
        &self,
        tenant: &TenantId,
        head: &Committed,
        deadline: Deadline,
        further: &mut bool,
    ) -> Result<(), VersioningError> {
        let mut before = match head.indexed_in(INDEX_FORMAT) {
            Some(indexed) => Some(self.stored_index(tenant, indexed).await?),
            None => None,
        };
        loop {
            let version = before
                .as_ref()
                .map_or(Version::FIRST, |before| before.version().next());
            deadline.in_time(&self.clock)?;
            // The same time again as for reading the file of the version before.
            deadline.in_time_for(extra_time(head.source.size), &self.clock)?;
            let built = self
                .build_index(tenant, version, before.as_ref(), deadline)
                .await?;
            if version >= head.version {
                return Ok(());
            }
            // A process that recorded as much has built the same file.
            *further |= self
                .heads
                .note_indexed(tenant, head, version, INDEX_FORMAT)
                .await?;
            before = Some(built);
        }
    }

    /// Builds and stores the search objects of one version, then its index file.
    async fn build_index(
        &self,
        tenant: &TenantId,
        version: Version,
        before: Option<&StoredIndex>,
        deadline: Deadline,
    ) -> Result<StoredIndex, VersioningError> {
        let began = self.clock.now_ms();
        let entry = self.heads.required_entry(tenant, version).await?;
        let taxonomy = self.load(&entry).await?;
        let mut changed = changed_from(tenant, before, &taxonomy)?;
        // One by one: the facts of a first version are as large as the version.
        let facts = |fact: &Fact| changed.add(fact);
        let header = self.archive.each_fact(tenant, version, &entry.changeset, facts);
        let header = header.await?;
        let mut built = index_with(tenant, &entry, &header, changed, &taxonomy, before)?;
        let search_bytes = self
            .store_search_objects(tenant, &entry, &taxonomy, &built.order, deadline)
            .await?;
        drop(taxonomy);
        let key = Archive::index_key(tenant, INDEX_FORMAT, version, &entry.changeset);
        let body = Bytes::from(std::mem::take(&mut built.body));
        let bytes = body.len();
        let body = match self.archive.put_index(&key, body.clone()).await? {
            Stored::Now => body,
            Stored::Before => {
                let stored = StoredIndex {
                    body: self.archive.whole(&key).await?,
                    entry: entry.clone(),
                };
                stored.is_as_built(tenant, &built)?;
                stored.body
            }
        };
        self.count(Metric::VersionIndexed, 1);
        let duration_ms = self.clock.now_ms().saturating_sub(began);
        info!(%tenant, version = version.get(), bytes, search_bytes, duration_ms, "indexed");
        Ok(StoredIndex { entry, body })
    }

    /// Reads the index file of a version.
    pub(crate) async fn stored_index(
        &self,
        tenant: &TenantId,
        version: Version,
    ) -> Result<StoredIndex, VersioningError> {
        let entry = self.heads.required_entry(tenant, version).await?;
        let key = Archive::index_key(tenant, INDEX_FORMAT, version, &entry.changeset);
        let body = self.archive.whole(&key).await?;
        Ok(StoredIndex { entry, body })
    }
}

/// A stored index file, with the log entry of its version.
pub(crate) struct StoredIndex {
    pub(crate) entry: LogEntry,
    pub(crate) body: Bytes,
}

impl StoredIndex {
    pub(crate) fn version(&self) -> Version {
        self.entry.version
    }

    /// Opens the file.
    pub(crate) fn open(&self, tenant: &TenantId) -> Result<File<'_>, StoreError> {
        let Self { entry, body } = self;
        let key = Archive::index_key(tenant, INDEX_FORMAT, entry.version, &entry.changeset);
        open(tenant, entry, body, &key)
    }

    /// Decodes every part of the file and compares it with a built one.
    pub(crate) fn is_as_built(&self, tenant: &TenantId, built: &Built) -> Result<(), StoreError> {
        let key = Archive::index_key(tenant, INDEX_FORMAT, self.entry.version, &self.entry.changeset);
        let file = self.open(tenant)?;
        file.check().map_err(|error| damaged(&key, error))?;
        match *file.footer().digest() == built.digest {
            true => Ok(()),
            false => Err(damaged(&key, OTHER_CONTENT)),
        }
    }
}

/// Builds the file of a version from its changeset and the file of the version before.
pub(crate) fn index_of(
    tenant: &TenantId,
    entry: &LogEntry,
    changeset: &Changeset,
    taxonomy: &Taxonomy,
    before: Option<&StoredIndex>,
) -> Result<Built, StoreError> {
    let mut changed = changed_from(tenant, before, taxonomy)?;
    changeset.facts.iter().for_each(|fact| changed.add(fact));
    index_with(tenant, entry, &changeset.header, changed, taxonomy, before)
}

/// Returns the changes by the settings alone, to which the caller adds the facts.
fn changed_from(
    tenant: &TenantId,
    before: Option<&StoredIndex>,
    taxonomy: &Taxonomy,
) -> Result<Changed, StoreError> {
    let before = before.map(|before| before.open(tenant)).transpose()?;
    let settings = before.as_ref().map(|before| before.footer().settings());
    Ok(Changed::new(settings, taxonomy.settings()))
}

/// Builds the file of a version from its header, the ids that its facts speak of, and the file of the version before.
fn index_with(
    tenant: &TenantId,
    entry: &LogEntry,
    header: &Header,
    changed: Changed,
    taxonomy: &Taxonomy,
    before: Option<&StoredIndex>,
) -> Result<Built, StoreError> {
    let before = before.map(|before| before.open(tenant)).transpose()?;
    let changed = match header {
        Header {
            full: false,
            touched: Some(touched),
            ..
        } => changed.touching(touched.iter().copied()),
        _ => changed,
    };
    let identity = Identity {
        tenant: tenant.clone(),
        version: entry.version,
        changeset: entry.changeset.clone(),
        state: entry.state.clone(),
        projection_format: header.projection_format,
        committed_at: entry.committed_at,
    };
    let built = taxonomy_index::build(&identity, taxonomy, &changed, before.as_ref());
    built.map_err(|error: BuildError| {
        damaged(
            &format!("the index file of {tenant} at version {}", entry.version),
            error,
        )
    })
}

fn open<'b>(tenant: &TenantId, entry: &LogEntry, body: &'b Bytes, key: &str) -> Result<File<'b>, StoreError> {
    let expected = Expected {
        tenant,
        version: entry.version,
        changeset: &entry.changeset,
    };
    File::open(body, expected).map_err(|error| damaged(key, error))
}

pub(crate) fn damaged(what: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Damaged {
        what: what.to_owned(),
        source: source.into(),
    }
}
