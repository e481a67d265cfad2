//! Attributes of DynamoDB as plain data: the pure counterpart of `AttributeValue`.
//!
//! A stored shape is one struct with serde's derives: [`write()`] returns its attributes, [`read`] parses them, [`get`] reads a single
//! attribute that belongs to no shape. A field whose stored name begins with `*` is a *part*: a shape whose attributes are stored beside those
//! of its owner. serde's `flatten` does the same, but buffers the values that it reads.

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};

/// The attributes of an item or of a map in it, by name.
pub type Attributes = serde_json::Map<String, Value>;

/// The value of an attribute: `S`, `N` (whole and not negative), `BOOL`, `L` or `M`.
pub use serde_json::Value;

/// A stored item lacks an attribute, or an attribute has another type than expected. Contains the name of the attribute and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a stored item is malformed: {1}: {0}")]
pub struct Malformed(pub String, pub String);

impl Error for Malformed {
    fn custom<T: std::fmt::Display>(reason: T) -> Self {
        Self(reason.to_string(), String::new())
    }

    fn missing_field(name: &'static str) -> Self {
        Self(format!("missing field `{name}`"), name.to_owned())
    }
}

/// Returns the attributes of a stored shape, without absent values, empty lists and maps, and false flags. Inside of maps and lists only absent
/// values are omitted.
pub fn write(shape: &impl Serialize) -> Attributes {
    stored(members(shape))
}

/// Returns the update that gives a stored item the attributes of a shape: the attributes to set, and the names of those to remove.
pub fn replacement(shape: &impl Serialize) -> (Attributes, Vec<String>) {
    let members = members(shape);
    let mut absent: Vec<String> = members.keys().cloned().collect();
    let set = stored(members);
    absent.retain(|name| !set.contains_key(name));
    (set, absent)
}

/// Returns the members of a shape, including absent ones, with those of its parts in place of the parts.
///
/// # Panics
/// Never: a shape is a struct of strings, whole numbers, flags, lists and maps, which serde_json serialises.
#[expect(clippy::expect_used, reason = "stored shapes are structs of plain values")]
fn members(shape: &impl Serialize) -> Attributes {
    let Value::Object(mut members) =
        serde_json::to_value(shape).expect("a stored shape is a struct of plain values")
    else {
        return Attributes::new();
    };
    while let Some(part) = members.keys().find(|name| is_part(name)).cloned() {
        let Some(Value::Object(part)) = members.remove(&part) else {
            continue;
        };
        for (name, value) in part {
            match (members.get_mut(&name), value) {
                (Some(Value::Object(map)), Value::Object(more)) => map.extend(more),
                (_, value) => drop(members.insert(name, value)),
            }
        }
    }
    members
}

/// Removes the values that are not stored.
fn stored(mut members: Attributes) -> Attributes {
    members.retain(|_, value| {
        remove_absent(value);
        match value {
            Value::Null => false,
            Value::Bool(up) => *up,
            Value::Array(values) => !values.is_empty(),
            Value::Object(map) => !map.is_empty(),
            Value::String(_) | Value::Number(_) => true,
        }
    });
    members
}

/// Removes absent members, at any depth.
fn remove_absent(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(remove_absent),
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(remove_absent);
        }
        _ => {}
    }
}

/// Reads a stored shape from attributes and ignores unknown ones.
///
/// # Errors
/// [`Malformed`] names the first invalid attribute.
pub fn read<T: DeserializeOwned>(mut attributes: Attributes) -> Result<T, Malformed> {
    T::deserialize(Shape {
        attributes: &mut attributes,
        is_part: false,
    })
}

/// Reads one attribute that belongs to no shape, such as a key. An `Option` is `None` where the attribute is absent.
///
/// # Errors
/// [`Malformed`] if it is invalid.
pub fn get<'a, T: Deserialize<'a>>(attributes: &'a Attributes, name: &str) -> Result<T, Malformed> {
    let value = attributes.get(name).unwrap_or(&Value::Null);
    T::deserialize(value).map_err(|error| Malformed(error.to_string(), name.to_owned()))
}

fn is_part(name: &str) -> bool {
    name.starts_with('*')
}

/// The attributes of a struct, by the names of its fields. A shape moves values out; a part clones them, since its owner may have a field of
/// the same name, so the part must precede such a field.
struct Shape<'a> {
    attributes: &'a mut Attributes,
    is_part: bool,
}

