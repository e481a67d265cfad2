//! `taxonomy audit`: requests audits of tenants from the service.

use std::io::{self, Write as _};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, counted, document, stdout};
use crate::stack::{Session, StackArguments};

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
    #[arg(value_name = "TENANT", required = true)]
    tenants: Vec<TenantId>,
    /// Replay the chain from the first version, not from the last audit
    #[arg(long)]
    full: bool,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    format_version: u32,
    /// The number of messages sent.
    audits: u64,
}

/// Sends an audit message for each tenant.
///
/// # Errors
/// [`Failure`] when a message cannot be sent.
pub(crate) async fn run(audit: &Audit) -> Result<Exit, Failure> {
    let session = Session::open(&audit.stack).await?;
    let queue = session.queue("AuditQueueUrl").await?;
    for tenant in &audit.tenants {
        queue.ask_for_audit(tenant, None, audit.full).await?;
    }
    let audits = audit.tenants.len() as u64;
    match audit.output {
        Output::Human => writeln!(stdout(), "{} requested.", counted(audits, "audit"))?,
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                audits,
            },
        )?,
    }
    Ok(Exit::Done)
}
