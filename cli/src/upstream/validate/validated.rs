//! The validation of one file, with the place of each issue.

use std::borrow::Cow;
use std::path::Path;

use taxonomy_model::{Code, Defaults, Issue, Limits, Report, Taxonomy, parse};

use super::excerpt::Excerpt;
use crate::arguments::FailOn;
use crate::failure::Failure;
use crate::file::{self, Content, MAX_BYTES};
use crate::upstream::place::{LineColumn, Lines, PointedValue, find};

/// A validated file.
#[derive(Debug)]
pub(crate) struct Validated {
    /// The path as it was given.
    pub(super) file: String,
    /// The counts and the verdict. Its issues are moved to `issues`.
    pub(super) report: Report,
    pub(super) issues: Vec<Located>,
}

impl Validated {
    pub(crate) fn has_warnings(&self) -> bool {
        self.report.warnings > 0
    }

    /// Whether a command with this `--fail-on` refuses the file.
    pub(crate) fn fails(&self, fail_on: FailOn) -> bool {
        !self.report.accepted || (fail_on == FailOn::Warning && self.has_warnings())
    }

    /// Whether the service would refuse the file.
    pub(crate) fn is_invalid(&self) -> bool {
        !self.report.accepted
    }
}

/// An issue, with its place and the text around it if the file has such a place.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) issue: Issue,
    pub(super) at: Option<(LineColumn, Excerpt)>,
}

/// Validates one file. Returns its taxonomy if it is accepted, and its report.
///
/// # Errors
/// [`Failure`] when the file cannot be read.
pub(crate) fn validate(path: &Path, defaults: &Defaults) -> Result<(Option<Taxonomy>, Validated), Failure> {
    let name = file::name(path);
    Ok(match file::stored(path, MAX_BYTES)? {
        None => validate_content(name, Content::TooLarge, defaults),
        Some(bytes) => validate_content(name, file::decode(&bytes), defaults),
    })
}

/// Validates the content of a file that was read.
pub(crate) fn validate_content(
    file: String,
    content: Content<'_>,
    defaults: &Defaults,
) -> (Option<Taxonomy>, Validated) {
    let refused = |code, message| (Err(Box::new(Report::refusal(code, message))), Cow::default());
    let (parsed, bytes) = match content {
        Content::TooLarge => refused(
            Code::FileTooLarge,
            format!("the file has more than {MAX_BYTES} bytes"),
        ),
        Content::Damaged(cause) => refused(
            Code::InvalidEncoding,
            format!("the file begins like gzip and cannot be decoded: {cause}"),
        ),
        Content::Bytes(bytes) => (parse(&bytes, defaults, Limits::default()), bytes),
    };
    let (taxonomy, mut report) = match parsed {
        Ok(parsed) => (Some(parsed.taxonomy), parsed.report),
        Err(report) => (None, *report),
    };
    let issues = std::mem::take(&mut report.issues);
    let issues = match str::from_utf8(&bytes) {
        Ok(text) if !issues.is_empty() => locate(text, issues),
        _ => issues
            .into_iter()
            .map(|issue| Located { issue, at: None })
            .collect(),
    };
    (taxonomy, Validated { file, report, issues })
}

fn locate(text: &str, issues: Vec<Issue>) -> Vec<Located> {
    let lines = Lines::new(text);
    let found = find(text, issues.iter().map(wanted));
    let offsets: Vec<Option<usize>> = issues
        .iter()
        .map(|issue| match issue.stops_at {
            Some((line, byte)) => Some(lines.offset(line, byte)),
            None => found.get(&wanted(issue)).copied(),
        })
        .collect();
    let mut sorted: Vec<usize> = offsets.iter().flatten().copied().collect();
    sorted.sort_unstable();
    let places = lines.places(sorted.iter().copied());
    let located = issues.into_iter().zip(offsets).map(|(issue, offset)| {
        let at = offset.and_then(|offset| {
            let place = places[sorted.binary_search(&offset).ok()?];
            let (before, behind) = lines.around(offset);
            Some((place, Excerpt::new(before, behind)))
        });
        Located { issue, at }
    });
    located.collect()
}

fn wanted(issue: &Issue) -> PointedValue<'_> {
    PointedValue {
        pointer: &issue.pointer,
        is_last: issue.code == Code::DuplicateKey,
    }
}
