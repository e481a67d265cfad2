//! SQS inside the test process: queues in memory, in the JSON protocol.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`SqsFake`]: the client, queues and messages |
//! | `queues` | [`Message`], and the visibility of messages |
//! | `service` | SDK requests, answered from the queues |

mod queues;
mod service;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
use aws_sdk_sqs::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use serde_json::{Value, json};

use crate::transport::Transport;
pub use queues::Message;
use queues::Queues;

/// An SQS fake. Clones share one state.
#[derive(Debug, Clone)]
pub struct SqsFake {
    queues: Arc<Mutex<Queues>>,
    transport: Transport,
}

impl SqsFake {
    /// Creates an SQS without queues on a transport that other services share.
    pub fn on(transport: &Transport) -> Self {
        Self {
            queues: Arc::default(),
            transport: transport.clone(),
        }
    }

    /// Returns the same SQS with another actor: the requests of its clients carry this name. See [`Transport::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            transport: self.transport.actor(actor),
            ..self.clone()
        }
    }

    /// Creates a queue and returns its URL.
    pub fn create_queue(&self, name: &str) -> String {
        self.lock().create(name, None);
        queue_url(name)
    }

    /// Creates the dead-letter queue of another queue and returns its URL. A move task without a destination moves messages from this queue
    /// back to the other; the fake itself moves no message into this queue.
    pub fn create_dead_letter_queue(&self, name: &str, of: &str) -> String {
        self.lock().create(name, Some(of));
        queue_url(name)
    }

    /// Returns a client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "testkit"))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .retry_partition(crate::unlimited_retries())
            .http_client(self.http_client());
        Client::from_conf(config.build())
    }

    /// Returns the HTTP client alone, for a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.transport
            .http_client(service::Service::new(Arc::clone(&self.queues)))
    }

    /// Sends a message to a queue; the transport does not record the request.
    ///
    /// # Panics
    /// Panics if there is no queue of this name, as every method that names a queue does.
    pub fn send(&self, queue: &str, body: &str) -> Message {
        self.lock().send(queue, body, Value::Null, None)
    }

    /// Returns every message of a queue, oldest first, received and delayed ones included.
    pub fn messages(&self, queue: &str) -> Vec<Message> {
        self.lock().messages(queue).to_vec()
    }

    /// Receives up to `most` visible messages as the pollers of an event source mapping do, and hides them for the time `hidden`. The
    /// transport does not record the request.
    pub fn receive(&self, queue: &str, most: usize, hidden: Duration) -> Vec<Message> {
        self.lock().receive(queue, most, hidden)
    }

    /// Deletes a message; does nothing if it is already deleted. The transport does not record the request.
    pub fn delete(&self, queue: &str, message: &Message) {
        self.lock().remove(queue, &message.id);
    }

    /// Removes and returns all messages of the queue.
    pub fn take(&self, queue: &str) -> Vec<Message> {
        self.lock().take(queue)
    }

    /// Removes and returns the messages that are visible now; delayed and received ones remain.
    pub fn take_visible(&self, queue: &str) -> Vec<Message> {
        self.lock().take_visible(queue)
    }

    /// Returns the time until a message of the queue can be received; `None` if the queue is empty.
    pub fn until_visible(&self, queue: &str) -> Option<Duration> {
        self.lock().until_visible(queue)
    }

    /// Decides by this clock which messages are visible, instead of by tokio's.
    #[must_use]
    pub fn by_clock(self, now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        self.lock().clock = queues::QueueClock(Arc::new(now));
        self
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the URL of a queue.
pub fn queue_url(name: &str) -> String {
    format!("https://sqs.eu-west-1.amazonaws.com/123456789012/{name}")
}

/// Returns the ARN of a queue.
fn queue_arn(name: &str) -> String {
    format!("arn:aws:sqs:eu-west-1:123456789012:{name}")
}

/// Returns the event of a function that reads a queue: one record per message.
pub fn sqs_event(queue: &str, messages: &[Message]) -> Value {
    let records = messages.iter().map(|message| {
        json!({
            "messageId": message.id,
            "receiptHandle": message.receipt_handle(),
            "body": message.body,
            "attributes": {
                "ApproximateReceiveCount": (message.received + 1).to_string(),
                "SentTimestamp": message.sent_ms.to_string(),
                "SenderId": "TESTKIT",
                "ApproximateFirstReceiveTimestamp": "1767225600000",
            },
            "messageAttributes": {},
            "md5OfBody": message.md5,
            "eventSource": "aws:sqs",
            "eventSourceARN": queue_arn(queue),
            "awsRegion": "eu-west-1",
        })
    });
    json!({"Records": records.collect::<Vec<_>>()})
}
