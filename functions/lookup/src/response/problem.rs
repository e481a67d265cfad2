//! Problems, as `application/problem+json` (RFC 9457). The meaning of each code for callers: docs/problems.md.

use std::borrow::Cow;

use taxonomy_api::{Existed, Problem as Document};
use taxonomy_store::StoreError;

use crate::cache::reader::Moved;
use crate::files::{MAX_FURTHER, VersionError};

/// A stable code. Its meaning never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemCode {
    /// The version has no such term.
    TermNotFound,
    /// There is no such version.
    VersionNotFound,
    /// The files of a version could not be read.
    ArchiveUnavailable,
    /// The download failed.
    DownloadFailed,
    /// The version has no such category.
    CategoryNotFound,
    /// There are no aggregates, or not yet.
    StatsNotFound,
    /// No such tenant, or not for this caller: both have the same response on purpose.
    TenantNotFound,
    /// An item of the tenant is lost or damaged.
    TenantDamaged,
    /// No route has this path.
    RouteNotFound,
    /// The path has other methods.
    MethodNotAllowed,
    /// An id is out of range or not a number.
    InvalidId,
    /// A tenant id with invalid characters.
    InvalidTenant,
    /// Not a language tag.
    InvalidCulture,
    /// Another parameter, or a cursor, is invalid.
    InvalidParameter,
    /// More than a hundred ids.
    TooManyIds,
    /// The response is larger than the platform returns.
    AnswerTooLarge,
    /// The body is not valid for the route.
    InvalidBody,
    /// The body, or the text in it, is longer than the route takes.
    BodyTooLarge,
    /// The query is longer than 8 KiB.
    UriTooLong,
    /// The body is not JSON by its `Content-Type`.
    UnsupportedMediaType,
    /// No valid authentication.
    NotAuthenticated,
    /// A request to the table failed or timed out.
    UpstreamUnavailable,
    /// An error of the service.
    InternalError,
}

impl ProblemCode {
    /// All of them.
    pub const ALL: [ProblemCode; 23] = [
        ProblemCode::TermNotFound,
        ProblemCode::VersionNotFound,
        ProblemCode::ArchiveUnavailable,
        ProblemCode::DownloadFailed,
        ProblemCode::CategoryNotFound,
        ProblemCode::StatsNotFound,
        ProblemCode::TenantNotFound,
        ProblemCode::TenantDamaged,
        ProblemCode::RouteNotFound,
        ProblemCode::MethodNotAllowed,
        ProblemCode::InvalidId,
        ProblemCode::InvalidTenant,
        ProblemCode::InvalidCulture,
        ProblemCode::InvalidParameter,
        ProblemCode::TooManyIds,
        ProblemCode::AnswerTooLarge,
        ProblemCode::InvalidBody,
        ProblemCode::BodyTooLarge,
        ProblemCode::UriTooLong,
        ProblemCode::UnsupportedMediaType,
        ProblemCode::NotAuthenticated,
        ProblemCode::UpstreamUnavailable,
        ProblemCode::InternalError,
    ];

