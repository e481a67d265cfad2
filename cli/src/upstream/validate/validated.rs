//! The validation of one file, with the place of each issue.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use taxonomy_model::{Code, Defaults, Hash, Issue, Limits, Report, Taxonomy, parse};

use super::excerpt::Excerpt;
use super::human::warn;
use crate::arguments::{FailOn, Output};
use crate::blocking;
use crate::failure::Failure;
use crate::file::{self, MAX_BYTES};
use crate::output::stderr;
use crate::upstream::place::{LineColumn, Lines, Part, Pointed, find};

/// A validated file: its published report, with lines and columns. The JSON form of `validate` is a list of them.
#[derive(Debug, Serialize)]
pub(crate) struct Validated {
    /// The path as it was given.
    pub(super) file: String,
    pub(super) accepted: bool,
    pub(super) categories: u64,
    pub(super) terms: u64,
    pub(super) names: u64,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) issues: Vec<LocatedIssue>,
}

impl Validated {
    fn new(file: String, report: &Report, issues: Vec<LocatedIssue>) -> Self {
        Self {
            file,
            accepted: report.accepted,
            categories: report.categories,
            terms: report.terms,
            names: report.names,
            errors: report.errors,
            warnings: report.warnings,
            issues,
        }
    }

    pub(crate) fn has_warnings(&self) -> bool {
        self.warnings > 0
    }

    /// Whether a command with this `--fail-on` refuses the file.
    pub(crate) fn fails(&self, fail_on: FailOn) -> bool {
        !self.accepted || (fail_on == FailOn::Warning && self.has_warnings())
    }

    /// Whether the service would refuse the file.
    pub(crate) fn is_invalid(&self) -> bool {
        !self.accepted
    }
}

/// An issue, with its place if the file has such a place.
#[derive(Debug, Serialize)]
pub(super) struct LocatedIssue {
    #[serde(flatten)]
    pub(super) issue: Issue,
    #[serde(flatten)]
    pub(super) place: Option<IssuePlace>,
}

/// The place of an issue, and the text around it.
#[derive(Debug, Serialize)]
pub(super) struct IssuePlace {
    #[serde(flatten)]
    pub(super) at: LineColumn,
    #[serde(skip)]
    pub(super) excerpt: Excerpt,
    /// The place that it repeats, where something is there twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first: Option<LineColumn>,
}

/// Validates one file. Returns its taxonomy if it is accepted, and its report.
///
/// # Errors
/// [`Failure`] when the file cannot be read.
pub(crate) fn validate(path: &Path, defaults: &Defaults) -> Result<(Option<Taxonomy>, Validated), Failure> {
    let stored = file::stored(path, MAX_BYTES)?;
    Ok(validate_content(
        file::name(path),
        stored.as_deref(),
        MAX_BYTES,
        defaults,
    ))
}

/// A file that the service would accept.
pub(crate) struct AcceptedFile {
    pub(crate) taxonomy: Taxonomy,
    /// Of the file as stored.
    pub(crate) sha256: Hash,
    /// The report, which may have warnings.
    pub(crate) validated: Validated,
}

/// Reads a file of at most `most` bytes as the service would.
///
/// # Errors
/// [`Failure`] when the file cannot be read, or the service would refuse it.
pub(crate) async fn read_accepted(
    path: &Path,
    most: u64,
    defaults: Defaults,
    output: Output,
) -> Result<AcceptedFile, Failure> {
    let path = path.to_owned();
    blocking::run(move || {
        let most = most.min(MAX_BYTES);
        let stored = file::stored(&path, most)?;
        let sha256 = stored.as_deref().map(Hash::digest);
        let (taxonomy, validated) = validate_content(file::name(&path), stored.as_deref(), most, &defaults);
        match taxonomy.zip(sha256) {
            Some((taxonomy, sha256)) => Ok(AcceptedFile {
                taxonomy,
                sha256,
                validated,
            }),
            None => Err(Failure::invalid(validated, output)),
        }
    })
    .await
}

/// Reads a file as [`read_accepted`] does, and shows its first warnings on standard error.
///
/// # Errors
/// As [`read_accepted`].
pub(crate) async fn read_and_warn(
    path: &Path,
    most: u64,
    defaults: Defaults,
    output: Output,
) -> Result<AcceptedFile, Failure> {
    let file = read_accepted(path, most, defaults, output).await?;
    warn(&mut stderr(), &file.validated)?;
    Ok(file)
}

/// Validates the stored content of a file that has at most `most` bytes, also decoded; none of a file that has more.
pub(crate) fn validate_content(
    file: String,
    stored: Option<&[u8]>,
    most: u64,
    defaults: &Defaults,
) -> (Option<Taxonomy>, Validated) {
    let (parsed, bytes) = match file::decode(stored, most) {
        Ok(bytes) => (parse(&bytes, defaults, Limits::default()), bytes),
        Err((code, message)) => (Err(Box::new(Report::refusal(code, message))), Cow::default()),
    };
    let (taxonomy, mut report) = match parsed {
        Ok(parsed) => (Some(parsed.taxonomy), parsed.report),
        Err(report) => (None, *report),
    };
    let issues = std::mem::take(&mut report.issues);
    let issues = match str::from_utf8(&bytes) {
        _ if issues.is_empty() => Vec::new(),
        Ok(text) => locate(text, issues),
        // Up to where it is a text.
        Err(error) => locate(&String::from_utf8_lossy(&bytes[..error.valid_up_to()]), issues),
    };
    (taxonomy, Validated::new(file, &report, issues))
}

fn locate(text: &str, issues: Vec<Issue>) -> Vec<LocatedIssue> {
    let lines = Lines::new(text);
    let found = find(
        text,
        issues
            .iter()
            .flat_map(|issue| [Some(wanted(issue)), first(issue)])
            .flatten(),
    );
    let offset = |pointed: Pointed<'_>| found.get(&pointed).copied();
    let offsets: Vec<[Option<usize>; 2]> = issues
        .iter()
        .map(|issue| match issue.stops_at {
            Some((line, byte)) => [Some(lines.offset(line, byte)), None],
            None => [offset(wanted(issue)), first(issue).and_then(offset)],
        })
        .collect();
    let mut sorted: Vec<usize> = offsets.iter().flatten().flatten().copied().collect();
    sorted.sort_unstable();
    let places = lines.places(sorted.iter().copied());
    let place = |offset: usize| Some(places[sorted.binary_search(&offset).ok()?]);
    let located = issues.into_iter().zip(offsets).map(|(issue, [offset, first])| {
        let place = offset.and_then(|offset| {
            let (before, behind) = lines.around(offset);
            Some(IssuePlace {
                at: place(offset)?,
                excerpt: Excerpt::new(before, behind),
                first: first.and_then(place),
            })
        });
        LocatedIssue { issue, place }
    });
    located.collect()
}

fn wanted(issue: &Issue) -> Pointed<'_> {
    let part = match issue.code {
        Code::DuplicateKey => Part::LastKey,
        Code::MisnamedField | Code::UnknownField => Part::Key,
        _ => Part::Value,
    };
    Pointed {
        pointer: &issue.pointer,
        part,
    }
}

/// The place that an issue repeats.
fn first(issue: &Issue) -> Option<Pointed<'_>> {
    let (pointer, part) = match issue.code {
        Code::DuplicateKey => (&issue.pointer, Part::Key),
        _ => (issue.first.as_ref()?, Part::Value),
    };
    Some(Pointed { pointer, part })
}
