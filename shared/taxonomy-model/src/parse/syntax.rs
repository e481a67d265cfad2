//! Where and why a text is no JSON, or no text.

use std::fmt;
use std::str::Utf8Error;

use super::json::FileReader;
use crate::report::{Code, Report};

/// The next step where the text ends too early.
const CUT_OFF: &str = "The text ends too early: export or upload the file again.";

/// Records where and why the text stops being JSON.
pub(super) fn not_json(json: &str, error: &serde_json::Error, reader: &mut FileReader) {
    // Column 0 is the line break before the line.
    let (line, column) = (error.line().max(1), error.column().max(1));
    let lines = json.split_inclusive('\n').take(line - 1);
    let offset = lines.map(str::len).sum::<usize>() + column - 1;
    let place = Place::at_end(&json[..json.floor_char_boundary(offset)]);
    let message = match syntax_error(error) {
        _ if json.trim_ascii().is_empty() => "the file is empty".to_owned(),
        reason if reason.starts_with("number out of range") => {
            format!("a number that no double can hold at {place}")
        }
        reason => format!("not JSON at {place}: {reason}"),
    };
    if let Some(issue) = reader.issue(Code::InvalidJson, message) {
        issue.stops_at = Some(place.bytes);
        if error.is_eof() {
            issue.hint = CUT_OFF;
        }
    }
}

/// Returns the report of bytes that are no UTF-8.
pub(super) fn not_utf8(bytes: &[u8], error: Utf8Error) -> Report {
    let valid = &bytes[..error.valid_up_to()];
    let place = Place::at_end(&String::from_utf8_lossy(valid));
    let message = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16".to_owned(),
        _ => format!("not UTF-8 at byte {}, which is {place}", valid.len()),
    };
    let mut report = Report::refusal(Code::InvalidUtf8, message);
    let issues = report.issues.iter_mut();
    issues.for_each(|issue| issue.stops_at = Some(place.bytes));
    report
}

/// Returns why a text is no JSON, in a few words and without the place.
pub fn syntax_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split(" at line ").next().unwrap_or_default() {
        "expected value" | "expected ident" => "a value is expected".to_owned(),
        "recursion limit exceeded" => "values are nested too deeply".to_owned(),
        reason => reason.replace("EOF while parsing", "the text ends inside"),
    }
}

/// A place in a text: its line, and the column in characters, both from 1.
struct Place {
    line: usize,
    column: usize,
    /// The line, and the column in bytes.
    bytes: (usize, usize),
}

impl Place {
    /// The place behind this text.
    fn at_end(before: &str) -> Self {
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line,
            column: last.chars().count() + 1,
            bytes: (line, last.len() + 1),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
