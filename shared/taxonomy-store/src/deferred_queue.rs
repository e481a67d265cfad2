//! The queue of stream records that the aggregator deferred (docs/decisions/0011-isolation.md).

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;

use crate::error::StoreError;

/// The deferred queue.
#[derive(Debug, Clone)]
pub struct DeferredQueue {
    client: Client,
    url: Arc<str>,
}

impl DeferredQueue {
    /// The longest delay of a message in SQS.
    pub const LONGEST_DELAY: Duration = Duration::from_secs(900);

    /// Returns the queue with this URL.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends a message with a delay, in whole seconds and at most [`DeferredQueue::LONGEST_DELAY`]. A message that is sent
    /// twice costs a second read.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn send(&self, body: String, delay: Duration) -> Result<(), StoreError> {
        let seconds = i32::try_from(delay.min(Self::LONGEST_DELAY).as_secs()).unwrap_or(0);
        let answer = self
            .client
            .send_message()
            .queue_url(&*self.url)
            .message_body(body)
            .set_delay_seconds((seconds > 0).then_some(seconds))
            .send()
            .await;
        answer
            .map(drop)
            .map_err(|error| StoreError::request("SendMessage", error))
    }
}
