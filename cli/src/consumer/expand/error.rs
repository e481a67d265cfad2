//! Errors of `taxonomy expand`.

use crate::exit::Exit;

/// The reason why an expansion ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A line of the input is not a metric.
    #[error("line {line}, column {column}: {reason}")]
    Refused {
        /// The line, from 1.
        line: u64,
        /// The column of the character, from 1.
        column: usize,
        /// The broken rule.
        reason: String,
    },
    /// The names of a metric exceed the memory limit of one metric.
    #[error("line {line}: the names of its terms take more than {limit} bytes")]
    TooManyNames {
        /// The line, from 1.
        line: u64,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The output file has more lines than the input.
    #[error("the output has {written} lines, but the input only {read}: it is not the output of this input")]
    OtherInput {
        /// Complete lines of the output.
        written: u64,
        /// Lines of the input.
        read: u64,
    },
    /// The names could not be determined.
    #[error("{0}")]
    Names(String),
}

impl Error {
    /// Returns the exit code of the command.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Refused { .. } | Self::TooManyNames { .. } | Self::OtherInput { .. } => Exit::Refused,
            Self::Names(_) => Exit::Failed,
        }
    }
}
