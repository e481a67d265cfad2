//! Problems (RFC 9457).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use taxonomy_keys::Version;
use utoipa::ToSchema;

/// A problem, as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem<'a> {
    /// `/problems/{code}`; the examples of the document have each code.
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
    /// With `term-not-found` and `category-not-found`: the versions that had the id, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub existed: Option<Existed>,
}

/// The versions that had an id which the version of the request lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Existed {
    /// The first version that had it.
    pub from: VersionTime,
    /// The version that removed it; absent where the served version has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub until: Option<VersionTime>,
}

/// A version and the time of its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionTime {
    /// The version.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The time of its commit (RFC 3339).
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub committed_at: String,
}

impl fmt::Display for VersionTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "version {} ({})", self.version, self.committed_at)
    }
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
