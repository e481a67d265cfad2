//! The queues: what the functions ask for, retry and give up.

pub(crate) mod publisher;
pub(crate) mod redrive;

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::operation::send_message::builders::SendMessageFluentBuilder;
use aws_sdk_sqs::types::MessageAttributeValue;
use serde_json::json;
use taxonomy_keys::TenantId;

use crate::error::{StoreError, sent};
use crate::objects::download::Download;

/// The maximum number of bytes of the cause in a dead letter.
const LONGEST_CAUSE: usize = 1000;

/// A queue. A message that is sent twice costs a second read and changes nothing.
#[derive(Debug, Clone)]
pub struct Queue {
    client: Client,
    url: Arc<str>,
}

impl Queue {
    /// The longest delay of a message in SQS.
    pub const LONGEST_DELAY: Duration = Duration::from_secs(900);

    /// Returns the queue with this URL.
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends a message with a delay, in whole seconds and at most [`Queue::LONGEST_DELAY`].
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn send(&self, body: String, delay: Duration) -> Result<(), StoreError> {
        let seconds = i32::try_from(delay.min(Self::LONGEST_DELAY).as_secs()).unwrap_or(0);
        // Without a delay the queue's own applies, which is none.
        let request = self
            .message(body)
            .set_delay_seconds((seconds > 0).then_some(seconds));
        sent("SendMessage", request.send()).await.map(drop)
    }

    /// Requests a reconcile of a tenant.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_tenant(&self, tenant: &TenantId) -> Result<(), StoreError> {
        let body = json!({ "tenant": tenant.as_str() });
        self.send(body.to_string(), Duration::ZERO).await
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
        self.send(body.to_string(), Duration::ZERO).await
    }

    /// Requests the rest of a sweep, after `after`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_sweep(&self, kind: &str, after: &str) -> Result<(), StoreError> {
        let body = json!({ "sweep": kind, "after": after });
        self.send(body.to_string(), Duration::ZERO).await
    }

    /// Requests a download.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn ask_for_download(&self, download: &Download) -> Result<(), StoreError> {
        self.send(download.message(), Duration::ZERO).await
    }

    /// Sends the body of a message that failed `tries` times to this queue of dead letters, with the last cause as message attribute
    /// `Cause`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn send_dead_letter(&self, body: String, cause: &str, tries: u64) -> Result<(), StoreError> {
        let request = self
            .message(body)
            .message_attributes("Cause", attribute("String", &sendable(cause))?)
            .message_attributes("Tries", attribute("Number", &tries.to_string())?);
        sent("SendMessage", request.send()).await.map(drop)
    }

    fn message(&self, body: String) -> SendMessageFluentBuilder {
        self.client
            .send_message()
            .queue_url(&*self.url)
            .message_body(body)
    }
}

/// Cleans a text for SQS, which refuses empty attributes and most control characters.
fn sendable(cause: &str) -> String {
    let printable = cause.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut text = String::new();
    for c in printable.filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')) {
        if text.len() + c.len_utf8() > LONGEST_CAUSE {
            break;
        }
        text.push(c);
    }
    if text.is_empty() {
        "unknown".to_owned()
    } else {
        text
    }
}

fn attribute(kind: &str, value: &str) -> Result<MessageAttributeValue, StoreError> {
    let attribute = MessageAttributeValue::builder()
        .data_type(kind)
        .string_value(value);
    Ok(attribute.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_never_longer_or_stranger_than_sqs_takes() {
        assert_eq!(sendable(""), "unknown");
        assert_eq!(sendable("a\nb\u{0}c\u{ffff}"), "a b c");
        let long = "é".repeat(2000);
        assert_eq!(sendable(&long).len(), LONGEST_CAUSE);
    }
}
