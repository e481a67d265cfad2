//! Attributes as DynamoDB knows them, as plain data: the pure side of `AttributeValue`.
//!
//! A stored shape is one struct with serde's derives: [`write`] gives its attributes, [`read`] takes them back.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The attributes of an item or of a map in it, by name.
pub type Attributes = serde_json::Map<String, Value>;

/// The value of an attribute: `S`, `N` (whole and not negative), `BOOL`, `L` or `M`.
pub use serde_json::Value;

/// A stored item lacks an attribute, or holds another type than expected: which one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a stored item is malformed: {0}")]
pub struct Malformed(pub String);

/// The attributes of a stored shape, without those that are absent, empty lists or maps, or flags that are down. In maps and lists only what
/// is absent is left out.
///
/// # Panics
/// Never: a shape is a struct of texts, whole numbers, flags, lists and maps, which serde_json takes.
#[must_use]
#[expect(clippy::expect_used, reason = "stored shapes are structs of plain values")]
pub fn write(shape: &impl Serialize) -> Attributes {
    let mut written = serde_json::to_value(shape).expect("a stored shape is a struct of plain values");
    remove_absent(&mut written);
    match written {
        Value::Object(mut attributes) => {
            attributes.retain(|_, value| match value {
                Value::Bool(up) => *up,
                Value::Array(values) => !values.is_empty(),
                Value::Object(map) => !map.is_empty(),
                _ => true,
            });
            attributes
        }
        _ => Attributes::new(),
    }
}

/// Reads a stored shape out of attributes; attributes that it does not know are passed over.
///
/// # Errors
/// [`Malformed`] names the first attribute that is not as it should be.
pub fn read<T: DeserializeOwned>(attributes: Attributes) -> Result<T, Malformed> {
    T::deserialize(attributes).map_err(|error| Malformed(error.to_string()))
}

/// Removes members that are absent, at any depth.
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

/// Builds attributes; what is absent, empty or false is not stored.
#[derive(Debug, Default)]
pub struct Builder(Attributes);

impl Builder {
    /// A text that is always there.
    #[must_use]
    pub fn text(mut self, name: &'static str, text: &str) -> Self {
        self.0.insert(name.to_owned(), text.into());
        self
    }

    /// A text that may be absent.
    #[must_use]
    pub fn optional(self, name: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    /// A number.
    #[must_use]
    pub fn number(mut self, name: &'static str, number: u64) -> Self {
        self.0.insert(name.to_owned(), number.into());
        self
    }

    /// A flag, stored only when it is up.
    #[must_use]
    pub fn flag(mut self, name: &'static str, up: bool) -> Self {
        if up {
            self.0.insert(name.to_owned(), Value::Bool(true));
        }
        self
    }

    /// A list, stored only when it holds something.
    #[must_use]
    pub fn list(mut self, name: &'static str, values: impl IntoIterator<Item = Value>) -> Self {
        let values: Vec<Value> = values.into_iter().collect();
        if !values.is_empty() {
            self.0.insert(name.to_owned(), Value::Array(values));
        }
        self
    }

    /// A map, stored only when it holds something.
    #[must_use]
    pub fn map(mut self, name: &'static str, map: Attributes) -> Self {
        if !map.is_empty() {
            self.0.insert(name.to_owned(), Value::Object(map));
        }
        self
    }

    /// The attributes.
    #[must_use]
    pub fn build(self) -> Attributes {
        self.0
    }
}

/// Reads typed values out of attributes; an absent list is empty and an absent flag is down, as [`Builder`] wrote them.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a>(pub &'a Attributes);

impl<'a> Fields<'a> {
    fn malformed(name: &str) -> Malformed {
        Malformed(name.to_owned())
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// [`Malformed`] if it is not.
    pub fn text(self, name: &str) -> Result<&'a str, Malformed> {
        self.optional(name)?.ok_or_else(|| Self::malformed(name))
    }

    /// A text that may be absent.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn optional(self, name: &str) -> Result<Option<&'a str>, Malformed> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Self::malformed(name)),
        }
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// [`Malformed`] if it is not.
    pub fn number(self, name: &str) -> Result<u64, Malformed> {
        let number = self.0.get(name).and_then(Value::as_u64);
        number.ok_or_else(|| Self::malformed(name))
    }

    /// A number that may be absent.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn optional_number(self, name: &str) -> Result<Option<u64>, Malformed> {
        self.0.contains_key(name).then(|| self.number(name)).transpose()
    }

    /// Whether a flag is up.
    #[must_use]
    pub fn flag(self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    /// The values of a list.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn list(self, name: &str) -> Result<&'a [Value], Malformed> {
        match self.0.get(name) {
            None => Ok(&[]),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(Self::malformed(name)),
        }
    }

    /// The texts of a list.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn texts(self, name: &str) -> Result<Vec<&'a str>, Malformed> {
        let text = |value: &'a Value| match value {
            Value::String(text) => Ok(text.as_str()),
            _ => Err(Self::malformed(name)),
        };
        self.list(name)?.iter().map(text).collect()
    }

    /// The numbers of a list.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn numbers(self, name: &str) -> Result<Vec<u64>, Malformed> {
        let number = |value: &Value| value.as_u64().ok_or_else(|| Self::malformed(name));
        self.list(name)?.iter().map(number).collect()
    }

    /// A map, if it is there.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn map(self, name: &str) -> Result<Option<Fields<'a>>, Malformed> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Fields(map))),
            Some(_) => Err(Self::malformed(name)),
        }
    }

    /// The maps of a list.
    ///
    /// # Errors
    /// [`Malformed`] if there is something else.
    pub fn maps(self, name: &str) -> Result<Vec<Fields<'a>>, Malformed> {
        let map = |value: &'a Value| match value {
            Value::Object(map) => Ok(Fields(map)),
            _ => Err(Self::malformed(name)),
        };
        self.list(name)?.iter().map(map).collect()
    }
}

/// The size of attributes as DynamoDB charges them: names and values in UTF-8, a number about half a byte a digit, one byte
/// a flag, three a list or map and one more for each of its members
/// (developer guide, "DynamoDB item sizes and formats").
#[must_use]
pub fn size(attributes: &Attributes) -> usize {
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
        Value::Object(map) => 3 + map.len() + size(map),
    }
}
