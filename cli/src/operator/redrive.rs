//! `taxonomy redrive`: messages and records that failed on every try are tried again.

mod given_up;

use std::io::Write as _;
use std::time::Duration;

use clap::{Args, ValueEnum};
use taxonomy_keys::TenantId;
use taxonomy_store::{DeferredQueue, Failures, Kept, redrive as move_messages};

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
    /// Stream records that Lambda gave up into the failures bucket, where they stay
    GivenUp,
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
        Kind::Parked | Kind::GivenUp => {
            let sent = records(&session, redrive).await?;
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

/// Sends the records of the failures bucket to the queue that the aggregator works off besides the stream.
async fn records(session: &Session, redrive: &Redrive) -> Result<u64, Failure> {
    let outputs = session.outputs().await?;
    let failures = Failures::new(session.s3(), outputs.required("FailuresBucketName")?);
    let queue = DeferredQueue::new(session.sqs(), outputs.required("DeferredQueueUrl")?);
    let kept = match (redrive.kind, &redrive.tenant) {
        (Kind::GivenUp, _) => Kept::GivenUp,
        (_, Some(tenant)) => Kept::Parked(tenant),
        (_, None) => Kept::AllParked,
    };
    let (mut sent, mut after) = (0, None);
    loop {
        let page = failures.list(kept, after.as_deref()).await?;
        for key in &page {
            for message in messages(redrive.kind, key, failures.get(key).await?)? {
                if sent == redrive.limit {
                    return Ok(sent);
                }
                queue.send(message, Duration::ZERO).await?;
                sent += 1;
            }
        }
        after = match page.into_iter().next_back() {
            Some(last) => Some(last),
            None => return Ok(sent),
        };
    }
}

fn messages(kind: Kind, key: &str, object: String) -> Result<Vec<String>, Failure> {
    if kind == Kind::Parked {
        return Ok(vec![object]);
    }
    given_up::messages(&object)
        .map_err(|error| Failure::Stack(format!("{key} is not of the form that Lambda writes: {error}")))
}
