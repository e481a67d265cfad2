//! Parsing the events of the function's event source mappings: the fields that this function reads.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};
use taxonomy_model::attribute::{Attributes, Value};

/// An event of one of the two event source mappings: records of the stream, or messages of the deferred queue.
#[derive(Debug, Deserialize)]
pub struct Batch {
    #[serde(rename = "Records", default)]
    pub(crate) records: Vec<Incoming>,
}

/// A record of either kind: the fields of the other kind are absent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Incoming {
    #[serde(default)]
    message_id: Option<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    event_name: Option<String>,
    #[serde(default)]
    dynamodb: Option<StreamRecord>,
}

/// A record, by its kind.
#[derive(Debug)]
pub(crate) enum Kind {
    Stream(Record),
    Message(Message),
    /// Neither; no mapping of this function sends one.
    Unknown,
}

/// A record of the stream.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) event_name: String,
    pub(crate) dynamodb: StreamRecord,
}

/// A message of the deferred queue.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: String,
}

impl Incoming {
    pub(crate) fn kind(self) -> Kind {
        match (self.event_name, self.dynamodb, self.message_id, self.body) {
            (Some(event_name), Some(dynamodb), _, _) => Kind::Stream(Record { event_name, dynamodb }),
            (_, _, Some(id), Some(body)) => Kind::Message(Message { id, body }),
            _ => Kind::Unknown,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct StreamRecord {
    pub(crate) sequence_number: String,
    /// The time of the change in epoch seconds, rounded down to a whole one.
    #[serde(default)]
    pub(crate) approximate_creation_date_time: Option<f64>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) keys: Image,
    #[serde(default, deserialize_with = "present")]
    pub(crate) old_image: Image,
    #[serde(default, deserialize_with = "present")]
    pub(crate) new_image: Image,
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

/// The attributes of an item or of a map in it.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "HashMap<String, Attribute>")]
pub(crate) struct Image(pub(crate) Attributes);

/// A value under the letter of its type; other types are skipped, since no code reads them.
#[derive(Debug, Deserialize)]
struct Attribute {
    #[serde(rename = "S")]
    text: Option<String>,
    #[serde(rename = "N")]
    number: Option<String>,
    #[serde(rename = "M")]
    map: Option<Image>,
}

impl Attribute {
    fn value(self) -> Option<Value> {
        let number = || self.number?.parse::<u64>().ok().map(Value::from);
        let map = self.map.map(|Image(map)| Value::Object(map));
        self.text.map(Value::String).or_else(number).or(map)
    }
}

impl From<HashMap<String, Attribute>> for Image {
    fn from(image: HashMap<String, Attribute>) -> Self {
        let values = image
            .into_iter()
            .map(|(name, value)| Some((name, value.value()?)));
        Self(values.flatten().collect())
    }
}

/// An absent image may also be `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Image, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
