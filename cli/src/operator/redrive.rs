//! `taxonomy redrive`: messages and records that failed on every try are tried again.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use taxonomy_keys::TenantId;
use taxonomy_store::{DeferredQueue, Failures, redrive as move_messages};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, stdout};
use crate::stack::{Session, StackArguments};

/// Has messages and records that failed on every try be tried again. Mend the cause first: what fails again comes back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy redrive uploads
  taxonomy redrive parked --tenant acme")]
pub(crate) struct Redrive {
    /// What is to be tried again
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The tenant of parked records [default: all]
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The most messages or records
    #[arg(long, value_name = "MESSAGES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    limit: u64,
    #[command(flatten)]
    stack: StackArguments,
}

/// A place where what failed is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Dead letters of uploads, sweeps and the retry queue
    Uploads,
    /// Dead letters of audits
    Audits,
    /// Dead letters of stream records that were deferred
    Deferred,
    /// Stream records that the aggregator parked in the failures bucket, where they stay
    Parked,
}

/// Moves messages, or sends records again.
///
/// # Errors
/// [`Failure`] when a queue or the bucket fails; what was moved until then is moved.
pub(crate) async fn run(redrive: &Redrive) -> Result<Exit, Failure> {
    if redrive.tenant.is_some() && redrive.kind != Kind::Parked {
        return Err(Failure::Usage(
            "only parked records are kept by tenant".to_owned(),
        ));
    }
    let session = Session::open(&redrive.stack).await?;
    let outputs = session.outputs().await?;
    let (from, to) = match redrive.kind {
        Kind::Uploads => ("DeadLettersUrl", "RetryQueueUrl"),
        Kind::Audits => ("AuditDeadLettersUrl", "AuditQueueUrl"),
        Kind::Deferred => ("DeferredDeadLettersUrl", "DeferredQueueUrl"),
        Kind::Parked => {
            let sent = parked(&session, redrive).await?;
            let records = counted(sent, "record");
            writeln!(
                stdout(),
                "{records} sent to the deferred queue; the objects stay."
            )?;
            return Ok(Exit::Done);
        }
    };
    let (from, to) = (outputs.required(from)?, outputs.required(to)?);
    let moved = move_messages(&session.sqs(), from, to, redrive.limit).await?;
    writeln!(stdout(), "{} moved.", counted(moved, "message"))?;
    Ok(Exit::Done)
}

async fn parked(session: &Session, redrive: &Redrive) -> Result<u64, Failure> {
    let outputs = session.outputs().await?;
    let failures = Failures::new(session.s3(), outputs.required("FailuresBucketName")?);
    let queue = DeferredQueue::new(session.sqs(), outputs.required("DeferredQueueUrl")?);
    let (mut sent, mut after) = (0, None);
    loop {
        let page = failures.parked(redrive.tenant.as_ref(), after.as_deref()).await?;
        for key in &page {
            if sent == redrive.limit {
                return Ok(sent);
            }
            queue
                .send(failures.get(key).await?, std::time::Duration::ZERO)
                .await?;
            sent += 1;
        }
        after = match page.into_iter().next_back() {
            Some(last) => Some(last),
            None => return Ok(sent),
        };
    }
}
