//! Downloads of versions, each requested by a message of a queue of its own.

use taxonomy_versioning::{Deadline, VersioningError};
use tracing::info;

use crate::error::ProjectorError;
use crate::event::RequestedDownload;
use crate::handler::Projector;

/// The maximum number of receives of a message. A failure that the function handles is sent as a new message, so further receives ended the process, or were
/// throttled polls. It is less than the queue's `maxReceiveCount`, at which SQS moves the message without a record.
pub const DOWNLOAD_RECEIVES: u64 = 8;

/// The maximum number of tries of a download that runs out of time: each begins anew, and the next one has no more time.
const OUT_OF_TIME_TRIES: u64 = 2;

impl Projector {
    /// Writes a download unless it exists, cannot exist, or failed permanently after its message was sent.
    pub(crate) async fn make(
        &self,
        requested: &RequestedDownload,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        let RequestedDownload {
            download,
            receives,
            sent,
        } = requested;
        let (tenant, version) = (&download.tenant, download.version.get());
        if let Some(sent) = *sent
            && self.service.download_failed_since(download, sent).await?
        {
            info!(%tenant, version, "the download failed after this message was sent");
            return Ok(());
        }
        if *receives > DOWNLOAD_RECEIVES {
            return Err(ProjectorError::KeepsEnding(receives - 1));
        }
        if Box::pin(self.service.make_download(download, deadline))
            .await?
            .is_none()
        {
            info!(%tenant, version, "there is no such version to download");
        }
        Ok(())
    }
}

/// Returns whether every further try of a download would fail alike, after `tries` tries.
pub(crate) fn is_hopeless(failure: &ProjectorError, tries: u64) -> bool {
    match failure {
        // A writer is a function of its version.
        ProjectorError::KeepsEnding(_) | ProjectorError::Versioning(VersioningError::Writing(_)) => true,
        ProjectorError::Versioning(VersioningError::OutOfTime) => tries >= OUT_OF_TIME_TRIES,
        ProjectorError::Store(error) | ProjectorError::Versioning(VersioningError::Store(error)) => {
            error.is_permanent()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use taxonomy_store::StoreError;

    use super::*;

    #[test]
    fn a_cause_that_stays_ends_a_download_and_one_that_passes_does_not() {
        let writing = || VersioningError::Writing("a name holds a line break".into());
        let no_thread = || VersioningError::NoThread(std::io::ErrorKind::WouldBlock.into());
        let unprocessed = || StoreError::Unprocessed { operation: "GetItem" };
        let damaged = || StoreError::Damaged {
            what: "a snapshot".to_owned(),
            source: "a hash".into(),
        };
        for (failure, tries, expect) in [
            (ProjectorError::KeepsEnding(8), 1, true),
            (writing().into(), 1, true),
            (no_thread().into(), 9, false),
            (VersioningError::OutOfTime.into(), 1, false),
            (VersioningError::OutOfTime.into(), 2, true),
            (damaged().into(), 1, true),
            (VersioningError::from(damaged()).into(), 1, true),
            (unprocessed().into(), 9, false),
            (VersioningError::from(unprocessed()).into(), 9, false),
        ] {
            assert_eq!(is_hopeless(&failure, tries), expect, "{failure:?} after {tries}");
        }
    }
}
