//! Where commands write: data to standard output, with colours only where they are wanted.

use std::borrow::Cow;
use std::io::{self, Write};

use anstream::AutoStream;
use serde::Serialize;

/// The version of every JSON document that a command writes. New fields do not change it: readers ignore what they do not know.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// Standard output; colours are removed where it is no terminal or `NO_COLOR` is set.
pub(crate) fn stdout() -> impl Write {
    AutoStream::auto(io::stdout().lock())
}

/// Text of a file or from the command line as a terminal and a log can take it: control characters are escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return text.into();
    }
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// The same for a text of several lines, which stay lines.
pub(crate) fn printable_lines(text: &str) -> String {
    // Indented, so that no text of others looks like a line of this program.
    text.lines().map(printable).collect::<Vec<_>>().join("\n       ")
}

/// Standard error; colours as in [`stdout`].
pub(crate) fn stderr() -> impl Write {
    AutoStream::auto(io::stderr().lock())
}

/// `1 term`, `2 categories`, `1,234 terms`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let ending = match (number, what.strip_suffix('y')) {
        (1, _) => what.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{what}s"),
    };
    format!("{} {ending}", grouped(number))
}

/// `1,234`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// Writes a JSON document, indented, with a line break at its end.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn document(out: &mut impl Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}
