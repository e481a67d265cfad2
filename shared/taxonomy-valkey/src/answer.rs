//! Decoding the responses of the server.

use std::fmt;

use redis::Value;
use taxonomy_keys::Version;

use crate::error::ValkeyError;

/// The result of a read, in the order of the entries.
#[derive(Clone, PartialEq, Eq)]
pub struct ReadResult {
    /// The highest version that any process saw committed: a hint to read the head again, never a value.
    pub newest: Option<Version>,
    /// The values of the entries; `None` for a miss, or where the server did not answer.
    pub values: Vec<Option<Vec<u8>>>,
}

impl ReadResult {
    /// The result where the server did not answer.
    pub(crate) fn nothing(entries: usize) -> Self {
        Self {
            newest: None,
            values: vec![None; entries],
        }
    }
}

/// Values are data of a tenant, so only their number is shown.
impl fmt::Debug for ReadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("newest", &self.newest)
            .field("asked", &self.values.len())
            .field("found", &self.values.iter().flatten().count())
            .finish()
    }
}

/// Decodes the response to an MGET of a version and entries; `None` if it has another shape.
pub(crate) fn read(answers: Vec<Value>, entries: usize) -> Option<ReadResult> {
    let Some(Value::Array(found)) = answers.into_iter().next() else {
        return None;
    };
    let mut found = found.into_iter();
    let newest = found.next().and_then(|value| parse_version(&value));
    let values: Vec<_> = found.map(bytes).collect();
    (values.len() == entries).then_some(ReadResult { newest, values })
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

/// A value that is no version counts as absent.
pub(crate) fn parse_version(value: &Value) -> Option<Version> {
    let Value::BulkString(bytes) = value else {
        return None;
    };
    let text = std::str::from_utf8(bytes).ok()?;
    let version = text.parse().ok().and_then(Version::new)?;
    (version.get().to_string() == text).then_some(version)
}

pub(crate) fn refusal(answers: &[Value]) -> Option<ValkeyError> {
    answers.iter().find_map(|answer| match answer {
        Value::ServerError(error) => Some(ValkeyError::Refused {
            code: error.code().to_owned(),
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::BulkString(text.as_bytes().to_vec())
    }

    #[test]
    fn a_version_is_spelled_in_one_way() {
        let check = |value: Value, expect: Option<u64>| {
            assert_eq!(parse_version(&value).map(Version::get), expect, "{value:?}");
        };
        check(text("7"), Some(7));
        check(text("999999999999"), Some(999_999_999_999));
        for foreign in ["", "0", "07", "+7", " 7", "7.0", "1000000000000", "seven"] {
            check(text(foreign), None);
        }
        check(Value::BulkString(vec![0xff]), None);
        check(Value::Nil, None);
        check(Value::Int(7), None);
    }

    #[test]
    fn an_answer_of_another_shape_is_none() {
        let found = |values: Vec<Value>| read(vec![Value::Array(values)], 1);
        let whole = found(vec![text("7"), text("value")]).unwrap();
        assert_eq!(
            (whole.newest, whole.values),
            (Version::new(7), vec![Some(b"value".to_vec())])
        );
        assert_eq!(found(vec![Value::Nil, Value::Nil]), Some(ReadResult::nothing(1)));
        assert_eq!(found(vec![text("7")]), None);
        assert_eq!(found(vec![text("7"), Value::Nil, Value::Nil]), None);
        assert_eq!(read(vec![Value::Okay], 0), None);
        assert_eq!(read(vec![], 0), None);
    }

    #[test]
    fn values_are_not_shown() {
        let answer = ReadResult {
            newest: Version::new(7),
            values: vec![Some(b"secret".to_vec()), None],
        };
        let shown = format!("{answer:?}");
        assert_eq!(shown, "Answer { newest: Some(Version(7)), asked: 2, found: 1 }");
    }
}
