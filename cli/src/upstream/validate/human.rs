//! The human form of a validation: each issue with its place, then a line for each file.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use taxonomy_model::Severity;

use super::validated::{Located, Validated};
use crate::output::{counted, grouped, printable};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ACCEPTED: Style = AnsiColor::Green.on_default().bold();
const FRAME: Style = AnsiColor::Blue.on_default();

/// The issues that are shown of a file that another command accepts.
const FIRST: usize = 5;

pub(super) fn write(out: &mut impl Write, files: &[Validated]) -> io::Result<()> {
    for file in files {
        for located in &file.issues {
            write_issue(out, &file.file, located)?;
        }
        let not_listed = file.report.errors + file.report.warnings - file.issues.len() as u64;
        if not_listed > 0 {
            writeln!(out, "... and {not_listed} more\n")?;
        }
    }
    for file in files {
        summarise(out, file)?;
    }
    Ok(())
}

/// Writes the first issues of a file that another command accepts, and a line with their number.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write_first(out: &mut impl Write, file: &Validated) -> io::Result<()> {
    for located in file.issues.iter().take(FIRST) {
        write_issue(out, &file.file, located)?;
    }
    let report = &file.report;
    let further = (report.errors + report.warnings).saturating_sub(FIRST as u64);
    if further > 0 {
        let further = grouped(further);
        writeln!(
            out,
            "... and {further} more, which `taxonomy validate` and `--output json` list\n"
        )?;
    }
    summarise(out, file)
}

fn write_issue(out: &mut impl Write, file: &str, Located { issue, at }: &Located) -> io::Result<()> {
    let (style, severity) = match issue.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
    };
    let (file, code) = (printable(file), issue.code.as_str());
    let message = printable(&issue.message);
    writeln!(out, "{style}{severity}[{code}]{style:#}: {message}")?;
    let Some((place, excerpt)) = at else {
        writeln!(out, " {FRAME}-->{FRAME:#} {file}")?;
        return writeln!(out, "  {FRAME}={FRAME:#} {}\n", issue.hint);
    };
    let (line, column) = (place.line, place.column);
    let pointer = match printable(&issue.pointer) {
        pointer if pointer.is_empty() => String::new(),
        pointer => format!(", {pointer}"),
    };
    let (gutter, caret) = (line.to_string().len(), excerpt.before);
    writeln!(
        out,
        "{:gutter$}{FRAME}-->{FRAME:#} {file}:{line}:{column}{pointer}",
        ""
    )?;
    writeln!(out, "{FRAME}{line} |{FRAME:#} {}", excerpt.text)?;
    writeln!(
        out,
        "{FRAME}{:gutter$} |{FRAME:#} {:caret$}{style}^{style:#}",
        "", ""
    )?;
    writeln!(out, "{:gutter$} {FRAME}={FRAME:#} {}\n", "", issue.hint)
}

fn summarise(out: &mut impl Write, file: &Validated) -> io::Result<()> {
    let report = &file.report;
    let (style, verdict) = match report.accepted {
        true => (ACCEPTED, "accepted"),
        false => (ERROR, "refused"),
    };
    writeln!(
        out,
        "{style}{verdict}{style:#} {}: {}, {}; {}, {}, {}",
        printable(&file.file),
        counted(report.errors, "error"),
        counted(report.warnings, "warning"),
        counted(report.categories, "category"),
        counted(report.terms, "term"),
        counted(report.names, "name"),
    )
}
