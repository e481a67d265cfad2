//! The queue of downloads that the projector is to make (docs/decisions/0020-downloads.md).

use std::sync::Arc;

use aws_sdk_sqs::Client;

use crate::download::Download;
use crate::error::StoreError;

/// The queue of downloads.
#[derive(Debug, Clone)]
pub struct DownloadQueue {
    client: Client,
    url: Arc<str>,
}

impl DownloadQueue {
    /// The queue with this URL.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Asks for a download. Asking twice costs a look at the object.
    ///
    /// # Errors
    /// [`StoreError`] when SQS does not take it.
    pub async fn ask_for(&self, download: &Download) -> Result<(), StoreError> {
        let request = self.client.send_message().queue_url(&*self.url);
        let answer = request.message_body(download.message()).send().await;
        answer
            .map(drop)
            .map_err(|error| StoreError::request("SendMessage", error))
    }
}
