//! What DynamoDB Streams sends, as far as this function looks.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};

/// An event of the event source mapping.
#[derive(Debug, Deserialize)]
pub struct Batch {
    #[serde(rename = "Records", default)]
    pub(crate) records: Vec<Record>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) event_name: String,
    pub(crate) dynamodb: StreamRecord,
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
