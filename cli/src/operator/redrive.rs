//! `taxonomy redrive`: messages and records that failed on every try are tried again.

mod given_up;

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_store::{DeferredQueue, Failures, Kept, redrive as move_messages};

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, counted, document, printable, stdout};
use crate::stack::{Session, StackArguments};

/// Have failed messages and records be tried again
///
/// Has messages and records that failed on every try be tried again. Mend the cause first: what fails again comes back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy redrive uploads
  taxonomy redrive parked --tenant acme")]
pub(crate) struct Redrive {
    /// The messages or records
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The tenant of parked records [default: all]
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The most messages or records
    #[arg(long, value_name = "MESSAGES", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    limit: u64,
    /// Begin behind this object of the failures bucket, as a run that reached its limit says
    #[arg(long, value_name = "KEY")]
    after: Option<String>,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
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
    /// Dead letters of downloads
    Downloads,
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
    let is_queue = !matches!(redrive.kind, Kind::Parked | Kind::GivenUp);
    if redrive.after.is_some() && is_queue {
        return Err(Failure::Usage(
            "only objects of the failures bucket have keys".to_owned(),
        ));
    }
    let session = Session::open(&redrive.stack).await?;
    let moved = if is_queue {
        queue(&session, redrive).await?
    } else {
        records(&session, redrive).await?
    };
    match redrive.output {
        Output::Human => tell(&mut stdout(), is_queue, &moved)?,
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                moved: &moved,
            },
        )?,
    }
    Ok(if moved.unusable == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// Messages or records on their way again.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Moved {
    sent: u64,
    /// Objects that are not of a form that can be sent.
    unusable: u64,
    /// Whether the limit ended the run.
    reached_limit: bool,
    /// The last object of the failures bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    format_version: u32,
    #[serde(flatten)]
    moved: &'a Moved,
}

fn tell(out: &mut impl Write, is_queue: bool, moved: &Moved) -> io::Result<()> {
    if is_queue {
        writeln!(out, "{} moved.", counted(moved.sent, "message"))?;
    } else {
        let records = counted(moved.sent, "record");
        writeln!(out, "{records} sent to the deferred queue; the objects stay.")?;
    }
    match (&moved.last, moved.reached_limit) {
        (Some(last), true) => writeln!(
            out,
            "The limit is reached; `--after {}` goes on.",
            printable(last)
        ),
        (None, true) => writeln!(out, "The limit is reached; the same command goes on."),
        (_, false) => Ok(()),
    }
}

async fn queue(session: &Session, redrive: &Redrive) -> Result<Moved, Failure> {
    let outputs = session.outputs().await?;
    let (from, to) = match redrive.kind {
        Kind::Audits => ("AuditDeadLettersUrl", "AuditQueueUrl"),
        Kind::Downloads => ("DownloadDeadLettersUrl", "DownloadQueueUrl"),
        Kind::Deferred => ("DeferredDeadLettersUrl", "DeferredQueueUrl"),
        _ => ("DeadLettersUrl", "RetryQueueUrl"),
    };
    let (from, to) = (outputs.required(from)?, outputs.required(to)?);
    let sent = move_messages(&session.sqs(), from, to, redrive.limit).await?;
    Ok(Moved {
        sent,
        reached_limit: sent == redrive.limit,
        ..Moved::default()
    })
}

/// Sends the records of the failures bucket to the queue that the aggregator works off besides the stream. An object of another form is
/// named, and keeps none of the others.
async fn records(session: &Session, redrive: &Redrive) -> Result<Moved, Failure> {
    let outputs = session.outputs().await?;
    let failures = Failures::new(session.s3(), outputs.required("FailuresBucketName")?);
    let queue = DeferredQueue::new(session.sqs(), outputs.required("DeferredQueueUrl")?);
    let kept = match (redrive.kind, &redrive.tenant) {
        (Kind::GivenUp, _) => Kept::GivenUp,
        (_, Some(tenant)) => Kept::Parked(tenant),
        (_, None) => Kept::AllParked,
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

async fn read(kind: Kind, failures: &Failures, key: &str) -> Result<Vec<String>, Failure> {
    let object = failures.get(key).await?;
    if kind == Kind::Parked {
        return Ok(vec![object]);
    }
    given_up::messages(&object)
        .map_err(|error| Failure::Stack(format!("it is not of the form that Lambda writes: {error}")))
}
