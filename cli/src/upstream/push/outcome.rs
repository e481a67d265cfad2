//! The outcome of each file, and its human and JSON forms.

use std::io::{self, Write};

use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::ChangedIdentifier;

use crate::difference::{ChangedTerms, warn_of_other_concepts};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{GREEN, RED, YELLOW, counted, grouped, printable};
use crate::upstream::refusal::RefusalReport;
use crate::upstream::validate::{Validated, explain, warn};

/// A file of a push with its outcome.
#[derive(Debug)]
pub(super) struct PushedFile {
    pub(super) tenant: TenantId,
    pub(super) file: String,
    pub(super) compared: Compared,
    pub(super) outcome: Outcome,
}

/// What an uploaded file says and changes.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// The report of a file with warnings.
    pub(super) warned: Option<Box<Validated>>,
    /// The ids that name another concept of their source.
    pub(super) changed_identifiers: Vec<ChangedIdentifier>,
    /// What the file changes of the version before; none where that is not known.
    pub(super) terms: Option<ChangedTerms>,
}

impl Compared {
    /// Keeps what the file changes if it became the version after `before`: else it was compared with another one.
    pub(super) fn after(mut self, before: u64, outcome: &Outcome) -> Self {
        let is_next = matches!(outcome, Outcome::Published { version } if version.get() == before + 1);
        self.terms = self.terms.filter(|_| is_next);
        self
    }
}

/// The outcome of a file.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The head has the same file; nothing was uploaded.
    Unchanged { version: Version },
    /// The upload became this version, which is served.
    Published { version: Version },
    /// The upload has the content of the head, so there is no new version.
    SameContent { version: Version },
    /// A later upload or an operator replaced it; this version is served.
    Superseded { version: Version },
    /// The file was uploaded, and is not followed.
    Uploaded,
    /// The file is invalid, or has warnings where `--fail-on` refuses them; nothing was uploaded.
    Invalid(Box<Validated>),
    /// The service refused the upload.
    Refused {
        report: RefusalReport,
        /// The version that is served.
        serves: Option<Version>,
    },
    /// The file was uploaded, but the service did not finish with it in time.
    TimedOut { seconds: u64 },
    /// The push of the file failed.
    Failed(Failure),
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The outcome of a file in the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PushedJson<'a> {
    tenant: &'a TenantId,
    file: &'a str,
    outcome: &'static str,
    /// The version that is served, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<ChangedTerms>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    changed_identifiers: &'a [ChangedIdentifier],
    /// The report of the local validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<&'a Validated>,
    /// The report of the local validation of a file with warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    warned: Option<&'a Validated>,
    /// The report of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a RefusalReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl PushedFile {
    pub(super) fn exit(&self) -> Exit {
        match &self.outcome {
            Outcome::Unchanged { .. }
            | Outcome::Published { .. }
            | Outcome::SameContent { .. }
            | Outcome::Superseded { .. }
            | Outcome::Uploaded => Exit::Done,
            Outcome::Invalid(_) | Outcome::Refused { .. } => Exit::Refused,
            Outcome::TimedOut { .. } => Exit::Failed,
            Outcome::Failed(failure) => failure.exit(),
        }
    }

    pub(super) fn json(&self) -> PushedJson<'_> {
        let (outcome, version) = match &self.outcome {
            Outcome::Unchanged { version } => ("unchanged", Some(*version)),
            Outcome::Published { version } => ("published", Some(*version)),
            Outcome::SameContent { version } => ("sameContent", Some(*version)),
            Outcome::Superseded { version } => ("superseded", Some(*version)),
            Outcome::Uploaded => ("uploaded", None),
            Outcome::Invalid(_) => ("invalid", None),
            Outcome::Refused { serves, .. } => ("refused", *serves),
            Outcome::TimedOut { .. } => ("timedOut", None),
            Outcome::Failed(failure) if failure.exit() == Exit::Refused => ("refused", None),
            Outcome::Failed(_) => ("failed", None),
        };
        let mut fields = PushedJson {
            tenant: &self.tenant,
            file: &self.file,
            outcome,
            version,
            terms: self.compared.terms,
            changed_identifiers: &self.compared.changed_identifiers,
            refused: None,
            warned: self.compared.warned.as_deref(),
            report: None,
            error: None,
        };
        match &self.outcome {
            Outcome::Invalid(validated) => fields.refused = Some(validated),
            Outcome::Refused { report, .. } => fields.report = Some(report),
            Outcome::Failed(failure) => fields.error = Some(failure.to_string()),
            _ => {}
        }
        fields
    }
}

