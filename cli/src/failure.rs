//! Failures of commands.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::exit::Exit;
use crate::expand;

/// A failure, described for the person who typed the command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file could not be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Read {
        /// The file as it was named.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(&'static str),
    /// A folder could not be written to.
    #[error("{} cannot be written to: {cause}", path.display())]
    WriteTo {
        /// The folder as it was named.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// Metrics could not be expanded.
    #[error("{0}")]
    Expand(#[from] expand::Error),
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Write(#[from] io::Error),
}

impl Failure {
    /// Writes the failure to standard error, with the next step where there is one.
    pub(crate) fn report(&self) {
        // A reader that went away, such as `head`, has what it wanted.
        if self.is_closed_pipe() {
            return;
        }
        let mut stderr = io::stderr().lock();
        let advice = self.advice().map(|advice| format!("       {advice}\n"));
        // There is no other place to report to.
        let _ = write!(stderr, "error: {self}\n{}", advice.unwrap_or_default());
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Read { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("Check the name; `-` reads standard input.")
            }
            Self::WriteTo { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("Make the folder first.")
            }
            Self::Usage(_) => Some("For more information, try '--help'."),
            Self::Read { .. } | Self::WriteTo { .. } | Self::Expand(_) | Self::Write(_) => None,
        }
    }

    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The code that the command ends with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Expand(error) => error.exit(),
            Self::Read { .. } | Self::WriteTo { .. } | Self::Write(_) => Exit::Failed,
        }
    }
}