    /// Returns the code in the form that callers see.
    pub fn as_str(self) -> &'static str {
        self.parts().0
    }

    /// Returns the HTTP status of the code.
    pub fn status(self) -> u16 {
        self.parts().1
    }

    fn title(self) -> &'static str {
        self.parts().2
    }

    /// Returns the seconds after which a retry may succeed, for `Retry-After`.
    pub fn retry_after(self) -> Option<u32> {
        match self.status() {
            // Making a download takes minutes, and an operator has to find the cause first.
            503 if self == ProblemCode::DownloadFailed => Some(600),
            429 | 503 => Some(1),
            _ => None,
        }
    }

    fn parts(self) -> (&'static str, u16, &'static str) {
        match self {
            ProblemCode::TermNotFound => ("term-not-found", 404, "No such term"),
            ProblemCode::VersionNotFound => ("version-not-found", 404, "No such version"),
            ProblemCode::ArchiveUnavailable => ("archive-unavailable", 503, "Archive unavailable"),
            ProblemCode::DownloadFailed => ("download-failed", 503, "Download failed"),
            ProblemCode::CategoryNotFound => ("category-not-found", 404, "No such category"),
            ProblemCode::StatsNotFound => ("stats-not-found", 404, "Nothing counted"),
            ProblemCode::TenantNotFound => ("tenant-not-found", 404, "No such tenant"),
            ProblemCode::TenantDamaged => ("tenant-damaged", 503, "Tenant damaged"),
            ProblemCode::RouteNotFound => ("route-not-found", 404, "No such route"),
            ProblemCode::MethodNotAllowed => ("method-not-allowed", 405, "Method not allowed"),
            ProblemCode::InvalidId => ("invalid-id", 400, "Invalid id"),
            ProblemCode::InvalidTenant => ("invalid-tenant", 400, "Invalid tenant id"),
            ProblemCode::InvalidCulture => ("invalid-culture", 400, "Invalid culture"),
            ProblemCode::InvalidParameter => ("invalid-parameter", 400, "Invalid parameter"),
            ProblemCode::TooManyIds => ("too-many-ids", 400, "Too many ids"),
            ProblemCode::AnswerTooLarge => ("answer-too-large", 400, "Response too large"),
            ProblemCode::InvalidBody => ("invalid-body", 400, "Invalid body"),
            ProblemCode::BodyTooLarge => ("body-too-large", 413, "Body too large"),
            ProblemCode::UriTooLong => ("uri-too-long", 414, "URI too long"),
            ProblemCode::UnsupportedMediaType => ("unsupported-media-type", 415, "Unsupported media type"),
            ProblemCode::NotAuthenticated => ("not-authenticated", 401, "Not authenticated"),
            ProblemCode::UpstreamUnavailable => ("upstream-unavailable", 503, "Temporarily unavailable"),
            ProblemCode::InternalError => ("internal-error", 500, "Internal error"),
        }
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a request is refused or failed. [`Problem::document`] is the part for the caller; the cause is for the log only.
#[derive(Debug)]
pub struct Problem {
    code: ProblemCode,
    detail: Cow<'static, str>,
    pointer: Option<Cow<'static, str>>,
    allow: &'static [&'static str],
    existed: Option<Box<Existed>>,
    cause: Option<Cause>,
}

