//! The difference between two taxonomies, as `plan` and `diff` show it. Its JSON form: docs/decisions/0013-command-line.md.

mod compare;
mod human;

use std::io::{self, Write};

use crate::arguments::Output;
use crate::output::Document;
pub(crate) use compare::{Difference, tenant_or_any};

impl Difference {
    /// Writes the difference. The human form shows the first operations of each kind, or all of them if `is_full`.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn write(&self, mut out: impl Write, output: Output, is_full: bool) -> io::Result<()> {
        match output {
            Output::Human => human::write(&mut out, self, is_full),
            Output::Json => Document::new(self).write(&mut out),
        }
    }
}
