//! Writing the downloads of versions (docs/decisions/0020-downloads.md): an object that is written once.

use bytes::Bytes;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::Format;
use taxonomy_formats::history::{HistoryError, HistoryWriter};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{Download, DownloadUpload, LOG_PAGE, LogEntry, PutOutcome, StoreError, extra_time};
use tracing::{info, warn};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::history::parts::{PART_BYTES, PartWriter, Parts};
use crate::service::Service;
use crate::verify::Mends;

impl Service {
    /// Writes a download unless it exists. It becomes readable only when it is complete; another call has no effect. Returns `None` if there is no
    /// download: the tenant has no such version with this changeset, or is being purged.
    ///
    /// # Errors
    /// [`VersioningError::OutOfTime`], [`VersioningError::Store`], [`VersioningError::Writing`], [`VersioningError::NoThread`]. A failed upload is
    /// aborted; if S3 does not answer, the bucket's lifecycle ends it.
    pub async fn make_download(
        &self,
        download: &Download,
        deadline: Deadline,
    ) -> Result<Option<PutOutcome>, VersioningError> {
        let Download {
            tenant,
            version,
            changeset,
            form,
        } = download;
        let (head, configuration) = self.heads.read(tenant).await?;
        let entry = match (head.committed, configuration.purge) {
            (Some(_), None) => self.heads.entry(tenant, *version).await?,
            _ => None,
        };
        let Some(entry) = entry.filter(|entry| entry.changeset == *changeset) else {
            return Ok(None);
        };
        if self.archive.download_size(download).await?.is_some() {
            return Ok(Some(PutOutcome::Before));
        }
        let began = self.clock.now_ms();
        let mut upload = self.archive.upload_download(download);
        let stored = match form.format() {
            Format::History => self.upload_history(download, &mut upload, deadline).await,
            _ => self.upload_version(download, &entry, &mut upload, deadline).await,
        };
        let bytes = upload.bytes();
        // Also if another process was first: then the parts of this one are of no use.
        if !matches!(stored, Ok(PutOutcome::Now))
            && let Err(error) = upload.abort().await
        {
            warn!(%tenant, error = causes(&error), "an upload is left to the bucket's lifecycle");
        }
        let stored = stored?;
        if stored == PutOutcome::Now {
            self.metrics.count(Metric::DownloadMade, 1);
            let (version, format) = (version.get(), form.format().as_str());
            let duration_ms = self.clock.now_ms().saturating_sub(began);
            info!(%tenant, version, format, bytes, duration_ms, "a download is made");
        }
        Ok(Some(stored))
    }

    /// Returns whether a failure of the download was recorded after `since_ms` (epoch milliseconds).
    ///
    /// # Errors
    /// [`StoreError`] when S3 fails.
    pub async fn download_failed_since(
        &self,
        download: &Download,
        since_ms: u64,
    ) -> Result<bool, StoreError> {
        let failed_at = self.archive.download_failed_at(download).await?;
        Ok(failed_at.is_some_and(|at| at > since_ms))
    }

    async fn upload_version(
        &self,
        download: &Download,
        entry: &LogEntry,
        upload: &mut DownloadUpload<'_>,
        deadline: Deadline,
    ) -> Result<PutOutcome, VersioningError> {
        deadline.in_time(&*self.clock)?;
        let taxonomy = self
            .content(&download.tenant, &entry.into(), Mends::Nothing, deadline)
            .await?;
        let (form, tenant) = (download.form, download.tenant.clone());
        let mut parts = Parts::new();
        let write = move |out: &mut PartWriter| form.write(&tenant, &taxonomy, sibling_keys, out);
        let written = parts.write(write, async |part| self.upload_part(upload, part, deadline).await);
        written.await?.map_err(VersioningError::writing)?;
        self.complete(upload, parts, deadline).await
    }

    /// Reads every version up to that of the download, in order. At most two taxonomies are in memory.
    async fn upload_history(
        &self,
        download: &Download,
        upload: &mut DownloadUpload<'_>,
        deadline: Deadline,
    ) -> Result<PutOutcome, VersioningError> {
        let last = download.version;
        let mut parts = Parts::new();
        let mut history = History {
            writer: HistoryWriter::new(download.form.dialect()),
            content: None,
        };
        let (mut from, mut state) = (Some(Version::FIRST), None);
        while let Some(first) = from.filter(|first| *first <= last) {
            for entry in self.required_entries(download, first).await? {
                deadline.in_time(&*self.clock)?;
                // A rebuild has the content of the version before.
                let next = match state.replace(entry.state.clone()) {
                    Some(last) if last == entry.state => None,
                    _ => Some(
                        self.content(&download.tenant, &(&entry).into(), Mends::Nothing, deadline)
                            .await?,
                    ),
                };
                let step = move |out: &mut PartWriter| history.step(&entry, next, out);
                let stepped = parts.write(step, async |part| self.upload_part(upload, part, deadline).await);
                history = stepped.await?.map_err(VersioningError::writing)?;
            }
            from = Version::new(first.get() + LOG_PAGE);
        }
        let finish = move |out: &mut PartWriter| history.writer.finish(history.content.as_ref(), out);
        let finished = parts.write(finish, async |part| {
            self.upload_part(upload, part, deadline).await
        });
        finished.await?.map_err(VersioningError::writing)?;
        self.complete(upload, parts, deadline).await
    }

    /// Reads a page of the log and verifies that it has no gap.
    async fn required_entries(
        &self,
        download: &Download,
        first: Version,
    ) -> Result<Vec<LogEntry>, VersioningError> {
        let (tenant, last) = (&download.tenant, download.version);
        let entries = self.heads.entries(tenant, first, last).await?;
        let wanted = first.get()..=last.get().min(first.get() + LOG_PAGE - 1);
        if entries.iter().map(|entry| entry.version.get()).eq(wanted) {
            return Ok(entries);
        }
        let missing = format!("a version from {first} on is missing");
        Err(StoreError::damaged(format!("the log of {tenant}"), missing).into())
    }

    async fn upload_part(
        &self,
        upload: &mut DownloadUpload<'_>,
        part: Bytes,
        deadline: Deadline,
    ) -> Result<(), VersioningError> {
        deadline.in_time_for(extra_time(part.len() as u64), &*self.clock)?;
        deadline.in_time(&*self.clock)?;
        Ok(upload.part(part).await?)
    }

    async fn complete(
        &self,
        upload: &mut DownloadUpload<'_>,
        parts: Parts,
        deadline: Deadline,
    ) -> Result<PutOutcome, VersioningError> {
        let last = parts.last();
        deadline.in_time_for(extra_time(PART_BYTES as u64), &*self.clock)?;
        Ok(upload.complete(last).await?)
    }
}

/// The history of a tenant up to a version.
struct History {
    writer: HistoryWriter,
    /// The content of the last version.
    content: Option<Taxonomy>,
}

impl History {
    /// Adds a version; without `next` its content is that of the version before.
    fn step(
        mut self,
        entry: &LogEntry,
        next: Option<Taxonomy>,
        out: &mut PartWriter,
    ) -> Result<Self, HistoryError> {
        let old = self.content.as_ref();
        if let Some(new) = next.as_ref().or(old) {
            self.writer
                .step(entry.version, entry.committed_at, old, new, out)?;
        }
        self.content = next.or(self.content);
        Ok(self)
    }
}
