//! Problems (RFC 9457).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A problem, as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem<'a> {
    /// `/problems/{code}`; docs/problems.md lists the codes.
    #[serde(rename = "type")]
    #[schema(example = "/problems/term-not-found")]
    pub kind: Cow<'a, str>,
    /// The title of the code.
    pub title: Cow<'a, str>,
    /// The HTTP status.
    pub status: u16,
    /// The reason, for this request.
    pub detail: Cow<'a, str>,
    /// The parameter at fault, as a JSON pointer into `path`, `query` or `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "/query/culture")]
    pub pointer: Option<Cow<'a, str>>,
}

impl Problem<'_> {
    /// The stable code, such as `term-not-found`.
    pub fn code(&self) -> &str {
        self.kind.strip_prefix("/problems/").unwrap_or(&self.kind)
    }
}

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.detail)?;
        match &self.pointer {
            Some(pointer) => write!(f, " ({pointer})"),
            None => Ok(()),
        }
    }
}
