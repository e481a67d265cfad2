//! The body of a response: a text, which the payload format carries as a JSON string.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A text, and its JSON string if it was encoded before.
#[derive(Debug, Clone)]
pub struct ResponseBody(Form);

#[derive(Debug, Clone)]
enum Form {
    Text(String),
    Encoded(Arc<Encoded>),
}

#[derive(Debug)]
struct Encoded {
    text: String,
    json: Box<RawValue>,
}

impl ResponseBody {
    /// Encodes it once for every response that it is cloned into. Escaping a body takes as many instructions as writing it.
    pub(crate) fn encoded(self) -> Self {
        match self.0 {
            Form::Text(text) => Self(match serde_json::value::to_raw_value(&text) {
                Ok(json) => Form::Encoded(Arc::new(Encoded { text, json })),
                // Any text can be encoded.
                Err(_) => Form::Text(text),
            }),
            Form::Encoded(_) => self,
        }
    }

    /// Returns the bytes of memory that it takes.
    pub(crate) fn size(&self) -> usize {
        match &self.0 {
            Form::Text(text) => text.capacity(),
            Form::Encoded(encoded) => encoded.text.capacity() + encoded.json.get().len(),
        }
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self
    }
}

impl Deref for ResponseBody {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Form::Text(text) => text,
            Form::Encoded(encoded) => &encoded.text,
        }
    }
}

impl From<String> for ResponseBody {
    fn from(text: String) -> Self {
        Self(Form::Text(text))
    }
}

impl PartialEq for ResponseBody {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ResponseBody {}

impl std::fmt::Display for ResponseBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for ResponseBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Text(text) => serializer.serialize_str(text),
            Form::Encoded(encoded) => encoded.json.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encoded_body_is_the_same_body() {
        for text in [
            "",
            "{\"name\":\"a\\\"b\\u0001é\u{2028}\"}",
            "\u{0}\n\t\u{7f}\u{1f600}",
        ] {
            let plain = ResponseBody::from(text.to_owned());
            let encoded = plain.clone().encoded();
            assert_eq!((&*encoded, &encoded), (text, &plain));
            let json = serde_json::to_string(&encoded).unwrap();
            assert_eq!(json, serde_json::to_string(text).unwrap());
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
