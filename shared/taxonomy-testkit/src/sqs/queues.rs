//! Messages and their visibility.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use md5::{Digest as _, Md5};
use serde_json::Value;
use tokio::time::Instant;

use crate::fixtures::NEW_YEAR_MS;
use crate::s3::hex;

/// A message of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The message id, counted over all queues.
    pub id: String,
    /// The body.
    pub body: String,
    /// MD5 of the body, in hexadecimal.
    pub md5: String,
    /// `MessageAttributes` as in the request; `null` if the request had none.
    pub attributes: Value,
    /// The time at which it was sent, in epoch milliseconds; later than that of any earlier message.
    pub sent_ms: u64,
    /// The number of times it was received.
    pub received: u32,
    /// The time from which it can be received (again), by the clock of its SQS.
    pub visible_from: Duration,
}

impl Message {
    /// Returns the handle of the last receipt.
    pub fn receipt_handle(&self) -> String {
        format!("{}@{}", self.id, self.received)
    }
}

fn id(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// The queues by name, each with its messages, oldest first.
#[derive(Debug, Default)]
pub struct Queues {
    queues: BTreeMap<String, Vec<Message>>,
    sent: u64,
    last_sent_ms: u64,
    pub(super) clock: QueueClock,
}

/// A clock that decides which messages are visible; returns the time since some fixed moment.
#[derive(Clone)]
pub(super) struct QueueClock(pub(super) Arc<dyn Fn() -> Duration + Send + Sync>);

impl QueueClock {
    fn now(&self) -> Duration {
        (self.0)()
    }
}

/// Tokio's clock.
impl Default for QueueClock {
    fn default() -> Self {
        let origin = Instant::now();
        Self(Arc::new(move || origin.elapsed()))
    }
}

impl fmt::Debug for QueueClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QueueClock({:?})", self.now())
    }
}

impl Queues {
    pub(super) fn create(&mut self, name: &str) {
        self.queues.entry(name.to_owned()).or_default();
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.queues.contains_key(name)
    }

    pub(super) fn send(
        &mut self,
        name: &str,
        body: &str,
        attributes: Value,
        delay: Option<Duration>,
    ) -> Message {
        self.sent += 1;
        let sent_ms = self.stamp();
        let message = Message {
            id: id(self.sent),
            body: body.to_owned(),
            md5: hex(&Md5::digest(body)),
            attributes,
            sent_ms,
            received: 0,
            visible_from: self.clock.now() + delay.unwrap_or_default(),
        };
        self.queue(name).push(message.clone());
        message
    }

    pub(super) fn take_visible(&mut self, name: &str) -> Vec<Message> {
        let now = self.clock.now();
        let queue = self.queue(name);
        queue
            .extract_if(.., |message| message.visible_from <= now)
            .collect()
    }

    pub(super) fn until_visible(&mut self, name: &str) -> Option<Duration> {
        let now = self.clock.now();
        let messages = self.queue(name).iter();
        messages
            .map(|message| message.visible_from.saturating_sub(now))
            .min()
    }

    /// Returns visible messages and hides them for a while.
    pub(super) fn receive(&mut self, name: &str, most: usize, hidden: Duration) -> Vec<Message> {
        let now = self.clock.now();
        let messages = self.queue(name).iter_mut();
        let visible = messages.filter(|message| message.visible_from <= now);
        let received = visible.take(most).map(|message| {
            message.received += 1;
            message.visible_from = now + hidden;
            message.clone()
        });
        received.collect()
    }

    /// Deletes the message of a receipt. An old receipt and the receipt of a deleted message change nothing and are no error.
    pub(super) fn delete(&mut self, name: &str, receipt: &str) {
        self.queue(name)
            .retain(|message| message.receipt_handle() != receipt);
    }

    /// Returns the time at which the next message is sent: the clock's time if it is a time of day, else the start of 2026, and always
    /// later than that of the message before.
    fn stamp(&mut self) -> u64 {
        let now = u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX);
        let least = self.last_sent_ms.max(NEW_YEAR_MS) + 1;
        self.last_sent_ms = least.max(now);
        self.last_sent_ms
    }

    pub(super) fn queue(&mut self, name: &str) -> &mut Vec<Message> {
        let queue = self.queues.get_mut(name);
        queue.unwrap_or_else(|| panic!("there is no queue {name}"))
    }
}
