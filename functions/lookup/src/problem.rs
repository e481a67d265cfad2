//! What goes wrong, as `application/problem+json` (RFC 9457). What each code means to a caller: docs/problems.md.

use std::borrow::Cow;

use serde::Serialize;
use taxonomy_cache::ReadError;
use taxonomy_keys::Version;
use taxonomy_store::StoreError;
use taxonomy_versions::VersionError;
use utoipa::ToSchema;

/// A stable code. It keeps its meaning for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// No version has had this term.
    TermNotFound,
    /// There is no such version, or it is not served yet.
    VersionNotFound,
    /// The index file of the version has not been built.
    VersionNotReady,
    /// A download could not be made.
    DownloadFailed,
    /// No version has had this category.
    CategoryNotFound,
    /// Nothing is counted there, or not yet.
    StatsNotFound,
    /// No such tenant, or not for this caller: the answer is the same on purpose.
    TenantNotFound,
    /// No route has this path.
    RouteNotFound,
    /// The route exists for other methods.
    MethodNotAllowed,
    /// An id is out of range or no number.
    InvalidId,
    /// A tenant id with characters that none can have.
    InvalidTenant,
    /// Not a language tag.
    InvalidCulture,
    /// Another parameter, or a cursor, cannot be read.
    InvalidParameter,
    /// More than a hundred ids.
    TooManyIds,
    /// The answer is larger than the platform passes on.
    AnswerTooLarge,
    /// The body is not what the route reads.
    InvalidBody,
    /// The body is longer than any that a route reads.
    BodyTooLarge,
    /// The query is longer than any that a route reads.
    UriTooLong,
    /// The body is not JSON by its `Content-Type`.
    UnsupportedMediaType,
    /// No valid authentication.
    NotAuthenticated,
    /// The table could not be read in time.
    UpstreamUnavailable,
    /// A mistake of the service.
    InternalError,
}

impl Code {
    /// All of them.
    pub const ALL: [Code; 22] = [
        Code::TermNotFound,
        Code::VersionNotFound,
        Code::VersionNotReady,
        Code::DownloadFailed,
        Code::CategoryNotFound,
        Code::StatsNotFound,
        Code::TenantNotFound,
        Code::RouteNotFound,
        Code::MethodNotAllowed,
        Code::InvalidId,
        Code::InvalidTenant,
        Code::InvalidCulture,
        Code::InvalidParameter,
        Code::TooManyIds,
        Code::AnswerTooLarge,
        Code::InvalidBody,
        Code::BodyTooLarge,
        Code::UriTooLong,
        Code::UnsupportedMediaType,
        Code::NotAuthenticated,
        Code::UpstreamUnavailable,
        Code::InternalError,
    ];

    /// The code as callers see it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.parts().0
    }

    /// The HTTP status it comes with.
    #[must_use]
    pub fn status(self) -> u16 {
        self.parts().1
    }

    fn title(self) -> &'static str {
        self.parts().2
    }

    /// The seconds after which another try may succeed, for `Retry-After`.
    #[must_use]
    pub fn retry_after(self) -> Option<u32> {
        match self.status() {
            // A download is a matter of minutes, and an operator has to look first.
            503 if self == Code::DownloadFailed => Some(600),
            429 | 503 => Some(1),
            _ => None,
        }
    }

    fn parts(self) -> (&'static str, u16, &'static str) {
        match self {
            Code::TermNotFound => ("term-not-found", 404, "No such term"),
            Code::VersionNotFound => ("version-not-found", 404, "No such version"),
            Code::VersionNotReady => ("version-not-ready", 503, "Version not ready"),
            Code::DownloadFailed => ("download-failed", 503, "Download failed"),
            Code::CategoryNotFound => ("category-not-found", 404, "No such category"),
            Code::StatsNotFound => ("stats-not-found", 404, "Nothing counted"),
            Code::TenantNotFound => ("tenant-not-found", 404, "No such tenant"),
            Code::RouteNotFound => ("route-not-found", 404, "No such route"),
            Code::MethodNotAllowed => ("method-not-allowed", 405, "Method not allowed"),
            Code::InvalidId => ("invalid-id", 400, "Invalid id"),
            Code::InvalidTenant => ("invalid-tenant", 400, "Invalid tenant id"),
            Code::InvalidCulture => ("invalid-culture", 400, "Invalid culture"),
            Code::InvalidParameter => ("invalid-parameter", 400, "Invalid parameter"),
            Code::TooManyIds => ("too-many-ids", 400, "Too many ids"),
            Code::AnswerTooLarge => ("answer-too-large", 400, "Answer too large"),
            Code::InvalidBody => ("invalid-body", 400, "Invalid body"),
            Code::BodyTooLarge => ("body-too-large", 413, "Body too large"),
            Code::UriTooLong => ("uri-too-long", 414, "URI too long"),
            Code::UnsupportedMediaType => ("unsupported-media-type", 415, "Unsupported media type"),
            Code::NotAuthenticated => ("not-authenticated", 401, "Not authenticated"),
            Code::UpstreamUnavailable => ("upstream-unavailable", 503, "Temporarily unavailable"),
            Code::InternalError => ("internal-error", 500, "Internal error"),
        }
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a request is not answered. What the caller may know is its [`Problem::document`]; the cause is for the log only.
#[derive(Debug)]
pub struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    pointer: Option<Cow<'static, str>>,
    allow: &'static [&'static str],
    cause: Option<Cause>,
}

