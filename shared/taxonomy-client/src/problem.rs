//! Problems as the service states them, and the messages of API Gateway.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::ClientError;

/// A message of API Gateway is a few words; a longer text is not its own.
const MAX_MESSAGE: usize = 300;

/// A problem of the service (RFC 9457); `docs/problems.md` lists the codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// `/problems/{code}`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The code in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The mistake in this request.
    pub detail: String,
    /// The parameter to blame, as a JSON pointer into `path`, `query` or `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl Problem {
    /// The stable code, such as `term-not-found`.
    #[must_use]
    pub fn code(&self) -> &str {
        self.kind.strip_prefix("/problems/").unwrap_or(&self.kind)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.detail)?;
        match &self.pointer {
            Some(pointer) => write!(f, " ({pointer})"),
            None => Ok(()),
        }
    }
}

/// API Gateway writes the field with a capital letter in some of its answers.
#[derive(Deserialize)]
struct Message {
    #[serde(alias = "Message")]
    message: String,
}

/// The error that an answer states which is neither 200 nor 304.
pub(crate) fn stated(status: u16, body: &[u8]) -> ClientError {
    if let Ok(problem) = serde_json::from_slice::<Problem>(body) {
        return ClientError::Problem(Box::new(Problem { status, ..problem }));
    }
    match serde_json::from_slice::<Message>(body) {
        Ok(Message { message }) => ClientError::Gateway {
            status,
            message: printable(&message),
        },
        Err(_) => ClientError::UnknownAnswer { status },
    }
}

/// The first characters of a text, without any that a terminal obeys.
fn printable(text: &str) -> String {
    let kept = text.chars().take(MAX_MESSAGE);
    kept.map(|c| if c.is_control() { ' ' } else { c }).collect()
}
