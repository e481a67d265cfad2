//! The value of a field of a node, and the issues of its texts.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::report::Code;

/// A field, or its exact JSON.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum FieldValue<'a, T> {
    Exact(&'a RawValue),
    Made(T),
    Absent,
}

impl<T> FieldValue<'_, T> {
    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T> FieldValue<'_, Vec<T>> {
    /// A list, unless it is empty.
    pub(super) fn list(list: Vec<T>) -> Self {
        match list.is_empty() {
            true => Self::Absent,
            false => Self::Made(list),
        }
    }
}

/// Issues of a node, until they are reported: texts are borrowed from the graph meanwhile.
pub(super) type Issues = Vec<(Code, String)>;
