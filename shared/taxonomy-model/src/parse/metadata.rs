//! Free JSON in its canonical form: keys sorted, no white space, one text for one content.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::json::{Reader, Text};
use crate::report::Code;

const MAX_BYTES: usize = 8 * 1024;
const MAX_DEPTH: u8 = 16;

/// Reads a metadata object; returns its canonical form, or none if it is empty, absent or invalid.
pub(super) struct ReadMetadata<'r>(pub(super) &'r mut Reader);

impl<'de> DeserializeSeed<'de> for ReadMetadata<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        let reader = self.0;
        let mut found = Found {
            reader,
            too_deep: false,
            room: MAX_BYTES,
        };
        let canonical = Canonical {
            found: &mut found,
            depth: 0,
        }
        .deserialize(deserializer)?;
        let Found {
            reader,
            too_deep,
            room,
        } = found;
        if too_deep || room == 0 || canonical.len() > MAX_BYTES {
            reader.issue(
                Code::MetadataTooLarge,
                format!("more than {MAX_BYTES} bytes or {MAX_DEPTH} levels"),
            );
        } else if canonical == "null" || canonical == "{}" {
            return Ok(None);
        } else if !canonical.starts_with('{') {
            reader.issue(Code::WrongType, "expected an object");
        } else {
            return Ok(Some(canonical));
        }
        Ok(None)
    }
}

struct Found<'r> {
    reader: &'r mut Reader,
    too_deep: bool,
    /// The remaining bytes of the limit. Once none are left, the rest is skipped instead of kept: a small member takes twenty times as many bytes in
    /// memory as in the file. Quotes and commas are not counted, so this never cuts metadata within the limit.
    room: usize,
}

impl Found<'_> {
    fn spend(&mut self, text: &str) {
        self.room = self.room.saturating_sub(text.len());
    }
}

/// The canonical text of any value.
struct Canonical<'f, 'r> {
    found: &'f mut Found<'r>,
    depth: u8,
}

impl<'de> DeserializeSeed<'de> for Canonical<'_, '_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        self.found.too_deep |= self.depth > MAX_DEPTH;
        if self.depth > MAX_DEPTH || self.found.room == 0 {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok("null".to_owned());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Canonical<'_, '_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<String, E> {
        self.scalar("null".to_owned())
    }

    fn visit_bool<E>(self, up: bool) -> Result<String, E> {
        self.scalar(up.to_string())
    }

    fn visit_u64<E>(self, number: u64) -> Result<String, E> {
        self.scalar(number.to_string())
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        self.scalar(number.to_string())
    }

    fn visit_f64<E>(self, number: f64) -> Result<String, E> {
        // serde_json writes the shortest form that parses back to the same double.
        self.scalar(serde_json::Value::from(number).to_string())
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        // Quotes and escapes only lengthen it, so a text that is too long need not be copied to detect that.
        if text.len() > self.found.room {
            self.found.room = 0;
            return Ok(String::new());
        }
        self.scalar(quoted(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<String, A::Error> {
        let Self { found, depth } = self;
        found.spend("[]");
        let mut canonical = "[".to_owned();
        while let Some(value) = seq.next_element_seed(Canonical {
            found,
            depth: depth + 1,
        })? {
            if found.room > 0 {
                if canonical.len() > 1 {
                    canonical.push(',');
                }
                canonical.push_str(&value);
            }
        }
        canonical.push(']');
        Ok(canonical)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        let Self { found, depth } = self;
        found.spend("{}");
        let mut members = BTreeMap::new();
        while let Some(Text(key)) = map.next_key()? {
            found.spend(&key);
            let value = map.next_value_seed(Canonical {
                found,
                depth: depth + 1,
            })?;
            if found.room > 0 && members.insert(key.into_owned(), value).is_some() {
                found
                    .reader
                    .issue(Code::DuplicateKey, "the metadata has a key twice");
            }
        }
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{}:{value}", quoted(key)))
            .collect();
        Ok(format!("{{{}}}", members.join(",")))
    }
}

impl Canonical<'_, '_> {
    fn scalar<E>(self, canonical: String) -> Result<String, E> {
        self.found.spend(&canonical);
        Ok(canonical)
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
