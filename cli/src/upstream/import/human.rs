//! The human form of an import report: each code with its first places, then the counts.

use std::io::{self, Write};

use taxonomy_import::{ChosenBy, ImportIssue, Severity, Total};

use super::ImportOutcome;
use crate::output::{ACCEPTED, ERROR, NOTE, WARNING, counted, grouped, printable};

/// The number of places shown for each code. The JSON form has more.
const SHOWN: usize = 5;

pub(super) fn write(out: &mut impl Write, outcome: &ImportOutcome) -> io::Result<()> {
    let issues = outcome.report.issues();
    for total in outcome.report.totals() {
        write_total(out, total)?;
        let of_code = issues.iter().filter(|issue| issue.code == total.code);
        for issue in of_code.take(SHOWN) {
            write_issue(out, issue)?;
        }
        let rest = total.count.saturating_sub(SHOWN as u64);
        if rest > 0 {
            writeln!(out, "  ... and {} more, which --report lists", grouped(rest))?;
        }
        writeln!(out)?;
    }
    summarise(out, outcome)
}

fn write_total(out: &mut impl Write, total: Total) -> io::Result<()> {
    let (style, severity) = match total.severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
        Severity::Note => (NOTE, "note"),
    };
    let (code, hint) = (total.code.as_str(), total.code.hint());
    let times = match total.count {
        1 => String::new(),
        count => format!(" {} times", grouped(count)),
    };
    writeln!(out, "{style}{severity}[{code}]{style:#}{times}: {hint}")
}

fn write_issue(out: &mut impl Write, issue: &ImportIssue) -> io::Result<()> {
    let mut place = issue.file.clone().unwrap_or_default();
    for number in [issue.line, issue.column].into_iter().flatten() {
        place = format!("{place}:{number}");
    }
    let key = issue.key.clone().unwrap_or_default();
    let parts = [place, key, issue.message.clone()];
    let parts = parts.iter().filter(|part| !part.is_empty());
    let parts: Vec<_> = parts.map(|part| printable(part)).collect();
    match parts.is_empty() {
        true => Ok(()),
        false => writeln!(out, "  {}", parts.join(": ")),
    }
}

/// What made a choice.
const fn chosen_by(by: ChosenBy) -> &'static str {
    match by {
        ChosenBy::Option => "by option",
        ChosenBy::IdMap => "by the id map",
        ChosenBy::Source => "by the source",
        ChosenBy::Default => "by default",
    }
}

fn summarise(out: &mut impl Write, outcome: &ImportOutcome) -> io::Result<()> {
    let report = &outcome.report;
    let (style, verdict) = match outcome.accepted {
        true => (ACCEPTED, "imported"),
        false => (ERROR, "refused"),
    };
    let release = match &outcome.release {
        Some(release) => format!(" release {}", printable(release)),
        None => String::new(),
    };
    writeln!(
        out,
        "{style}{verdict}{style:#} {}{release}: {}, {}, {}",
        outcome.format.as_str(),
        counted(report.count(Severity::Error), "error"),
        counted(report.count(Severity::Warning), "warning"),
        counted(report.count(Severity::Note), "note"),
    )?;
    let counts = &outcome.counts;
    if counts.concepts == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "{}, {}, {}, {}",
        counted(counts.concepts, "concept"),
        counted(counts.categories, "category"),
        counted(counts.terms, "term"),
        counted(counts.names, "name"),
    )?;
    if let Some(choices) = &outcome.choices {
        let empty = match counts.empty_categories {
            0 => String::new(),
            empty => format!(", {} of them without terms", grouped(empty)),
        };
        writeln!(
            out,
            "categories: {} {}{empty}; default culture: {} {}",
            choices.categories.as_str(),
            chosen_by(choices.categories_by),
            choices.default_culture,
            chosen_by(choices.default_culture_by),
        )?;
    }
    let ids = counts.ids;
    writeln!(
        out,
        "ids: {} kept, {} new, {} renumbered, {} merged, {} gone",
        grouped(ids.kept),
        grouped(ids.new),
        grouped(ids.renumbered),
        grouped(ids.merged),
        grouped(ids.gone),
    )
}
