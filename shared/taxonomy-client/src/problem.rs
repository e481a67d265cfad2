//! Problems as the service states them.

use std::fmt;

use serde::{Deserialize, Serialize};

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
