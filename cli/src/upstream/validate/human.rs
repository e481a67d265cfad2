//! The human form of a validation: each issue with its place, then a line for each file.

use std::io::{self, Write};

use taxonomy_model::Severity;

use super::validated::{IssuePlace, LocatedIssue, Validated};
use crate::output::{ACCEPTED, BLUE, ERROR, WARNING, counted, grouped, printable};

/// The issues that are shown of a file that another command accepts.
const FIRST: usize = 5;

pub(super) fn write(out: &mut impl Write, files: &[Validated]) -> io::Result<()> {
    for file in files {
        for located in &file.issues {
            write_issue(out, &file.file, located)?;
        }
        let not_listed = file.errors + file.warnings - file.issues.len() as u64;
        if not_listed > 0 {
            writeln!(out, "... and {not_listed} more\n")?;
        }
    }
    for file in files {
        summarise(out, file)?;
    }
    Ok(())
}

/// Writes the first warnings of a file that another command accepts, if it has any, and a line with their number.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn warn(out: &mut impl Write, file: &Validated) -> io::Result<()> {
    if !file.has_warnings() {
        return Ok(());
    }
    for located in file.issues.iter().take(FIRST) {
        write_issue(out, &file.file, located)?;
    }
    let further = (file.errors + file.warnings).saturating_sub(FIRST as u64);
    if further > 0 {
        let further = grouped(further);
        writeln!(
            out,
            "... and {further} more, which `taxonomy validate` and `--output json` list\n"
        )?;
    }
    summarise(out, file)
}

fn write_issue(out: &mut impl Write, file: &str, located: &LocatedIssue) -> io::Result<()> {
    let LocatedIssue { issue, place } = located;
    let (style, severity) = match issue.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
    };
    let (file, code) = (printable(file), issue.code.as_str());
    let message = printable(&issue.message);
    writeln!(out, "{style}{severity}[{code}]{style:#}: {message}")?;
    let Some(IssuePlace { at, excerpt, first }) = place else {
        writeln!(out, " {BLUE}-->{BLUE:#} {file}")?;
        return writeln!(out, "  {BLUE}={BLUE:#} {}\n", issue.hint);
    };
    let (line, column) = (at.line, at.column);
    let pointer = match printable(&issue.pointer) {
        pointer if pointer.is_empty() => String::new(),
        pointer => format!(", {pointer}"),
    };
    let (gutter, caret) = (line.to_string().len(), excerpt.before);
    writeln!(
        out,
        "{:gutter$}{BLUE}-->{BLUE:#} {file}:{line}:{column}{pointer}",
        ""
    )?;
    writeln!(out, "{BLUE}{line} |{BLUE:#} {}", excerpt.text)?;
    writeln!(
        out,
        "{BLUE}{:gutter$} |{BLUE:#} {:caret$}{style}^{style:#}",
        "", ""
    )?;
    if let Some(first) = first {
        let (line, column) = (first.line, first.column);
        writeln!(
            out,
            "{:gutter$} {BLUE}={BLUE:#} The first one is at {file}:{line}:{column}.",
            ""
        )?;
    }
    writeln!(out, "{:gutter$} {BLUE}={BLUE:#} {}\n", "", issue.hint)
}

fn summarise(out: &mut impl Write, file: &Validated) -> io::Result<()> {
    let (style, verdict) = match file.accepted {
        true => (ACCEPTED, "accepted"),
        false => (ERROR, "refused"),
    };
    writeln!(
        out,
        "{style}{verdict}{style:#} {}: {}, {}; {}, {}, {}",
        printable(&file.file),
        counted(file.errors, "error"),
        counted(file.warnings, "warning"),
        counted(file.categories, "category"),
        counted(file.terms, "term"),
        counted(file.names, "name"),
    )
}
