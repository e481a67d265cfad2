//! Messages and their visibility.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use md5::{Digest as _, Md5};
use serde_json::Value;
use tokio::time::Instant;

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

/// The start of 2026, at which the tests' clocks begin, in epoch milliseconds.
const FIRST_SENT_MS: u64 = 1_767_225_600_000;

fn id(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

#[derive(Debug, Default)]
pub(super) struct Queues {
    queues: BTreeMap<String, Queue>,
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

#[derive(Debug, Default)]
struct Queue {
    messages: Vec<Message>,
    /// For a dead-letter queue: the queue whose failed messages it holds.
    letters_of: Option<String>,
}

impl Queues {
    pub(super) fn create(&mut self, name: &str, letters_of: Option<&str>) {
        let queue = self.queues.entry(name.to_owned()).or_default();
        queue.letters_of = letters_of.map(str::to_owned);
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.queues.contains_key(name)
    }

    pub(super) fn letters_of(&self, name: &str) -> Option<String> {
        self.queues.get(name)?.letters_of.clone()
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
        self.queue(name).messages.push(message.clone());
        message
    }

    pub(super) fn messages(&mut self, name: &str) -> &[Message] {
        &self.queue(name).messages
    }

    pub(super) fn take(&mut self, name: &str) -> Vec<Message> {
        std::mem::take(&mut self.queue(name).messages)
    }

    pub(super) fn take_visible(&mut self, name: &str) -> Vec<Message> {
        let now = self.clock.now();
        let messages = std::mem::take(&mut self.queue(name).messages);
        let (visible, delayed) = messages
            .into_iter()
            .partition(|message| message.visible_from <= now);
        self.queue(name).messages = delayed;
        visible
    }

    pub(super) fn until_visible(&mut self, name: &str) -> Option<Duration> {
        let now = self.clock.now();
        let messages = self.queue(name).messages.iter();
        messages
            .map(|message| message.visible_from.saturating_sub(now))
            .min()
    }

    /// Returns visible messages and hides them for a while.
    pub(super) fn receive(&mut self, name: &str, most: usize, hidden: Duration) -> Vec<Message> {
        let now = self.clock.now();
        let messages = self.queue(name).messages.iter_mut();
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
            .messages
            .retain(|message| message.receipt_handle() != receipt);
    }

    pub(super) fn remove(&mut self, name: &str, id: &str) {
        self.queue(name).messages.retain(|message| message.id != id);
    }

    /// Moves every message. Each gets a new id and a new time of sending, as in SQS.
    pub(super) fn move_all(&mut self, from: &str, to: &str) {
        let (mut moved, now) = (self.take(from), self.clock.now());
        for message in &mut moved {
            self.sent += 1;
            message.id = id(self.sent);
            message.sent_ms = self.stamp();
            message.received = 0;
            message.visible_from = now;
        }
        self.queue(to).messages.append(&mut moved);
    }

    /// Returns the time at which the next message is sent: the clock's time if it is a time of day, else the start of 2026, and always
    /// later than that of the message before.
    fn stamp(&mut self) -> u64 {
        let now = u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX);
        let least = self.last_sent_ms.max(FIRST_SENT_MS) + 1;
        self.last_sent_ms = least.max(now);
        self.last_sent_ms
    }

    fn queue(&mut self, name: &str) -> &mut Queue {
        let queue = self.queues.get_mut(name);
        queue.unwrap_or_else(|| panic!("there is no queue {name}"))
    }
}