impl Problem {
    /// A problem whose text contains nothing internal.
    pub fn new(code: ProblemCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            pointer: None,
            allow: &[],
            existed: None,
            cause: None,
        }
    }

    /// An invalid parameter, at its place in the request.
    pub fn invalid_parameter(
        detail: impl Into<Cow<'static, str>>,
        pointer: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ProblemCode::InvalidParameter, detail).at(pointer)
    }

    /// No such tenant, no permission to read it, or no served version: one text for all, so that it does not reveal which.
    pub fn tenant_not_found() -> Self {
        Self::new(
            ProblemCode::TenantNotFound,
            "There is no such tenant, or you may not see it.",
        )
    }

    /// The tenant had no such version, or none at that time.
    pub fn version_not_found() -> Self {
        Self::new(ProblemCode::VersionNotFound, "The tenant never had this version.")
    }

    /// The files of a version could not be read; the cause goes to the log.
    pub fn archive_unavailable(detail: impl Into<Cow<'static, str>>, cause: impl Into<Cause>) -> Self {
        Self::new(ProblemCode::ArchiveUnavailable, detail).because(cause)
    }

    /// The files of a version could not be read in time; the cause goes to the log.
    pub fn files_late(cause: impl Into<Cause>) -> Self {
        let detail = "The files of the version could not be read in time; try again.";
        Self::archive_unavailable(detail, cause)
    }

    /// A file of the version is lost or damaged; the cause goes to the log, and names it.
    pub fn file_lost(cause: impl Into<Cause>) -> Self {
        let detail =
            "A file of the version is lost or damaged; the operators of the service can have it restored.";
        Self::archive_unavailable(detail, cause)
    }

    /// Every attempt to make a download failed, a short while ago.
    pub fn download_failed() -> Self {
        let detail = "The download could not be made; the operators of the service have been alarmed.";
        Self::new(ProblemCode::DownloadFailed, detail)
    }

    /// An item of the tenant is lost or damaged; the cause goes to the log.
    pub fn tenant_damaged(cause: impl Into<Cause>) -> Self {
        let detail =
            "An item of the tenant is lost or damaged; the operators of the service can have it restored.";
        Self::new(ProblemCode::TenantDamaged, detail).because(cause)
    }

    /// No route has the path.
    pub fn route_not_found() -> Self {
        Self::new(
            ProblemCode::RouteNotFound,
            "No route has this path; /v1/openapi.json lists them.",
        )
    }

    /// The path has other methods, `allow`.
    pub fn method_not_allowed(allow: &'static [&'static str]) -> Self {
        let detail = format!("This route has no other method than {}.", allow.join(" and "));
        let problem = Self::new(ProblemCode::MethodNotAllowed, detail);
        Self { allow, ..problem }
    }

    /// The response is too large in every coding that the request accepts.
    pub fn answer_too_large() -> Self {
        let detail =
            "The answer is larger than 6 MB; ask for fewer ids or fields at once, or accept it compressed.";
        Self::new(ProblemCode::AnswerTooLarge, detail)
    }

    /// The body is not JSON by its `Content-Type`.
    pub fn unsupported_media_type() -> Self {
        let detail = "Content-Type is application/json, or is left out.";
        Self::new(ProblemCode::UnsupportedMediaType, detail)
    }

    /// An error of the service; the cause goes to the log.
    pub fn internal(cause: impl Into<Cause>) -> Self {
        let detail = "The service made a mistake; it has been logged.";
        Self::new(ProblemCode::InternalError, detail).because(cause)
    }

    /// The request could not be answered within the longest time, whatever it waited for; the cause goes to the log.
    pub fn late(cause: impl Into<Cause>) -> Self {
        let detail = "The table or the files of the version could not be read in time; try again.";
        Self::new(ProblemCode::UpstreamUnavailable, detail).because(cause)
    }

    /// The table could not be read; the cause goes to the log.
    pub fn unavailable(cause: impl Into<Cause>) -> Self {
        let detail = "The table could not be read in time; try again.";
        Self::new(ProblemCode::UpstreamUnavailable, detail).because(cause)
    }

    /// Sets the parameter at fault: a JSON pointer into `path`, `query` or `body`.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<Cow<'static, str>>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Adds the versions that had the id.
    #[must_use]
    pub fn with_existed(mut self, existed: Existed) -> Self {
        self.existed = Some(Box::new(existed));
        self
    }

    fn because(mut self, cause: impl Into<Cause>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Returns the code.
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// Returns the value of the header `Allow`: the methods of the path. `None` unless the method was the mistake.
    pub fn allow(&self) -> Option<String> {
        (!self.allow.is_empty()).then(|| self.allow.join(", "))
    }

    /// The cursor was not written by this service.
    pub fn foreign_cursor() -> Self {
        let detail = "The cursor is not one of this tenant and this list, or was changed.";
        Self::invalid_parameter(detail, "/query/cursor")
    }

    /// Returns whether a retry would read a newer version that is known to exist.
    pub fn has_moved(&self) -> bool {
        self.cause_as::<Moved>().is_some()
    }

    /// Returns whether a part of a file did not fit its sum, or a file is gone: a repair may have stored it otherwise or elsewhere.
    pub fn is_of_a_file(&self) -> bool {
        let is_damage = matches!(
            self.cause_as(),
            Some(
                VersionError::Damaged { .. }
                    | VersionError::DamagedSearch { .. }
                    | VersionError::Inconsistent { .. }
            )
        );
        is_damage || self.cause_as().is_some_and(StoreError::is_missing)
    }

    /// Returns whether the service failed: a retry may have another answer.
    pub(crate) fn is_unread(&self) -> bool {
        self.code.status() >= 500
    }

    fn cause_as<E: std::error::Error + 'static>(&self) -> Option<&E> {
        self.cause.as_ref()?.downcast_ref()
    }

    /// Returns all members that the caller may see.
    pub fn document(&self) -> Document<'_> {
        Document {
            kind: ["/problems/", self.code.as_str()].concat().into(),
            title: self.code.title().into(),
            status: self.code.status(),
            detail: (&*self.detail).into(),
            pointer: self.pointer.as_deref().map(Into::into),
            existed: self.existed.as_deref().cloned(),
        }
    }

    /// Returns the cause and its sources, for the log.
    pub fn cause(&self) -> Option<String> {
        let first: &(dyn std::error::Error + 'static) = &**self.cause.as_ref()?;
        let chain = std::iter::successors(Some(first), |error| error.source());
        Some(chain.map(ToString::to_string).collect::<Vec<_>>().join(": "))
    }
}

