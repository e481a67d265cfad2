//! `taxonomy history`: lists the versions of a tenant, newest first.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Hash, Provenance};
use taxonomy_store::LogEntry;

use crate::arguments::{CommonArguments, SubjectTenant, version};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::grouped;
use crate::provenance::described;
use crate::stack::Session;
use crate::time::rfc3339;

/// List the versions of a tenant
///
/// Lists the versions of a tenant, newest first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy history acme
  taxonomy history acme --before 120 --limit 20 --output json")]
pub(crate) struct History {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// Begin with the version before this one
    #[arg(long, value_name = "VERSION", value_parser = version)]
    before: Option<Version>,
    /// The maximum number of versions
    #[arg(long, value_name = "VERSIONS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedVersions<'a> {
    tenant: &'a TenantId,
    versions: &'a [VersionEntry],
}

/// A version in the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VersionEntry {
    version: Version,
    committed_at: String,
    cause: &'static str,
    /// The version whose content a rollback committed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: Provenance,
    changeset: Hash,
    state_hash: Hash,
    categories: u64,
    terms: u64,
    added: u64,
    changed: u64,
    removed: u64,
}

impl From<LogEntry> for VersionEntry {
    fn from(entry: LogEntry) -> Self {
        Self {
            version: entry.version,
            committed_at: rfc3339(entry.committed_at),
            cause: entry.cause.kind(),
            to: match entry.cause {
                Cause::Rollback { to } => Some(to),
                _ => None,
            },
            provenance: entry.provenance,
            changeset: entry.changeset,
            state_hash: entry.state,
            categories: entry.totals.categories,
            terms: entry.totals.terms,
            added: entry.changes.added,
            changed: entry.changes.changed,
            removed: entry.changes.removed,
        }
    }
}

/// Lists versions.
///
/// # Errors
/// [`Failure`] when the tenant has no version, or the log cannot be read.
pub(crate) async fn run(history: &History) -> Result<Exit, Failure> {
    let tenant = history.tenant.id()?;
    let session = Session::open(&history.common.stack).await?;
    let service = session.service().await?;
    let mut versions: Vec<VersionEntry> = Vec::new();
    let mut before = history.before;
    while (versions.len() as u64) < history.limit {
        let rest = history.limit - versions.len() as u64;
        let page = service.history(tenant, before, rest).await?;
        let Some(last) = page.last().map(|entry| entry.version) else {
            break;
        };
        versions.extend(page.into_iter().map(VersionEntry::from));
        before = Some(last);
    }
    let fields = ListedVersions {
        tenant,
        versions: &versions,
    };
    history
        .common
        .output
        .write(&fields, |out| write(out, &versions))?;
    Ok(Exit::Done)
}

fn write(out: &mut dyn Write, versions: &[VersionEntry]) -> io::Result<()> {
    for entry in versions {
        let cause = match entry.to {
            Some(to) => format!("{} to {to}", entry.cause),
            None => entry.cause.to_owned(),
        };
        writeln!(
            out,
            "{:>7}  {}  {cause:<14} +{} ~{} -{}  {} terms{}",
            entry.version.to_string(),
            entry.committed_at,
            grouped(entry.added),
            grouped(entry.changed),
            grouped(entry.removed),
            grouped(entry.terms),
            described(&entry.provenance),
        )?;
    }
    Ok(())
}
