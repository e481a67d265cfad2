//! The downloads of a version: the projector makes them, and a signed URL reads them (docs/decisions/0020-downloads.md).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use taxonomy_runtime::Clock;
use taxonomy_store::{Archive, Download, Queue};

use crate::response::problem::Problem;

/// The lifetime of a URL. One that is signed with the credentials of a role also expires with them.
const URL_LIFETIME: Duration = Duration::from_secs(900);

/// The shortest interval between two requests of one process for the same download, in milliseconds.
const ASK_EVERY_MS: u64 = 60_000;

/// The number of downloads for which a process keeps the time of its last request.
const REMEMBERED: usize = 1000;

/// The lifetime of a record of a failure, in milliseconds; after that the download is requested again.
const FAILURE_COUNTS_MS: u64 = 3_600_000;

/// The downloads of all tenants.
pub struct Downloads {
    archive: Archive,
    queue: Queue,
    clock: Arc<dyn Clock>,
    /// The time of the last request for each download, by its key.
    request: Cache<String, u64>,
}

impl fmt::Debug for Downloads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Downloads").finish_non_exhaustive()
    }
}

/// The state of a download.
pub(crate) enum DownloadStatus {
    /// It exists: its size, a URL and the expiry of that.
    Ready {
        bytes: u64,
        url: String,
        expires_at: u64,
    },
    /// The projector has a request to make it.
    Pending,
}

impl Downloads {
    /// Builds the downloads that are stored in `archive` and requested through `queue`.
    pub fn new(archive: Archive, queue: Queue, clock: Arc<dyn Clock>) -> Self {
        Self {
            archive,
            queue,
            clock,
            request: Cache::new(REMEMBERED),
        }
    }

    /// Returns the state of a download, and requests one that does not exist.
    pub(crate) async fn state(&self, download: &Download) -> Result<DownloadStatus, Problem> {
        let now = self.clock.now_ms();
        if let Some(bytes) = self.archive.download_size(download).await? {
            let url = self.archive.download_url(download, now, URL_LIFETIME).await?;
            // S3 counts the lifetime from the second of the signature.
            let expires_at = now - now % 1000 + URL_LIFETIME.as_secs() * 1000;
            return Ok(DownloadStatus::Ready {
                bytes,
                url,
                expires_at,
            });
        }
        let failed_at = self.archive.download_failed_at(download).await?;
        if failed_at.is_some_and(|at| now < at.saturating_add(FAILURE_COUNTS_MS)) {
            return Err(Problem::download_failed());
        }
        self.ask_for(download, now).await?;
        Ok(DownloadStatus::Pending)
    }

    /// Sends a request to the projector, unless this process sent one a moment ago.
    async fn ask_for(&self, download: &Download, now: u64) -> Result<(), Problem> {
        let key = download.key();
        let is_recent = |at: u64| now < at.saturating_add(ASK_EVERY_MS);
        if self.request.get(&key).is_some_and(is_recent) {
            return Ok(());
        }
        self.queue.ask_for_download(download).await?;
        self.request.insert(key, now);
        Ok(())
    }
}
