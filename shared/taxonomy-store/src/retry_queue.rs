//! The queues that feed the projector: the retry queue, and the queue of audits.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use serde_json::{Value, json};
use taxonomy_keys::TenantId;

use crate::error::StoreError;

/// A queue that feeds the projector.
#[derive(Debug, Clone)]
pub struct RetryQueue {
    client: Client,
    url: Arc<str>,
}

impl RetryQueue {
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

    /// Requests a reconcile of a tenant. A second request costs a second reconcile.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_tenant(&self, tenant: &TenantId) -> Result<(), StoreError> {
        self.send(json!({ "tenant": tenant.as_str() }), Duration::ZERO)
            .await
    }

    /// Requests an audit of a tenant as part of a scheduled run; with `full` one from the first version on. A second message of the
    /// same run costs one read once the tenant is audited in it.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_audit(
        &self,
        tenant: &TenantId,
        run: Option<u64>,
        full: bool,
    ) -> Result<(), StoreError> {
        let mut body = json!({ "audit": tenant.as_str() });
        if let Some(run) = run {
            body["run"] = run.into();
        }
        if full {
            body["full"] = true.into();
        }
        self.send(body, Duration::ZERO).await
    }

    /// Sends a body unchanged, with a delay of at most [`RetryQueue::LONGEST_DELAY`].
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn send_again(&self, body: Value, delay: Duration) -> Result<(), StoreError> {
        self.send(body, delay).await
    }

    /// Requests the rest of a sweep, after `after`, with a delay of at most [`RetryQueue::LONGEST_DELAY`].
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_sweep(&self, kind: &str, after: &str, delay: Duration) -> Result<(), StoreError> {
        self.send(json!({ "sweep": kind, "after": after }), delay).await
    }

    async fn send(&self, body: Value, delay: Duration) -> Result<(), StoreError> {
        // Fractions are cut off; without a delay the queue's own applies, which is none.
        let seconds = i32::try_from(delay.as_secs()).ok().filter(|seconds| *seconds > 0);
        let answer = self
            .client
            .send_message()
            .queue_url(&*self.url)
            .message_body(body.to_string())
            .set_delay_seconds(seconds)
            .send()
            .await;
        answer
            .map(drop)
            .map_err(|error| StoreError::request("SendMessage", error))
    }
}
