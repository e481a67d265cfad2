//! Exit codes. They are published: docs/decisions/0013-command-line.md.

use std::process::ExitCode;

/// How a command ended.
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
    /// The input was refused.
    Refused = 5,
    /// Ctrl-C ended the command: 128 and the number of the signal, as shells count.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
