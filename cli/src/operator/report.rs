//! `taxonomy report`: shows why the newest upload of a tenant was refused.

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::tenant::show::known;
use crate::stack::Session;
use crate::time::rfc3339;
use crate::upstream::refusal::RefusalReport;

/// Show why the newest upload of a tenant was refused
///
/// Shows the report of the newest upload of a tenant, if the service refused it: each issue with its place in the file and the next step.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy report acme
  taxonomy report acme --output json")]
pub(crate) struct Report {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
struct ShownReport<'a> {
    tenant: &'a TenantId,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedUpload<'a>>,
}

#[derive(Serialize)]
struct RefusedUpload<'a> {
    /// The time of the refusal.
    at: &'a str,
    /// The key of the report in the changesets bucket.
    key: &'a str,
    report: &'a RefusalReport,
}

/// Shows the report.
///
/// # Errors
/// [`Failure`] when there is no such tenant, or the report cannot be read.
pub(crate) async fn run(report: &Report) -> Result<Exit, Failure> {
    let tenant = report.tenant.id()?;
    let session = Session::open(&report.common.stack).await?;
    let (head, _) = known(&session, tenant).await?;
    let output = report.common.output;
    let Some(refused) = head.refused else {
        let refused = None;
        output.write(&ShownReport { tenant, refused }, |out| {
            writeln!(out, "The service did not refuse the newest upload of {tenant}.")
        })?;
        return Ok(Exit::Done);
    };
    let (key, at) = (refused.report_key, rfc3339(refused.at));
    let stored = session.archive().await?.report(&key).await?;
    let report = RefusalReport::read(&key, &stored)?;
    let refused = Some(RefusedUpload {
        at: &at,
        key: &key,
        report: &report,
    });
    output.write(&ShownReport { tenant, refused }, |out| {
        writeln!(out, "The service refused the newest upload of {tenant} at {at}:")?;
        report.write(out)
    })?;
    Ok(Exit::Done)
}