impl From<VersionError> for Problem {
    fn from(error: VersionError) -> Self {
        match error {
            VersionError::Store(error) if error.is_lost() => Self::file_lost(error),
            VersionError::Store(error) => Self::files_late(error),
            VersionError::Format { format, .. } => {
                let detail =
                    format!("The files of the version have format {format}, which this build does not read.");
                Self::archive_unavailable(detail, error)
            }
            VersionError::TooLarge { .. } => {
                let detail =
                    "What stands above this term has too many names to be read from an older version.";
                Self::new(ProblemCode::AnswerTooLarge, detail)
            }
            VersionError::TooManyNames { culture, .. } => {
                let detail = format!("The names in {culture} are too many to be looked for in a text.");
                Self::new(ProblemCode::AnswerTooLarge, detail)
            }
            VersionError::OutsideBranch => Self::foreign_cursor(),
            VersionError::TooManyFurther => {
                let detail = format!(
                    "parents=all follows at most {MAX_FURTHER} relations to further parents; ask for those of a term below it."
                );
                Self::invalid_parameter(detail, "/query/parents")
            }
            damaged @ (VersionError::Damaged { .. }
            | VersionError::DamagedSearch { .. }
            | VersionError::Inconsistent { .. }) => Self::file_lost(damaged),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        if let StoreError::Damaged { .. } = error {
            return Self::tenant_damaged(error);
        }
        Self::unavailable(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code and status of every row of the first table.
    fn documented() -> Vec<(String, u16)> {
        let page = include_str!("../../../../docs/problems.md");
        let http = page.split("\n## ").find(|part| part.starts_with("HTTP")).unwrap();
        let row = |line: &str| {
            let mut cells = line.split('|').map(|cell| cell.trim().trim_matches('`'));
            Some((cells.nth(1)?.to_owned(), cells.next()?.parse().ok()?))
        };
        http.lines().filter_map(row).collect()
    }

    #[test]
    fn the_codes_are_those_of_the_list_in_the_docs() {
        let codes = ProblemCode::ALL.map(|code| (code.as_str().to_owned(), code.status()));
        assert_eq!(documented(), codes);
    }

    #[test]
    fn a_cause_is_for_the_log_only_and_a_table_that_does_not_answer_no_mistake_of_the_service() {
        let damaged = StoreError::Damaged {
            what: "an item".to_owned(),
            source: "secret".into(),
        };
        let problem = Problem::from(damaged);
        assert_eq!(problem.cause().as_deref(), Some("an item is damaged: secret"));
        let sent = serde_json::to_string(&problem.document()).unwrap();
        assert_eq!(
            sent,
            r#"{"type":"/problems/tenant-damaged","title":"Tenant damaged","status":503,"detail":"An item of the tenant is lost or damaged; the operators of the service can have it restored."}"#
        );
        let operation = "BatchGetItem";
        let busy = Problem::from(StoreError::Unprocessed { operation });
        assert_eq!(busy.code(), ProblemCode::UpstreamUnavailable);
    }
}
