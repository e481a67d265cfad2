//! `taxonomy tenant purge`.

use std::io;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_versioning::{PURGE_QUIET, PurgeOptions, PurgePlan, PurgeProgress, PurgeStep, Purged};

use crate::arguments::{CommonArguments, Output, SubjectTenant};
use crate::confirm::Confirmation;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, grouped};
use crate::progress::{Progress, ProgressLine};
use crate::stack::Session;

/// Delete everything of a tenant that leaves
///
/// Deletes every item and every object of a tenant that leaves, under a role of its own. Nothing brings them back but backups.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy tenant purge acme
  taxonomy tenant purge acme --yes --output json
  taxonomy tenant purge acme --scan

A purge that is interrupted is completed by the same command. It waits a quarter of an hour for functions that may still be writing. Until
it ends, uploads wait and commands on the tenant are refused; afterwards the id may be used again, and its versions begin at 1.")]
pub(crate) struct Purge {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    confirmation: Confirmation,
    /// The role that deletes [default: the output PurgeRoleArn]
    #[arg(long, value_name = "ARN")]
    role: Option<String>,
    /// The seconds to wait for functions that may still be writing; less only where none runs
    #[arg(long, value_name = "SECONDS", default_value_t = PURGE_QUIET.as_secs())]
    quiet: u64,
    /// Find the items by a scan of the whole table, those that no version names included: for a tenant whose newest files are lost
    #[arg(long)]
    scan: bool,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PurgedTenant<'a> {
    tenant: &'a TenantId,
    #[serde(flatten)]
    purged: &'a Purged,
}

/// Deletes everything of a tenant.
///
/// # Errors
/// [`Failure`] when the role cannot be assumed, a process is projecting the tenant, or an item or object cannot be deleted.
pub(super) async fn run(purge: &Purge) -> Result<Exit, Failure> {
    let tenant = purge.tenant.id()?;
    let session = Session::open(&purge.common.stack).await?;
    let session = session.under_role(purge.role.as_deref(), "PurgeRoleArn").await?;
    let service = session.service().await?;
    let failures = session.outputs().await?.optional("FailuresBucketName");
    let options = PurgeOptions {
        failures_bucket: failures.map(str::to_owned),
        quiet: Duration::from_secs(purge.quiet),
        scan: purge.scan,
    };
    let plan = service.plan_purge(tenant, &options).await?;
    if plan.is_empty() {
        return Err(Failure::unable(
            format!("there is nothing of a tenant {tenant}"),
            "`taxonomy tenant list` lists the tenants.",
        ));
    }
    purge.confirmation.ask(will(tenant, &plan, purge.quiet)).await?;
    let line = Progress::default().line(tenant.as_str());
    let purged = service.purge(tenant, &options, &|at| say(&line, at)).await?;
    drop(line);
    write(purge.common.output, tenant, &purged)?;
    Ok(Exit::Done)
}

fn will(tenant: &TenantId, plan: &PurgePlan, quiet: u64) -> String {
    let begun = match &plan.begun {
        Some(_) => " This continues a purge that began before.",
        None => "",
    };
    format!(
        "Deletes the tenant {tenant} for ever: version {} with {} and all versions before it, {} of its file, {} of other objects.{begun} \
         Waits {quiet} s before, for functions that may still be writing. Until it ends, uploads wait and commands on the tenant are refused.",
        plan.version,
        counted(plan.terms, "term"),
        counted(plan.source_versions, "version"),
        counted(plan.bodies, "version"),
    )
}

fn say(line: &ProgressLine, at: PurgeProgress) {
    let step = match at.step {
        PurgeStep::Waiting => "waiting for functions that may still be writing",
        PurgeStep::Source => "deleting the file",
        PurgeStep::Items => "deleting categories and terms",
        PurgeStep::Aggregates => "deleting aggregates",
        PurgeStep::Bodies => "deleting snapshots and changesets",
        PurgeStep::Log => "deleting the log",
        PurgeStep::End => "deleting the head",
    };
    let of = at
        .of
        .map_or_else(String::new, |of| format!(" of {}", grouped(of)));
    line.say(&format!("{step}: {}{of}", grouped(at.done)));
}

fn write(output: Output, tenant: &TenantId, purged: &Purged) -> io::Result<()> {
    output.write(&PurgedTenant { tenant, purged }, |out| {
        writeln!(
            out,
            "Deleted of the tenant {tenant}: {}, {}, {} of its file, {} of other objects, {} of the log. A later upload begins at version 1.",
            counted(purged.items, "item"),
            counted(purged.aggregates, "aggregate"),
            counted(purged.source_versions, "version"),
            counted(purged.bodies, "version"),
            counted(purged.log, "item"),
        )
    })
}
