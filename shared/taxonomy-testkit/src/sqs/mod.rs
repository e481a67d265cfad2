//! SQS inside the test process: queues in memory, in the JSON protocol.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`SqsFake`]: the client, queues and messages |
//! | `queues` | [`Message`], and the visibility of messages |
//! | `service` | SDK requests, answered from the queues |

mod queues;
mod service;

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::config::Builder;
use serde_json::{Value, json};

use crate::{Fake, lock, sample, unlimited_retries};
pub use queues::{Message, Queues};

/// An SQS fake. Clones share one state.
pub type SqsFake = Fake<Mutex<Queues>>;

impl SqsFake {
    /// Creates a queue and returns its URL.
    pub fn create_queue(&self, name: &str) -> String {
        lock(&self.state).create(name);
        queue_url(name)
    }

    /// Returns a client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        let config = Builder::from(&self.sdk()).retry_partition(unlimited_retries());
        Client::from_conf(config.build())
    }

    /// Sends a message to a queue; the transport does not record the request.
    ///
    /// # Panics
    /// Panics if there is no queue of this name, as every method that names a queue does.
    pub fn send(&self, queue: &str, body: &str) -> Message {
        lock(&self.state).send(queue, body, Value::Null, None)
    }

    /// Returns every message of a queue, oldest first, received and delayed ones included.
    pub fn messages(&self, queue: &str) -> Vec<Message> {
        lock(&self.state).queue(queue).clone()
    }

    /// Receives up to `most` visible messages as the pollers of an event source mapping do, and hides them for the time `hidden`. The
    /// transport does not record the request.
    pub fn receive(&self, queue: &str, most: usize, hidden: Duration) -> Vec<Message> {
        lock(&self.state).receive(queue, most, hidden)
    }

    /// Deletes a message; does nothing if it is already deleted. The transport does not record the request.
    pub fn delete(&self, queue: &str, message: &Message) {
        let mut queues = lock(&self.state);
        queues.queue(queue).retain(|known| known.id != message.id);
    }

    /// Removes and returns all messages of the queue.
    pub fn take(&self, queue: &str) -> Vec<Message> {
        std::mem::take(lock(&self.state).queue(queue))
    }

    /// Removes and returns the messages that are visible now; delayed and received ones remain.
    pub fn take_visible(&self, queue: &str) -> Vec<Message> {
        lock(&self.state).take_visible(queue)
    }

    /// Returns the time until a message of the queue can be received; `None` if the queue is empty.
    pub fn until_visible(&self, queue: &str) -> Option<Duration> {
        lock(&self.state).until_visible(queue)
    }

    /// Decides by this clock which messages are visible, instead of by tokio's.
    #[must_use]
    pub fn by_clock(self, now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        lock(&self.state).clock = queues::QueueClock(Arc::new(now));
        self
    }
}

/// Returns the URL of a queue.
pub fn queue_url(name: &str) -> String {
    format!("https://sqs.eu-west-1.amazonaws.com/123456789012/{name}")
}

/// A record of a message, in the sample event of the projector.
static RECORD: LazyLock<Value> =
    LazyLock::new(|| sample(include_str!("../../../../events/projector/retry-tenant.json")));

/// Returns the event of a function that reads a queue: one record per message.
pub fn sqs_event(queue: &str, messages: &[Message]) -> Value {
    let records = messages.iter().map(|message| {
        let mut record = RECORD.clone();
        record["messageId"] = json!(message.id);
        record["receiptHandle"] = json!(message.receipt_handle());
        record["body"] = json!(message.body);
        record["attributes"]["ApproximateReceiveCount"] = json!((message.received + 1).to_string());
        record["attributes"]["SentTimestamp"] = json!(message.sent_ms.to_string());
        record["md5OfBody"] = json!(message.md5);
        record["eventSourceARN"] = json!(format!("arn:aws:sqs:eu-west-1:123456789012:{queue}"));
        record
    });
    json!({"Records": records.collect::<Vec<_>>()})
}
