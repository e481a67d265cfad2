//! The queue of requested downloads (docs/decisions/0020-downloads.md).

use std::sync::Arc;

use aws_sdk_sqs::Client;

use crate::download::Download;
use crate::error::StoreError;
use crate::on_first_use::OnFirstUse;

/// The queue of downloads.
#[derive(Debug, Clone)]
pub struct DownloadQueue {
    client: OnFirstUse<Client>,
    url: Arc<str>,
}

impl DownloadQueue {
    /// Returns the queue with this URL.
    #[must_use]
    pub fn new(client: impl Into<OnFirstUse<Client>>, url: &str) -> Self {
        Self {
            client: client.into(),
            url: url.into(),
        }
    }

    /// Requests a download. A second request costs a read of the object's metadata.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for(&self, download: &Download) -> Result<(), StoreError> {
        let request = self.client.send_message().queue_url(&*self.url);
        let answer = request.message_body(download.message()).send().await;
        answer
            .map(drop)
            .map_err(|error| StoreError::request("SendMessage", error))
    }
}
