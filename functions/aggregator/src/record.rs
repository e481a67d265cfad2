//! Parsing the events of the function's event source mappings: the fields that this function reads.

use serde::Deserialize;
use taxonomy_model::attribute::{Attributes, Value};

use crate::change::{self, HeadRecord};

/// An event of one of the two event source mappings: records of the stream, or messages of the deferred queue.
#[derive(Debug, Deserialize)]
pub struct Batch {
    #[serde(rename = "Records", default)]
    pub(crate) records: Vec<EventRecord>,
}

/// A record of either kind: the fields of the other kind are absent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventRecord {
    message_id: Option<String>,
    body: Option<String>,
    event_name: Option<String>,
    dynamodb: Option<StreamRecord>,
}

/// A record, by its kind.
#[derive(Debug)]
pub(crate) enum RecordKind {
    /// A record of the stream; without a head if it changes none.
    Stream(Option<HeadRecord>),
    Message(DeferredMessage),
    /// Neither; no mapping of this function sends one.
    Unknown,
}

/// A message of the deferred queue.
#[derive(Debug)]
pub(crate) struct DeferredMessage {
    pub(crate) id: String,
    pub(crate) body: String,
}

impl EventRecord {
    pub(crate) fn kind(self) -> RecordKind {
        match (self.event_name, self.dynamodb, self.message_id, self.body) {
            (Some(event_name), Some(record), _, _) => RecordKind::Stream(change::head(&event_name, record)),
            (_, _, Some(id), Some(body)) => RecordKind::Message(DeferredMessage { id, body }),
            _ => RecordKind::Unknown,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct StreamRecord {
    pub(crate) sequence_number: String,
    /// The time of the change in epoch seconds, rounded down to a whole one.
    pub(crate) approximate_creation_date_time: Option<f64>,
    #[serde(default)]
    pub(crate) keys: Value,
    /// `null` where it is absent, as the one below.
    #[serde(default)]
    pub(crate) old_image: Value,
    #[serde(default)]
    pub(crate) new_image: Value,
}

impl StreamRecord {
    /// Returns the time of the change in epoch milliseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float is converted to the nearest number of the type"
    )]
    pub(crate) fn recorded_at(&self) -> Option<u64> {
        self.approximate_creation_date_time
            .map(|seconds| (seconds * 1000.0) as u64)
    }
}

/// Returns the attributes of an image, or of a map in it. Skips types that no code reads.
pub(crate) fn attributes(image: &Value) -> Attributes {
    let members = image.as_object().into_iter().flatten();
    let values = members.map(|(name, typed)| Some((name.clone(), plain(typed)?)));
    values.flatten().collect()
}

/// Converts a value, which an image has under the letter of its type.
fn plain(typed: &Value) -> Option<Value> {
    let (letter, value) = typed.as_object()?.iter().next()?;
    match (letter.as_str(), value) {
        ("S", Value::String(_)) => Some(value.clone()),
        ("N", Value::String(number)) => number.parse::<u64>().ok().map(Value::from),
        ("M", Value::Object(_)) => Some(Value::Object(attributes(value))),
        _ => None,
    }
}