/// Writes a line for each file, preceded by its reports, and the totals if there are several files.
pub(super) fn write(out: &mut impl Write, pushed: &[PushedFile]) -> io::Result<()> {
    for push in pushed {
        if let Some(warned) = &push.compared.warned {
            warn(out, warned)?;
        }
        warn_of_other_concepts(out, &push.compared.changed_identifiers)?;
        match &push.outcome {
            Outcome::Invalid(validated) => explain(out, validated)?,
            Outcome::Refused { report, .. } => {
                writeln!(out, "{}, {}:", push.tenant, printable(&push.file))?;
                report.write(out)?;
            }
            _ => {}
        }
    }
    for push in pushed {
        let style = match (&push.outcome, push.exit()) {
            (Outcome::Superseded { .. }, _) => YELLOW,
            (_, Exit::Done) => GREEN,
            _ => RED,
        };
        let (sign, described) = described(&push.outcome);
        let changed = push.compared.terms.map(|terms| {
            let [added, changed, removed] = [terms.added, terms.changed, terms.removed].map(grouped);
            format!(": +{added} ~{changed} -{removed} terms")
        });
        let changed = changed.unwrap_or_default();
        writeln!(
            out,
            "{style}{sign:<10}{style:#} {}: {described}{changed}",
            push.tenant
        )?;
    }
    for push in pushed {
        if let Outcome::Failed(failure) = &push.outcome {
            failure.report_of(&push.tenant.to_string());
        }
    }
    if pushed.len() > 1 {
        let done = pushed.iter().filter(|push| push.exit() == Exit::Done).count();
        let (done, failed) = (done as u64, (pushed.len() - done) as u64);
        writeln!(out, "\n{} done, {failed} not.", counted(done, "file"))?;
    }
    Ok(())
}

/// The names of what was passed over that are shown.
const SHOWN: usize = 10;

/// Writes what a folder has beside files of tenants.
pub(super) fn write_passed_over(out: &mut impl Write, passed_over: &[String]) -> io::Result<()> {
    if passed_over.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = passed_over
        .iter()
        .take(SHOWN)
        .map(|name| printable(name))
        .collect();
    let further = passed_over.len().saturating_sub(SHOWN) as u64;
    let further = match further {
        0 => String::new(),
        further => format!(" and {} more", grouped(further)),
    };
    let shown = shown.join(", ");
    writeln!(
        out,
        "\n{YELLOW}passed over{YELLOW:#}: {shown}{further}. A file of a tenant is called TENANT.json or TENANT.json.gz."
    )
}

fn described(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Unchanged { version } => (
            "unchanged",
            format!("version {version} has this file; nothing was uploaded"),
        ),
        Outcome::Published { version } => ("published", format!("version {version} is served")),
        Outcome::SameContent { version } => (
            "unchanged",
            format!("the file has the content of version {version}, which stays"),
        ),
        Outcome::Superseded { version } => (
            "superseded",
            format!("another change came after this upload; version {version} is served"),
        ),
        Outcome::Uploaded => ("uploaded", "not followed".to_owned()),
        Outcome::Invalid(validated) => {
            let has = if validated.is_invalid() {
                "is invalid"
            } else {
                "has warnings"
            };
            ("refused", format!("the file {has}; nothing was uploaded"))
        }
        Outcome::Refused {
            serves: Some(version),
            ..
        } => ("refused", format!("version {version} is still served")),
        Outcome::Refused { serves: None, .. } => ("refused", "the tenant has no version".to_owned()),
        Outcome::TimedOut { seconds } => (
            "timed out",
            format!(
                "not published after {seconds} s; the service continues, and the same command follows the upload"
            ),
        ),
        Outcome::Failed(_) => ("failed", "not pushed".to_owned()),
    }
}

#[cfg(test)]
mod tests;
