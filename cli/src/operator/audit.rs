//! `taxonomy audit`: requests audits of tenants from the service, and shows their outcomes.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_store::{CheckpointNote, Heads};

use crate::arguments::CommonArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::poll;
use crate::output::{counted, grouped};
use crate::progress::Progress;
use crate::stack::Session;

/// Request audits of tenants from the service
///
/// Requests audits of tenants from the service, which compares all of their stored data and repairs their aggregates. What an audit finds is
/// in the projector's log and metrics; `--follow` waits for it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy audit acme
  taxonomy audit acme globex --full
  taxonomy audit acme --follow

With --follow, ends with 1 where an audit left a difference, which `taxonomy repair` mends where that can be done.")]
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
    /// Wait until the audits have ended, and show what they found
    #[arg(long)]
    follow: bool,
    /// The maximum number of seconds to wait for each
    #[arg(long, value_name = "SECONDS", default_value_t = 1_800, requires = "follow", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    timeout: u64,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Requested {
    /// The number of messages sent.
    audits: u64,
    /// What they found; empty where nobody waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcomes: Vec<AuditOutcome>,
}

/// What the audit of a tenant found.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditOutcome {
    tenant: TenantId,
    /// The version up to which the chain is verified; none where it is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    differences: u64,
    /// Those that it did not repair.
    left: u64,
}

/// Sends an audit message for each tenant.
///
/// # Errors
/// [`Failure`] when a message cannot be sent; [`Failure::Unable`] when an audit does not end in time.
pub(crate) async fn run(audit: &Audit) -> Result<Exit, Failure> {
    let session = Session::open(&audit.common.stack).await?;
    let (queue, heads) = (session.queue("AuditQueueUrl").await?, session.heads().await?);
    let mut before = Vec::new();
    for tenant in audit.tenants.iter().chain(&audit.named) {
        if audit.follow {
            before.push((tenant, note(&heads, tenant).await?.run));
        }
        queue.ask_for_audit(tenant, None, audit.full).await?;
    }
    let mut outcomes = Vec::new();
    for (tenant, run) in before {
        outcomes.push(follow(&heads, tenant, run, Duration::from_secs(audit.timeout)).await?);
    }
    let left = outcomes.iter().any(|outcome| outcome.left > 0);
    let requested = Requested {
        audits: (audit.tenants.len() + audit.named.len()) as u64,
        outcomes,
    };
    audit
        .common
        .output
        .write(&requested, |out| tell(out, &requested))?;
    Ok(if left { Exit::Failed } else { Exit::Done })
}

/// Waits for the end of an audit that was requested later than the one of `run` (epoch ms).
async fn follow(
    heads: &Heads,
    tenant: &TenantId,
    run: u64,
    timeout: Duration,
) -> Result<AuditOutcome, Failure> {
    let line = Progress::default().line(tenant.as_str());
    line.say("waiting for the end of the audit");
    let late = (
        "the audit has not ended",
        "It goes on; the projector's log has its outcome, and failed ones are dead letters.",
    );
    let ended = async || Ok(Some(note(heads, tenant).await?).filter(|note| note.run > run));
    let ended = poll(timeout, late, ended).await?;
    Ok(AuditOutcome {
        tenant: tenant.clone(),
        version: ended.checkpoint.map(|checkpoint| checkpoint.version),
        differences: ended.found,
        left: ended.left,
    })
}

async fn note(heads: &Heads, tenant: &TenantId) -> Result<CheckpointNote, Failure> {
    Ok(heads.audit_note(tenant).await?.unwrap_or_default())
}

fn tell(out: &mut dyn Write, requested: &Requested) -> io::Result<()> {
    if requested.outcomes.is_empty() {
        return writeln!(out, "{} requested.", counted(requested.audits, "audit"));
    }
    for outcome in &requested.outcomes {
        let found = counted(outcome.differences, "difference");
        writeln!(
            out,
            "{}: {found}, {} left.",
            outcome.tenant,
            grouped(outcome.left)
        )?;
    }
    Ok(())
}