impl<'de> Deserializer<'de> for Shape<'_> {
    type Error = Malformed;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Malformed> {
        Err(Malformed::custom("a stored shape is a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Malformed> {
        visitor.visit_map(Members {
            shape: self,
            fields: fields.iter(),
            member: ("", None),
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

struct Members<'a> {
    shape: Shape<'a>,
    fields: std::slice::Iter<'static, &'static str>,
    /// The name of the current field, and its value; none for a part.
    member: (&'static str, Option<Value>),
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Malformed;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Malformed> {
        for &name in self.fields.by_ref() {
            let value = self.shape.attributes.get_mut(name);
            let value = value.map(|value| {
                if self.shape.is_part {
                    value.clone()
                } else {
                    value.take()
                }
            });
            if value.is_some() || is_part(name) {
                self.member = (name, value);
                let name: StrDeserializer<'_, Malformed> = name.into_deserializer();
                return seed.deserialize(name).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Malformed> {
        let (name, value) = (self.member.0, self.member.1.take());
        let Some(value) = value else {
            let part = Shape {
                attributes: self.shape.attributes,
                is_part: true,
            };
            return seed.deserialize(part).map_err(|error| match error {
                Malformed(reason, attribute) if attribute.is_empty() => {
                    Malformed(reason, name.trim_start_matches('*').to_owned())
                }
                error => error,
            });
        };
        seed.deserialize(value)
            .map_err(|error: serde_json::Error| Malformed(error.to_string(), name.to_owned()))
    }
}

/// Returns the size of attributes in bytes as DynamoDB charges them: names and values in UTF-8, a number about half a byte a digit, one byte
/// a flag, three a list or map and one more for each of its members
/// (developer guide, "DynamoDB item sizes and formats").
pub fn billed_size(attributes: &Attributes) -> usize {
    attributes
        .iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

fn value_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Number(number) => number.to_string().len().div_ceil(2) + 1,
        Value::Bool(_) | Value::Null => 1,
        Value::Array(values) => 3 + values.iter().map(|value| 1 + value_size(value)).sum::<usize>(),
        Value::Object(map) => 3 + map.len() + billed_size(map),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Item {
        #[serde(rename = "*Part")]
        part: Part,
        counts: BTreeMap<String, u64>,
        name: Option<String>,
        #[serde(default)]
        names: Vec<String>,
        #[serde(default)]
        is_new: bool,
    }

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Part {
        #[serde(rename = "*Inner")]
        inner: Inner,
        counts: BTreeMap<String, u64>,
    }

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Inner {
        number: u64,
    }

    fn item(item: Value) -> Result<Item, Malformed> {
        read(serde_json::from_value(item).unwrap())
    }

    #[test]
    fn the_attributes_of_a_part_lie_beside_those_of_its_shape() {
        let mut item = item(json!({"Counts": {"a": 1}, "Number": 7, "Unknown": true})).unwrap();
        assert_eq!(item.part.inner.number, 7);
        assert_eq!(item.part.counts, item.counts);
        item.counts = [("b".to_owned(), 2)].into();
        let expect = json!({"Counts": {"a": 1, "b": 2}, "Number": 7});
        assert_eq!(Value::from(write(&item)), expect);
        let (set, absent) = replacement(&item);
        assert_eq!(Value::from(set), expect);
        assert_eq!(absent, ["IsNew", "Name", "Names"]);
    }

    #[test]
    fn an_attribute_that_is_malformed_is_named() {
        let flag = "invalid type: boolean `true`, expected";
        let (text, number) = (format!("{flag} a string"), format!("{flag} u64"));
        for (stored, attribute, reason) in [
            (json!({"Counts": {}}), "Number", "missing field `Number`"),
            (json!({"Number": 7}), "Counts", "missing field `Counts`"),
            (json!({"Number": true, "Counts": {}}), "Number", &number),
            (json!({"Number": 7, "Counts": {"a": true}}), "Counts", &number),
            (json!({"Number": 7, "Counts": {}, "Name": true}), "Name", &text),
        ] {
            let error = item(stored).unwrap_err();
            assert_eq!(error, Malformed(reason.to_owned(), attribute.to_owned()));
        }
        let stored = Attributes::from_iter([("V".to_owned(), true.into())]);
        let error = get::<u64>(&stored, "V").unwrap_err().to_string();
        assert_eq!(error, format!("a stored item is malformed: V: {number}"));
    }
}
