//! What can go wrong, without a word of what was asked or answered.

use std::io;
use std::sync::Arc;

use redis::{ErrorKind, RedisError, ServerError};

/// Why a request to the second tier has no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ValkeyError {
    /// It failed several times in a row, and nobody asks it for the moment.
    #[error("the second cache tier is left alone after failures in a row")]
    LeftAlone,
    /// No answer in time; a connection that was not there in time is one as well.
    #[error("the second cache tier did not answer in time")]
    TimedOut,
    /// No connection, or none any more.
    #[error("the second cache tier cannot be reached")]
    Unreachable(#[source] Arc<io::Error>),
    /// It answered, and the answer was no: full, read-only, not permitted.
    #[error("the second cache tier refused with {code}")]
    Refused {
        /// Its word for it: `OOM`, `NOPERM`, `READONLY` and the like.
        code: String,
    },
    /// It answered something that is no answer to what was asked.
    #[error("the second cache tier answered something else than was asked")]
    Unreadable,
}

impl ValkeyError {
    pub(crate) fn refused(error: &ServerError) -> Self {
        Self::Refused {
            code: error.code().to_owned(),
        }
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
            (ErrorKind::Io, None) => io::Error::from(io_kind(&error)).into(),
            _ => Self::Unreadable,
        }
    }
}

/// The library shows no more of the cause than its text.
fn io_kind(error: &RedisError) -> io::ErrorKind {
    if error.is_connection_dropped() {
        io::ErrorKind::ConnectionReset
    } else {
        io::ErrorKind::Other
    }
}
