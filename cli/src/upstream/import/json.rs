//! The JSON form of an import report (docs/decisions/0022-import.md).

use std::io::{self, Write};

use serde::Serialize;
use taxonomy_import::{Choices, ImportCounts, ImportIssue, Severity, Total};

use super::ImportOutcome;
use crate::output::write_document;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<&'a str>,
    accepted: bool,
    #[serde(flatten)]
    counts: &'a ImportCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<&'a Choices>,
    errors: u64,
    warnings: u64,
    notes: u64,
    totals: Vec<Total>,
    issues: Vec<&'a ImportIssue>,
}

pub(super) fn write(out: &mut impl Write, outcome: &ImportOutcome) -> io::Result<()> {
    let report = &outcome.report;
    let fields = JsonReport {
        format: outcome.format.as_str(),
        release: outcome.release.as_deref(),
        accepted: outcome.accepted,
        counts: &outcome.counts,
        choices: outcome.choices.as_ref(),
        errors: report.count(Severity::Error),
        warnings: report.count(Severity::Warning),
        notes: report.count(Severity::Note),
        totals: report.totals(),
        issues: report.issues(),
    };
    write_document(out, &fields)
}
