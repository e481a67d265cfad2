//! Free JSON in its canonical form: keys sorted, no white space, one text for one content.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::json::{FileReader, Text};
use crate::report::Code;

const MAX_BYTES: usize = 8 * 1024;
const MAX_DEPTH: u8 = 16;

/// Reads a metadata object; returns its canonical form, or none if it is empty, absent or invalid.
pub(super) struct ReadMetadata<'r>(pub(super) &'r mut FileReader);

impl<'de> DeserializeSeed<'de> for ReadMetadata<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        let mut budget = Budget {
            reader: self.0,
            too_deep: false,
            room: MAX_BYTES,
        };
        let root = ReadValue {
            budget: &mut budget,
            depth: 0,
        };
        let value = root.deserialize(deserializer)?;
        let Budget {
            reader,
            too_deep,
            room,
        } = budget;
        let canonical = value.to_string();
        if too_deep || room == 0 || canonical.len() > MAX_BYTES {
            let message = format!("more than {MAX_BYTES} bytes or {MAX_DEPTH} levels");
            reader.issue(Code::MetadataTooLarge, message);
            return Ok(None);
        }
        match value {
            Value::Object(members) => return Ok((!members.is_empty()).then_some(canonical)),
            Value::Null => {}
            _ => {
                reader.issue(Code::WrongType, "expected an object");
            }
        }
        Ok(None)
    }
}

/// What remains of the limits.
struct Budget<'r> {
    reader: &'r mut FileReader,
    too_deep: bool,
    /// The remaining bytes of the limit. Once none are left, the rest is skipped instead of kept: a small member takes twenty times as many bytes in
    /// memory as in the file. Quotes and commas are not counted, so this never cuts metadata within the limit.
    room: usize,
}

impl Budget<'_> {
    fn spend(&mut self, text: &str) {
        self.room = self.room.saturating_sub(text.len());
    }
}

/// Reads any value, whose text is canonical: the members of an object are sorted.
struct ReadValue<'b, 'r> {
    budget: &'b mut Budget<'r>,
    depth: u8,
}

impl<'de> DeserializeSeed<'de> for ReadValue<'_, '_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.budget.too_deep |= self.depth > MAX_DEPTH;
        if self.depth > MAX_DEPTH || self.budget.room == 0 {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok(Value::Null);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReadValue<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        self.scalar(Value::Null)
    }

    fn visit_bool<E>(self, up: bool) -> Result<Value, E> {
        self.scalar(up)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        self.scalar(number)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        self.scalar(number)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        // serde_json writes the shortest form that parses back to the same double.
        self.scalar(number)
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        // Quotes and escapes only lengthen it, so a text that is too long need not be copied to detect that.
        if text.len() > self.budget.room {
            self.budget.room = 0;
            return Ok(Value::Null);
        }
        self.scalar(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let budget = self.budget;
        budget.spend("[]");
        let depth = self.depth + 1;
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(ReadValue { budget, depth })? {
            if budget.room > 0 {
                values.push(value);
            }
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let budget = self.budget;
        budget.spend("{}");
        let depth = self.depth + 1;
        let mut members = Map::new();
        while let Some(Text(key)) = map.next_key()? {
            budget.spend(&key);
            let value = map.next_value_seed(ReadValue { budget, depth })?;
            if budget.room > 0 && members.insert(key.into_owned(), value).is_some() {
                let message = "the metadata has a key twice";
                budget.reader.issue(Code::DuplicateKey, message);
            }
        }
        Ok(members.into())
    }
}

impl ReadValue<'_, '_> {
    fn scalar<E>(self, value: impl Into<Value>) -> Result<Value, E> {
        let value = value.into();
        self.budget.spend(&value.to_string());
        Ok(value)
    }
}
