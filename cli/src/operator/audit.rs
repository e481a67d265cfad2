//! `taxonomy audit`: requests audits of tenants from the service.

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;

use crate::arguments::CommonArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::counted;
use crate::stack::Session;

/// Request audits of tenants from the service
///
/// Requests audits of tenants from the service, which compares all of their stored data and repairs their aggregates. The outcome is in
/// the projector's log and metrics.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy audit acme
  taxonomy audit acme globex --full")]
pub(crate) struct Audit {
    /// The tenants
    #[arg(value_name = "TENANT", required_unless_present = "named")]
    tenants: Vec<TenantId>,
    /// A tenant by its name, as other commands have it
    #[arg(long = "tenant", value_name = "TENANT", id = "named")]
    named: Vec<TenantId>,
    /// Replay the chain from the first version, not from the last audit
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Requested {
    /// The number of messages sent.
    audits: u64,
}

/// Sends an audit message for each tenant.
///
/// # Errors
/// [`Failure`] when a message cannot be sent.
pub(crate) async fn run(audit: &Audit) -> Result<Exit, Failure> {
    let session = Session::open(&audit.common.stack).await?;
    let queue = session.queue("AuditQueueUrl").await?;
    for tenant in audit.tenants.iter().chain(&audit.named) {
        queue.ask_for_audit(tenant, None, audit.full).await?;
    }
    let audits = (audit.tenants.len() + audit.named.len()) as u64;
    audit.common.output.write(&Requested { audits }, |out| {
        writeln!(out, "{} requested.", counted(audits, "audit"))
    })?;
    Ok(Exit::Done)
}
