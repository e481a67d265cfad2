//! The published report of a refused upload.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::output::{ERROR, WARNING, counted, printable};

/// A published report, and what the human form shows of it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct RefusalReport {
    document: Box<RawValue>,
    #[serde(skip)]
    shown: ShownReport,
}

#[derive(Debug, Deserialize)]
struct ShownReport {
    errors: u64,
    issues: Vec<RefusalIssue>,
}

#[derive(Debug, Deserialize)]
struct RefusalIssue {
    severity: String,
    code: String,
    pointer: String,
    message: String,
    hint: String,
}

impl RefusalReport {
    /// Reads a report.
    ///
    /// # Errors
    /// [`Failure::Stack`] when it is damaged.
    pub(crate) fn read(key: &str, bytes: &[u8]) -> Result<Self, Failure> {
        let damaged =
            |error: serde_json::Error| Failure::Stack(format!("the report {key} is damaged: {error}"));
        Ok(Self {
            document: serde_json::from_slice(bytes).map_err(damaged)?,
            shown: serde_json::from_slice(bytes).map_err(damaged)?,
        })
    }

    /// Writes each issue with its place and hint, and the number of errors that are not listed.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let ShownReport { errors, issues } = &self.shown;
        for issue in issues {
            let (severity, code) = (printable(&issue.severity), printable(&issue.code));
            let style = match &*issue.severity {
                "error" => ERROR,
                _ => WARNING,
            };
            let message = printable(&issue.message);
            writeln!(out, "{style}{severity}[{code}]{style:#}: {message}")?;
            if !issue.pointer.is_empty() {
                writeln!(out, "  at {}", printable(&issue.pointer))?;
            }
            writeln!(out, "  {}", printable(&issue.hint))?;
        }
        let listed = issues.iter().filter(|issue| issue.severity == "error");
        match errors.saturating_sub(listed.count() as u64) {
            0 => Ok(()),
            further => writeln!(out, "and {}", counted(further, "more error")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_has_places_next_steps_and_the_number_of_further_errors() {
        let issue = |severity: &str, pointer: &str| json!({"severity": severity, "code": "empty-name", "pointer": pointer, "message": "a\u{202e}b", "hint": "Write a name."});
        let issues = [issue("error", "/categories/0"), issue("warning", "")];
        let stored = json!({"formatVersion": 1, "errors": 1_002, "issues": issues}).to_string();
        let mut out = Vec::new();
        let report = RefusalReport::read("reports/acme/1.json", stored.as_bytes()).unwrap();
        report.write(&mut out).unwrap();
        assert_eq!(
            anstream::adapter::strip_str(str::from_utf8(&out).unwrap()).to_string(),
            "error[empty-name]: a\\u{202e}b\n  at /categories/0\n  Write a name.\n\
             warning[empty-name]: a\\u{202e}b\n  Write a name.\nand 1,001 more errors\n"
        );
        // The JSON form has all of it.
        assert_eq!(serde_json::to_string(&report).unwrap(), stored);
        let damaged = RefusalReport::read("reports/acme/1.json", b"{").unwrap_err();
        assert!(damaged.to_string().contains("reports/acme/1.json"), "{damaged}");
    }
}
