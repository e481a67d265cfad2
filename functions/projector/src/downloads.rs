//! Downloads of versions, each asked for by a message of a queue of its own.

use taxonomy_protocol::{Deadline, Made, ProtocolError, causes};
use taxonomy_runtime::Clock;
use taxonomy_store::{Download, StoreError};
use tracing::info;

use crate::error::ProjectorError;
use crate::handler::Projector;
use crate::redelivery::{self, Fate};

/// A message that was received more often than this ended the process each time: a failure that the function sees is sent as a new message.
const RECEIVES: u64 = 3;

impl<C: Clock> Projector<C> {
    /// Makes a download, or sends its message again. An error says that neither was possible.
    pub(crate) async fn work_off_download(
        &self,
        download: Download,
        body: &str,
        receives: u64,
        deadline: Deadline,
    ) -> Result<(), StoreError> {
        let failure = match receives {
            0..=RECEIVES => match Box::pin(self.make(&download, deadline)).await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            },
            _ => ProjectorError::KeepsEnding(receives - 1),
        };
        self.note_failure(&download.tenant, &failure);
        let fate = match is_hopeless(&failure) {
            true => redelivery::at_once(body),
            false => redelivery::after_failure(body, None),
        };
        if matches!(fate, Fate::Dead { .. }) {
            let now = self.taxonomies.clock().now_ms();
            self.taxonomies.note_failed_download(&download, now).await?;
        }
        let (queue, dead_letters) = (&self.downloads, &self.download_dead_letters);
        self.send_on(queue, dead_letters, fate, &causes(&failure)).await
    }

    /// Makes a download unless it is there, or nothing can be made of it.
    pub(crate) async fn make(&self, download: &Download, deadline: Deadline) -> Result<(), ProjectorError> {
        let (tenant, version) = (&download.tenant, download.version.get());
        if Box::pin(self.taxonomies.make_download(download, deadline)).await? == Made::Nothing {
            info!(%tenant, version, "there is no such version to download");
        }
        Ok(())
    }
}

/// Whether every further try would end alike.
fn is_hopeless(failure: &ProjectorError) -> bool {
    match failure {
        ProjectorError::KeepsEnding(_) => true,
        ProjectorError::Store(error) | ProjectorError::Protocol(ProtocolError::Store(error)) => {
            error.is_permanent()
        }
        _ => false,
    }
}
