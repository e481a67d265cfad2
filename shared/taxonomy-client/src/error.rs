//! The errors of the client. No text here holds a secret or a piece of an answer's body, except what the service states in a problem.

use std::time::Duration;

/// A problem of the service (RFC 9457); `docs/problems.md` lists the codes.
pub type Problem = taxonomy_api::Problem<'static>;

/// An error of another library, with its own text.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The builder or an argument has a value that no request can use.
    #[error("{0}")]
    Configuration(&'static str),
    /// More than [`MAX_IDS`](crate::MAX_IDS) distinct ids for one request.
    #[error("a request has at most 100 term ids, and these are {given}")]
    TooManyIds {
        /// The number of distinct ids.
        given: usize,
    },
    /// The provider has no credentials or no token.
    #[error("no credentials could be loaded")]
    NoCredentials {
        /// The provider's error.
        #[source]
        source: BoxError,
    },
    /// The provider's credentials or token have expired.
    #[error("the credentials have expired")]
    ExpiredCredentials,
    /// The service answered with `application/problem+json`.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// API Gateway answered itself, with `{"message": ..}`.
    #[error("API Gateway answered {status}: {message}")]
    Gateway {
        /// The HTTP status.
        status: u16,
        /// Its message, at most 300 characters.
        message: String,
    },
    /// An answer that is neither one of the API nor one of API Gateway.
    #[error("{address} answered {status}, and not as this API does")]
    UnknownAnswer {
        /// The address of the API.
        address: String,
        /// The HTTP status.
        status: u16,
    },
    /// An answer with status 200 that does not have the form of its route.
    #[error("the answer to {path} does not have the form of this route ({place})")]
    Malformed {
        /// The path of the request, without its query.
        path: String,
        /// Line and column of the answer, or the field.
        place: String,
    },
    /// An answer of more bytes than the client reads.
    #[error("the answer has more than {limit} bytes")]
    TooLarge {
        /// The maximum number of bytes that the client reads.
        limit: usize,
    },
    /// The connection was not opened, or broke before the answer was complete.
    #[error("the connection to {address} failed")]
    Transport {
        /// Scheme, host and port.
        address: String,
        /// The error of the connection.
        #[source]
        source: BoxError,
        /// Whether a further attempt may succeed.
        is_transient: bool,
    },
    /// An attempt, or the whole operation, took too long.
    #[error("no complete answer came within {} ms", within.as_millis())]
    Timeout {
        /// The time that was allowed.
        within: Duration,
    },
    /// A list that would never end: a cursor came twice, or there are too many pages.
    #[error("the list has no end: {reason}")]
    EndlessList {
        /// The sign of it.
        reason: &'static str,
    },
}

impl ClientError {
    /// Returns the HTTP status of the response, if an error response was received.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Problem(problem) => Some(problem.status),
            Self::Gateway { status, .. } | Self::UnknownAnswer { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The problem that the service stated.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// Returns whether the tenant, term, category or count does not exist (or the caller may not read the tenant).
    /// False for a 404 of API Gateway, or of a route: it means that the address is wrong.
    pub fn is_not_found(&self) -> bool {
        let found = |problem: &Problem| problem.status == 404 && problem.code() != "route-not-found";
        self.problem().is_some_and(found)
    }

    /// Returns whether the caller has to sign in: there are no credentials, they have expired, or they were refused with 401 or 403.
    pub fn is_unauthenticated(&self) -> bool {
        let refused = matches!(self.status(), Some(401 | 403));
        refused || matches!(self, Self::NoCredentials { .. } | Self::ExpiredCredentials)
    }

    /// Returns whether the same request may succeed later. The client has made its own retries by then.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Transport { is_transient, .. } => *is_transient,
            Self::Timeout { .. } => true,
            _ => matches!(self.status(), Some(429 | 500 | 502 | 503 | 504)),
        }
    }
}
