//! `taxonomy audit`: has the service audit tenants.

use std::io::Write as _;

use clap::Args;
use taxonomy_keys::TenantId;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, stdout};
use crate::stack::{Session, StackArguments};

/// Has the service audit tenants: it compares everything that is stored of them, and mends aggregates. The outcome is in the projector's
/// log and metrics.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy audit acme
  taxonomy audit acme globex --full")]
pub(crate) struct Audit {
    /// The tenants
    #[arg(value_name = "TENANT", required = true)]
    tenants: Vec<TenantId>,
    /// Replay the chain from the first version, not from the last audit
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    stack: StackArguments,
}

/// Sends a message for each tenant.
///
/// # Errors
/// [`Failure`] when the queue does not take one.
pub(crate) async fn run(audit: &Audit) -> Result<Exit, Failure> {
    let session = Session::open(&audit.stack).await?;
    let queue = session.queue("AuditQueueUrl").await?;
    for tenant in &audit.tenants {
        queue.ask_for_audit(tenant, None, audit.full).await?;
    }
    let audits = counted(audit.tenants.len() as u64, "audit");
    writeln!(stdout(), "{audits} asked for.")?;
    Ok(Exit::Done)
}
