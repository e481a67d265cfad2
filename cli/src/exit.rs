//! The exit codes of the command line. They are published in docs/decisions/0013-command-line.md.

use std::process::ExitCode;

/// The outcome of a command, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The command failed.
    Failed = 1,
    /// The arguments are wrong. Most are refused by clap, with the same code.
    Usage = 2,
    /// There are differences, and `--detailed-exitcode` is set.
    Different = 3,
    /// No credentials are configured, or the service does not accept them.
    NotSignedIn = 4,
    /// The input was refused.
    Refused = 5,
    /// The user interrupted the command: 128 plus the number of SIGINT.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