/// What callers see of a problem.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct Document<'a> {
    /// `/problems/{code}`; docs/problems.md lists the codes.
    #[serde(rename = "type")]
    #[schema(example = "/problems/term-not-found")]
    kind: String,
    /// The code in words.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What is wrong with this request.
    detail: &'a str,
    /// The parameter to blame, as a JSON pointer into `path`, `query` or `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "/query/culture")]
    pointer: Option<&'a str>,
}

impl Problem {
    /// A problem in words that hold nothing internal.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            pointer: None,
            allow: &[],
            cause: None,
        }
    }

    /// A parameter that is not what it may be, at its place in the request.
    #[must_use]
    pub fn invalid_parameter(
        detail: impl Into<Cow<'static, str>>,
        pointer: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Code::InvalidParameter, detail).at(pointer)
    }

    /// No such tenant, no right to see it, or nothing of it to serve: one text for all, so that nobody learns which.
    #[must_use]
    pub fn tenant_not_found() -> Self {
        Self::new(
            Code::TenantNotFound,
            "There is no such tenant, or you may not see it.",
        )
    }

    /// The tenant had no such version, or none at that moment.
    #[must_use]
    pub fn version_not_found() -> Self {
        Self::new(
            Code::VersionNotFound,
            "There is no such version, or it is not served yet.",
        )
    }

    /// The index file of a version is missing.
    #[must_use]
    pub fn version_not_ready(version: Version) -> Self {
        let detail = format!("Version {version} cannot be read yet; ask again.");
        Self::new(Code::VersionNotReady, detail)
    }

    /// A download failed on every try, a short while ago.
    #[must_use]
    pub fn download_failed() -> Self {
        let detail = "The download could not be made; the operators of the service have been alarmed.";
        Self::new(Code::DownloadFailed, detail)
    }

    /// No route has the path.
    #[must_use]
    pub fn route_not_found() -> Self {
        Self::new(
            Code::RouteNotFound,
            "No route has this path; /v1/openapi.json lists them.",
        )
    }

    /// The path has other methods: `allow`.
    #[must_use]
    pub fn method_not_allowed(allow: &'static [&'static str]) -> Self {
        let detail = format!("This route has no other method than {}.", allow.join(" and "));
        let problem = Self::new(Code::MethodNotAllowed, detail);
        Self { allow, ..problem }
    }

    /// The answer fits in no form that the request accepts.
    #[must_use]
    pub fn answer_too_large() -> Self {
        let detail =
            "The answer is larger than 6 MB; ask for fewer ids or fields at once, or accept it compressed.";
        Self::new(Code::AnswerTooLarge, detail)
    }

    /// The body is not JSON by its `Content-Type`.
    #[must_use]
    pub fn unsupported_media_type() -> Self {
        let detail = "Content-Type is application/json, or is left out.";
        Self::new(Code::UnsupportedMediaType, detail)
    }

    /// A mistake of the service; the cause goes to the log.
    #[must_use]
    pub fn internal(cause: impl Into<Cause>) -> Self {
        let problem = Self::new(
            Code::InternalError,
            "The service made a mistake; it has been logged.",
        );
        Self {
            cause: Some(cause.into()),
            ..problem
        }
    }

    /// Nothing could be answered in the time that a caller waits; the cause goes to the log.
    #[must_use]
    pub fn unavailable(cause: impl Into<Cause>) -> Self {
        let problem = Self::new(
            Code::UpstreamUnavailable,
            "The table could not be read in time; try again.",
        );
        Self {
            cause: Some(cause.into()),
            ..problem
        }
    }

    /// Blames a parameter: a JSON pointer into `path`, `query` or `body`.
    #[must_use]
    pub fn at(self, pointer: impl Into<Cow<'static, str>>) -> Self {
        Self {
            pointer: Some(pointer.into()),
            ..self
        }
    }

    /// Its code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The methods to name in `Allow`.
    #[must_use]
    pub fn allow(&self) -> Option<String> {
        (!self.allow.is_empty()).then(|| self.allow.join(", "))
    }

    /// Whether another try would look at a newer version, which is known to be there.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        let cause = self
            .cause
            .as_ref()
            .and_then(|cause| cause.downcast_ref::<ReadError>());
        matches!(cause, Some(ReadError::Moved))
    }

    /// Everything the caller may know.
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        Document {
            kind: format!("/problems/{}", self.code.as_str()),
            title: self.code.title(),
            status: self.code.status(),
            detail: &self.detail,
            pointer: self.pointer.as_deref(),
        }
    }

    /// The cause and the causes of that, for the log.
    #[must_use]
    pub fn cause(&self) -> Option<String> {
        let first: &(dyn std::error::Error + 'static) = &**self.cause.as_ref()?;
        let chain = std::iter::successors(Some(first), |error| error.source());
        Some(chain.map(ToString::to_string).collect::<Vec<_>>().join(": "))
    }
}

