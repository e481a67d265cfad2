//! What the server's answers mean.

use std::fmt;

use redis::Value;
use taxonomy_keys::Version;

use crate::error::ValkeyError;

/// What the tier had: in the order of what was asked for.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The highest version that anybody saw projected: a hint to look at the head again, never an answer.
    pub newest: Option<Version>,
    /// The entries' values, none where there is none or the tier did not answer.
    pub values: Vec<Option<Vec<u8>>>,
}

impl Answer {
    /// What is known where the tier did not answer.
    pub(crate) fn nothing(entries: usize) -> Self {
        Self {
            newest: None,
            values: vec![None; entries],
        }
    }
}

/// Values are a tenant's data, so only their number is shown.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("newest", &self.newest)
            .field("asked", &self.values.len())
            .field("found", &self.values.iter().flatten().count())
            .finish()
    }
}

/// The answer to an MGET of a version and entries; none where it is no such answer.
pub(crate) fn read(answers: Vec<Value>, entries: usize) -> Option<Answer> {
    let Some(Value::Array(found)) = answers.into_iter().next() else {
        return None;
    };
    let mut found = found.into_iter();
    let newest = found.next().and_then(|value| parse_version(&value));
    let values: Vec<_> = found.map(bytes).collect();
    (values.len() == entries).then_some(Answer { newest, values })
}

fn bytes(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}

/// What is no version is as good as none.
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
        Value::ServerError(error) => Some(ValkeyError::refused(error)),
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
        assert_eq!(found(vec![Value::Nil, Value::Nil]), Some(Answer::nothing(1)));
        assert_eq!(found(vec![text("7")]), None);
        assert_eq!(found(vec![text("7"), Value::Nil, Value::Nil]), None);
        assert_eq!(read(vec![Value::Okay], 0), None);
        assert_eq!(read(vec![], 0), None);
    }

    #[test]
    fn values_are_not_shown() {
        let answer = Answer {
            newest: Version::new(7),
            values: vec![Some(b"secret".to_vec()), None],
        };
        let shown = format!("{answer:?}");
        assert_eq!(shown, "Answer { newest: Some(Version(7)), asked: 2, found: 1 }");
    }
}
