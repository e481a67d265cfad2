//! `taxonomy repair`: has the service examine everything that is stored of a tenant, and put right what differs.

use std::io::Write;

use clap::Args;
use serde::Serialize;
use taxonomy_store::{Answer, Request};
use taxonomy_versioning::RepairReport;

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::{self, RequestArguments};
use crate::operator::verify::{list, scanned};
use crate::output::counted;
use crate::stack::Session;

/// Have everything that is stored of a tenant put right
///
/// Has the service examine everything that is stored of a tenant, and put right what differs: log, snapshots, changesets, index files, search
/// objects, items and counts. It may be repeated, and goes on where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy repair acme --reason 'item deleted by hand'
  taxonomy repair acme --scan

Ends with 0 when the tenant is as it should be, and with 1 when something could not be mended, or is still on its way. What was found is
listed.")]
pub(crate) struct Repair {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// Also remove items that no version names, at most those of a hundred ids, found by a scan of the whole table under a role of its own
    #[arg(long)]
    scan: bool,
    /// The role that scans [default: the output ScanRoleArn]
    #[arg(long, value_name = "ARN", requires = "scan")]
    role: Option<String>,
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// The outcome in the JSON form.
#[derive(Serialize)]
struct Repaired<'a> {
    #[serde(flatten)]
    outcome: &'a RepairReport,
    /// The key of the report in the changesets bucket.
    report: &'a str,
}

/// Asks for a repair, and follows it.
///
/// # Errors
/// [`Failure`] when the tenant has no version, or the service does not answer in time.
pub(crate) async fn run(repair: &Repair) -> Result<Exit, Failure> {
    let tenant = repair.tenant.id()?;
    let session = Session::open(&repair.common.stack).await?;
    let service = session.service().await?;
    let partitions = match repair.scan {
        true => {
            let found = scanned(&repair.common, repair.role.as_deref(), tenant).await?;
            service.unnamed_partitions(tenant, found).await?
        }
        false => Vec::new(),
    };
    repair
        .request
        .confirmation
        .ask(format!(
            "Examines everything that is stored of the tenant {tenant}, and writes again what differs."
        ))
        .await?;
    let provenance = session.provenance(repair.request.provenance.given()).await?;
    let asked = (Request::Repair { partitions }, provenance);
    let timeout = repair.request.timeout();
    let Answer::Repaired { report, .. } = request::answer(&session, tenant, asked, timeout).await? else {
        return Err(Failure::unable(
            "the service answered another request",
            "Check the tenant, then try again.",
        ));
    };
    let outcome = service.report_of_repair(&report).await?;
    let fields = Repaired {
        outcome: &outcome,
        report: &report,
    };
    repair.common.output.write(&fields, |out| tell(out, &outcome))?;
    Ok(match outcome.findings.left() {
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}

fn tell(out: &mut dyn Write, outcome: &RepairReport) -> std::io::Result<()> {
    list(out, &outcome.findings)?;
    writeln!(
        out,
        "Version {}: {} mended, {} left.",
        outcome.version,
        counted(outcome.findings.mended, "difference"),
        outcome.findings.left(),
    )
}