impl From<VersionError> for Problem {
    fn from(error: VersionError) -> Self {
        match error {
            VersionError::Store(error) => error.into(),
            VersionError::TooLarge { .. } => {
                let detail =
                    "What stands above this term has too many names to be read from an older version.";
                Self::new(Code::AnswerTooLarge, detail)
            }
            damaged => Self::internal(damaged),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        if let StoreError::Damaged { .. } = error {
            return Self::internal(error);
        }
        Self::unavailable(error)
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => error.into(),
            ReadError::Moved => Self::unavailable(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code and status of every row of the first table.
    fn documented() -> Vec<(String, u16)> {
        let page = include_str!("../../../docs/problems.md");
        let http = page.split("\n## ").find(|part| part.starts_with("HTTP")).unwrap();
        let row = |line: &str| {
            let mut cells = line
                .split('|')
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .skip(1);
            Some((cells.next()?, cells.next()?.parse().ok()?))
        };
        http.lines().filter_map(row).collect()
    }

    #[test]
    fn the_codes_are_those_of_the_list_in_the_docs() {
        let codes = Code::ALL.map(|code| (code.as_str().to_owned(), code.status()));
        assert_eq!(documented(), codes);
    }

    #[test]
    fn a_cause_is_for_the_log_only() {
        let damaged = StoreError::Damaged {
            what: "an item".to_owned(),
            source: "secret".into(),
        };
        let problem = Problem::from(damaged);
        assert_eq!(problem.cause().as_deref(), Some("an item is damaged: secret"));
        let sent = serde_json::to_string(&problem.document()).unwrap();
        assert_eq!(
            sent,
            r#"{"type":"/problems/internal-error","title":"Internal error","status":500,"detail":"The service made a mistake; it has been logged."}"#
        );
    }

    #[test]
    fn a_table_that_does_not_answer_is_no_mistake_of_the_service() {
        let busy = StoreError::Unprocessed {
            operation: "BatchGetItem",
        };
        assert_eq!(Problem::from(busy).code(), Code::UpstreamUnavailable);
    }
}
