//! Errors of the second tier. They contain no key and no value.

use std::io;
use std::sync::Arc;

use redis::{ErrorKind, RedisError};

/// The cause of a failed request.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ValkeyError {
    /// The circuit breaker is open after consecutive failures.
    #[error("the second cache tier is left alone after failures in a row")]
    BreakerOpen,
    /// The request timed out, or no connection was open in time.
    #[error("the second cache tier did not answer in time")]
    TimedOut,
    /// The connection could not be opened, or was closed.
    #[error("the second cache tier cannot be reached")]
    Unreachable(#[source] Arc<io::Error>),
    /// The server refused the request: it is full, read-only, or the user lacks the permission.
    #[error("the second cache tier refused with {code}")]
    Refused {
        /// The error code of the server: `OOM`, `NOPERM`, `READONLY` and the like.
        code: String,
    },
    /// The response has an unexpected shape.
    #[error("the second cache tier answered something else than was asked")]
    Unreadable,
}

impl ValkeyError {
    /// Whether the connection was closed before the response arrived.
    pub(crate) fn is_of_closed_connection(&self) -> bool {
        matches!(self, Self::Unreachable(cause) if cause.kind() == io::ErrorKind::ConnectionReset)
    }
}

impl From<io::Error> for ValkeyError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(Arc::new(error))
    }
}

impl From<RedisError> for ValkeyError {
    fn from(error: RedisError) -> Self {
        match (error.kind(), error.code()) {
            (_, Some(code)) => Self::Refused {
                code: code.to_owned(),
            },
            (ErrorKind::AuthenticationFailed, None) => Self::Refused {
                code: "WRONGPASS".to_owned(),
            },
            // The library exposes only the text of the cause.
            (ErrorKind::Io, None) if error.is_connection_dropped() => {
                io::Error::from(io::ErrorKind::ConnectionReset).into()
            }
            (ErrorKind::Io, None) => io::Error::from(io::ErrorKind::Other).into(),
            _ => Self::Unreadable,
        }
    }
}
