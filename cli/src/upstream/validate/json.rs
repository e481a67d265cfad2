//! The JSON form of a validation: the published report of each file, with lines and columns.

use std::io::{self, Write};

use serde::Serialize;
use taxonomy_model::Issue;

use super::validated::{Located, Validated};
use crate::output::Document;
use crate::upstream::place::LineColumn;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reports<'a> {
    files: Vec<File<'a>>,
}

/// The report of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File<'a> {
    file: &'a str,
    accepted: bool,
    categories: u64,
    terms: u64,
    names: u64,
    errors: u64,
    warnings: u64,
    issues: Vec<IssueAndPlace<'a>>,
}

#[derive(Serialize)]
struct IssueAndPlace<'a> {
    #[serde(flatten)]
    issue: &'a Issue,
    #[serde(flatten)]
    place: Option<LineColumn>,
}

pub(super) fn write(out: &mut impl Write, files: &[Validated]) -> io::Result<()> {
    let files = files.iter().map(file).collect();
    Document::new(&Reports { files }).write(out)
}

/// Returns the JSON form of one file.
pub(crate) fn file(validated: &Validated) -> File<'_> {
    let report = &validated.report;
    let issues = validated
        .issues
        .iter()
        .map(|Located { issue, at }| IssueAndPlace {
            issue,
            place: at.as_ref().map(|(place, _)| *place),
        });
    File {
        file: &validated.file,
        accepted: report.accepted,
        categories: report.categories,
        terms: report.terms,
        names: report.names,
        errors: report.errors,
        warnings: report.warnings,
        issues: issues.collect(),
    }
}
