//! The value of a field of a node, and the issues of its texts.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::report::Code;

/// A field, or its exact JSON.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Value<'a, T> {
    Exact(&'a RawValue),
    Made(T),
    Absent,
}

impl<T> Value<'_, T> {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// Issues of a node, until they are reported: texts are borrowed from the graph meanwhile.
pub(super) type Issues = Vec<(Code, String)>;

/// A list, unless it is empty.
pub(super) fn made<'a, T>(list: Vec<T>) -> Value<'a, Vec<T>> {
    match list.is_empty() {
        true => Value::Absent,
        false => Value::Made(list),
    }
}
