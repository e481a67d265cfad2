//! The path to the term ids in a metric.

use std::str::FromStr;

/// The largest number of steps in a path. It bounds the recursion along the path.
const MAX_STEPS: usize = 32;

/// One step of a path into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into the field of an object.
    Key(String),
    /// Into each element of an array.
    Each,
}

/// A path of keys separated by dots, with `[]` after a key for every element of its array: `categories[].terms[].id`. It begins with a
/// key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldPath {
    /// As it was given.
    text: String,
    pub(super) first: String,
    pub(super) rest: Vec<Step>,
}

impl FieldPath {
    /// Returns the path as it was given.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}

const INVALID: &str =
    "a path is at most 32 keys, separated by dots, each with [] behind it for every element of an array";

impl FromStr for FieldPath {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let mut steps = Vec::new();
        for part in text.split('.') {
            let key = part.trim_end_matches("[]");
            if key.is_empty() || key.contains(['[', ']']) {
                return Err(INVALID);
            }
            steps.push(Step::Key(key.to_owned()));
            steps.extend((0..(part.len() - key.len()) / 2).map(|_| Step::Each));
        }
        if steps.len() > MAX_STEPS {
            return Err(INVALID);
        }
        match steps.remove(0) {
            Step::Key(first) => Ok(Self {
                text: text.to_owned(),
                first,
                rest: steps,
            }),
            Step::Each => Err(INVALID),
        }
    }
}
