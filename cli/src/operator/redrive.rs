//! `taxonomy redrive`: moves messages and records that failed on every attempt back to their queues.

mod given_up;

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_store::{FailureBucket, FailureKind, Queue, redrive as move_messages};

use crate::arguments::CommonArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, printable};
use crate::stack::Session;

/// Retry failed messages and records
///
/// Retries messages and records that failed on every attempt. Fix the cause first, or they fail again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy redrive uploads
  taxonomy redrive parked --tenant acme")]
pub(crate) struct Redrive {
    /// The messages or records
    #[arg(value_name = "KIND")]
    kind: FailedKind,
    /// The tenant of parked records [default: all]
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The maximum number of messages or records
    #[arg(long, value_name = "MESSAGES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    limit: u64,
    /// Begin behind this object of the failures bucket, which a run that reached its limit prints
    #[arg(long, value_name = "KEY")]
    after: Option<String>,
    #[command(flatten)]
    common: CommonArguments,
}

/// The kind of failed messages or records, named after the place that keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailedKind {
    /// Dead letters of uploads, sweeps and the retry queue
    Uploads,
    /// Dead letters of audits
    Audits,
    /// Dead letters of downloads
    Downloads,
    /// Dead letters of stream records that were deferred
    Deferred,
    /// Stream records that the aggregator parked in the failures bucket, where they stay
    Parked,
    /// Stream records that Lambda gave up into the failures bucket, where they stay
    GivenUp,
}

impl FailedKind {
    /// Returns the outputs that name the queue of dead letters and the one that they go back to; none for objects of the failures bucket.
    fn queues(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Uploads => Some(("DeadLettersUrl", "RetryQueueUrl")),
            Self::Audits => Some(("AuditDeadLettersUrl", "AuditQueueUrl")),
            Self::Downloads => Some(("DownloadDeadLettersUrl", "DownloadQueueUrl")),
            Self::Deferred => Some(("DeferredDeadLettersUrl", "DeferredQueueUrl")),
            Self::Parked | Self::GivenUp => None,
        }
    }
}

/// Moves dead letters back to their queue, or sends records again.
///
/// # Errors
/// [`Failure`] when a request to a queue or the bucket fails. Messages that were moved before stay moved.
pub(crate) async fn run(redrive: &Redrive) -> Result<Exit, Failure> {
    if redrive.tenant.is_some() && redrive.kind != FailedKind::Parked {
        return Err(Failure::usage("only parked records are kept by tenant"));
    }
    let queues = redrive.kind.queues();
    if redrive.after.is_some() && queues.is_some() {
        return Err(Failure::usage("only objects of the failures bucket have keys"));
    }
    let session = Session::open(&redrive.common.stack).await?;
    let moved = match queues {
        Some(queues) => dead_letters(&session, queues, redrive.limit).await?,
        None => records(&session, redrive).await?,
    };
    redrive
        .common
        .output
        .write(&moved, |out| tell(out, queues.is_some(), &moved))?;
    Ok(if moved.unusable == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The counts of one run.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Moved {
    sent: u64,
    /// Objects that are not in a known form and were not sent.
    unusable: u64,
    /// Whether the run ended at the limit.
    reached_limit: bool,
    /// The key of the last object read from the failures bucket; `--after` continues behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

fn tell(out: &mut dyn Write, is_queue: bool, moved: &Moved) -> io::Result<()> {
    if is_queue {
        writeln!(out, "{} moved.", counted(moved.sent, "message"))?;
    } else {
        let records = counted(moved.sent, "record");
        writeln!(out, "{records} sent to the deferred queue; the objects stay.")?;
    }
    match (&moved.last, moved.reached_limit) {
        (Some(last), true) => writeln!(
            out,
            "The limit is reached; `--after {}` continues.",
            printable(last)
        ),
        (None, true) => writeln!(out, "The limit is reached; the same command continues."),
        (_, false) => Ok(()),
    }
}

async fn dead_letters(session: &Session, (from, to): (&str, &str), limit: u64) -> Result<Moved, Failure> {
    let outputs = session.outputs().await?;
    let (from, to) = (outputs.required(from)?, outputs.required(to)?);
    let sent = move_messages(&session.sqs(), from, to, limit).await?;
    Ok(Moved {
        sent,
        reached_limit: sent == limit,
        ..Moved::default()
    })
}

/// Sends the records of the failures bucket to the deferred queue of the aggregator. An object in an unknown form is reported and does
/// not stop the run.
async fn records(session: &Session, redrive: &Redrive) -> Result<Moved, Failure> {
    let outputs = session.outputs().await?;
    let failures = FailureBucket::new(session.s3(), outputs.required("FailuresBucketName")?);
    let queue = Queue::new(session.sqs(), outputs.required("DeferredQueueUrl")?);
    let kept = match (redrive.kind, &redrive.tenant) {
        (FailedKind::GivenUp, _) => FailureKind::GivenUp,
        (_, Some(tenant)) => FailureKind::Parked(tenant),
        (_, None) => FailureKind::AllParked,
    };
    let mut moved = Moved {
        last: redrive.after.clone(),
        ..Moved::default()
    };
    loop {
        let page = failures.list(kept, moved.last.as_deref()).await?;
        if page.is_empty() {
            return Ok(moved);
        }
        for key in page {
            if moved.sent >= redrive.limit {
                moved.reached_limit = true;
                return Ok(moved);
            }
            match read(redrive.kind, &failures, &key).await {
                Ok(messages) => {
                    for message in messages {
                        queue.send(message, Duration::ZERO).await?;
                        moved.sent += 1;
                    }
                }
                Err(failure) if failure.is_about_content() => {
                    failure.report_of(&key);
                    moved.unusable += 1;
                }
                Err(failure) => return Err(failure),
            }
            moved.last = Some(key);
        }
    }
}

async fn read(kind: FailedKind, failures: &FailureBucket, key: &str) -> Result<Vec<String>, Failure> {
    let object = failures.get(key).await?;
    if kind == FailedKind::Parked {
        return Ok(vec![object]);
    }
    given_up::messages(&object)
        .map_err(|error| Failure::Stack(format!("it is not in the form that Lambda writes: {error}")))
}
