//! What the function's event source mappings send, as far as this function looks.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};

/// An event of one of the two event source mappings: records of the stream, or messages of the deferred queue.
#[derive(Debug, Deserialize)]
pub struct Batch {
    #[serde(rename = "Records", default)]
    pub(crate) records: Vec<Incoming>,
}

/// A record of an event, of either kind: the fields of the other kind are absent.
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
    #[serde(default, deserialize_with = "present")]
    pub(crate) keys: Image,
    #[serde(default, deserialize_with = "present")]
    pub(crate) old_image: Image,
    #[serde(default, deserialize_with = "present")]
    pub(crate) new_image: Image,
}

/// The attributes of an item or of a map in it, each under the letter of its type.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Image(HashMap<String, Attribute>);

#[derive(Debug, Deserialize)]
struct Attribute {
    #[serde(rename = "S")]
    text: Option<String>,
    #[serde(rename = "N")]
    number: Option<String>,
    #[serde(rename = "M")]
    map: Option<Image>,
}

impl Image {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.text.as_deref()
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.number.as_deref()?.parse().ok()
    }

    pub(crate) fn map(&self, name: &str) -> Option<&Image> {
        self.0.get(name)?.map.as_ref()
    }
}

/// An absent image may also come as `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Image, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
