//! The output of commands: data on standard output, everything else on standard error, with colours on terminals only.

use std::borrow::Cow;
use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use taxonomy_model::is_invisible;

/// The version of every JSON document that a command writes. It stays the same when fields are added: readers ignore unknown fields.
pub(crate) const FORMAT_VERSION: u32 = 1;

pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();
pub(crate) const BLUE: Style = AnsiColor::Blue.on_default();
pub(crate) const ACCEPTED: Style = GREEN.bold();
pub(crate) const WARNING: Style = YELLOW.bold();
pub(crate) const ERROR: Style = RED.bold();
pub(crate) const NOTE: Style = BLUE.bold();

/// Locks standard output. Colours are removed if it is not a terminal or `NO_COLOR` is set.
pub(crate) fn stdout() -> impl Write {
    AutoStream::auto(io::stdout().lock())
}

/// Escapes the control characters of a text from a file or the command line, so that it is safe on terminals and in logs; and what nobody sees, so
/// that it reads as it is.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c.is_control() || is_invisible(c))
}

/// Escapes the characters for which `is_escaped` is true.
pub(crate) fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return text.into();
    }
    let escaped = |c: char| match is_escaped(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Escapes like [`printable`], but keeps the line breaks.
pub(crate) fn printable_lines(text: &str) -> String {
    // Indented, so that no foreign text looks like a line of this program.
    text.lines().map(printable).collect::<Vec<_>>().join("\n       ")
}

/// Locks standard error. Colours as in [`stdout`].
pub(crate) fn stderr() -> impl Write {
    AutoStream::auto(io::stderr().lock())
}

/// Where a command shows what it did: standard output, or standard error where standard output has the file that it writes.
pub(crate) fn beside(is_stdout_taken: bool) -> Box<dyn Write> {
    match is_stdout_taken {
        true => Box::new(stderr()),
        false => Box::new(stdout()),
    }
}

/// Formats a count with its noun: `1 term`, `2 categories`, `1,234 terms`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    let ending = match (number, what.strip_suffix('y')) {
        (1, _) => what.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{what}s"),
    };
    format!("{} {ending}", grouped(number))
}

/// Formats a number with separators: `1,234`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

/// A JSON document of a command: the fields of `T` behind the version of the form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document<'a, T> {
    format_version: u32,
    #[serde(flatten)]
    fields: &'a T,
}

impl<'a, T: Serialize> Document<'a, T> {
    /// Creates a document of these fields.
    pub(crate) fn new(fields: &'a T) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            fields,
        }
    }
}

/// Writes the document of these fields, indented, and a line break.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write_document(out: &mut dyn Write, fields: &impl Serialize) -> io::Result<()> {
    pretty(out, &Document::new(fields))
}

/// Writes the document of these fields to standard output.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn print_document(fields: &impl Serialize) -> io::Result<()> {
    write_document(&mut io::stdout().lock(), fields)
}

/// The JSON document of a list.
#[derive(Serialize)]
pub(crate) struct ListedItems<'a, T> {
    pub(crate) items: &'a [T],
}

/// Writes indented JSON and a line break.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn pretty(mut out: &mut dyn Write, json: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, json)?;
    writeln!(out)
}
