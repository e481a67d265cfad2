//! SQS inside the test process: queues in memory, in the JSON protocol.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`SqsFake`]: client, queues, and what a test sends, sees and takes |
//! | `queues` | [`Message`], and which of them can be received |
//! | `service` | requests of the SDK answered from the queues |

mod queues;
mod service;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_sqs::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
use aws_sdk_sqs::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use serde_json::{Value, json};

use crate::exchange::Exchanges;
use crate::wire::Wire;
pub use queues::Message;
use queues::Queues;

/// An SQS of one's own. Clones are the same SQS.
#[derive(Debug, Clone, Default)]
pub struct SqsFake {
    queues: Arc<Mutex<Queues>>,
    wire: Wire,
}

impl SqsFake {
    /// An SQS without queues, with a wire of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same on a wire shared with other services.
    pub fn on(wire: &Wire) -> Self {
        Self {
            queues: Arc::default(),
            wire: wire.clone(),
        }
    }

    /// The same SQS in the hands of somebody: what its clients send says so. See [`Wire::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            wire: self.wire.actor(actor),
            ..self.clone()
        }
    }

    /// Creates a queue and says its URL.
    pub fn create_queue(&self, name: &str) -> String {
        self.lock().create(name, None);
        queue_url(name)
    }

    /// Creates a queue for what another one failed on, and says its URL. A move task without a destination brings messages from
    /// here back there; nothing comes here by itself.
    pub fn create_dead_letter_queue(&self, name: &str, of: &str) -> String {
        self.lock().create(name, Some(of));
        queue_url(name)
    }

    /// A client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// What [`client`](Self::client) is built from, for tests that want other retries or time-outs.
    pub fn config(&self) -> aws_sdk_sqs::config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "testkit"))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .http_client(self.http_client())
    }

    /// The transport alone, to put under a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.wire
            .http_client(service::Service::new(Arc::clone(&self.queues)))
    }

    /// The wire: faults go in here.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// What went over the wire.
    pub fn exchanges(&self) -> Exchanges {
        self.wire.exchanges()
    }

    /// Puts a message into a queue, past the wire.
    ///
    /// # Panics
    /// As everything here that names a queue, if there is none of this name.
    pub fn send(&self, queue: &str, body: &str) -> Message {
        self.lock().send(queue, body, Value::Null, None)
    }

    /// Every message of a queue, oldest first, received and delayed ones included.
    pub fn messages(&self, queue: &str) -> Vec<Message> {
        self.lock().messages(queue).to_vec()
    }

    /// Receives messages past the wire, as the pollers of an event source mapping do: visible ones, which are hidden for so long.
    pub fn receive(&self, queue: &str, most: usize, hidden: Duration) -> Vec<Message> {
        self.lock().receive(queue, most, hidden)
    }

    /// Deletes a message, past the wire; one that is gone already changes nothing.
    pub fn delete(&self, queue: &str, message: &Message) {
        self.lock().remove(queue, &message.id);
    }

    /// Takes all of them out of the queue.
    pub fn take(&self, queue: &str) -> Vec<Message> {
        self.lock().take(queue)
    }

    /// Takes the messages out of the queue that could be received now; delayed and received ones stay.
    pub fn take_visible(&self, queue: &str) -> Vec<Message> {
        self.lock().take_visible(queue)
    }

    /// How long it takes until some message of the queue can be received; none where there is no message.
    pub fn until_visible(&self, queue: &str) -> Option<Duration> {
        self.lock().until_visible(queue)
    }

    /// Lets this clock decide which messages are visible, instead of tokio's.
    #[must_use]
    pub fn by_clock(self, now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        self.lock().clock = queues::QueueClock(Arc::new(now));
        self
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The URL of a queue.
pub fn queue_url(name: &str) -> String {
    format!("https://sqs.eu-west-1.amazonaws.com/123456789012/{name}")
}

/// The ARN of a queue.
pub fn queue_arn(name: &str) -> String {
    format!("arn:aws:sqs:eu-west-1:123456789012:{name}")
}

/// The event of a function that reads a queue: one record for each message.
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
