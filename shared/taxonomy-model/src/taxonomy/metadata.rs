//! Free JSON in its canonical form: keys sorted, no white space, one text for one content.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A non-empty object, as canonical JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata(Box<str>);

impl Metadata {
    /// Wraps a text that is canonical JSON of an object.
    pub(crate) fn new(canonical: String) -> Self {
        Self(canonical.into())
    }

    /// Returns the canonical JSON.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Serialises as the object, with every number as it was stored.
impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0)
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A value serialises its keys sorted and its numbers as they were read, so the result is the canonical text.
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(Self(value.to_string().into()))
    }
}
