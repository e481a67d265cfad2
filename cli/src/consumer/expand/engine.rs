//! The loop of `taxonomy expand`: expands metrics, writes lines, flushes while the input is idle, and stops only between two lines.

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Fuse, poll_immediate};
use taxonomy_client::expander::{self, Expander, ExpanderSettings, Source, Statistics};
use tokio::io::AsyncWrite;

use super::error::Error;
use super::input::Input;
use super::output::Output;
use super::render::NamesField;
use crate::failure::Failure;

/// The time limit of the last write after an interruption, because the reader of the output may have stopped reading.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// The end of an expansion that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The input ended, and every line is written.
    Complete,
    /// The user stopped the expansion between two lines.
    Interrupted,
}

/// The result of an expansion.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: Result<End, Failure>,
    pub(super) statistics: Statistics,
}

/// Returns the limits that keep the process below 64 MB: two concurrent requests of at most 6 MB each, 12 MiB for the cache, and 4 MiB
/// each for the metrics read ahead, for the names of one metric, and for its line.
fn settings() -> ExpanderSettings {
    ExpanderSettings {
        concurrency: 2,
        cache_bytes: 12 << 20,
        read_ahead_bytes: 4 << 20,
        metric_bytes: 4 << 20,
        ..ExpanderSettings::default()
    }
}

/// Expands the input to the output until the input ends or `stop` completes. Writes every line before an error first.
pub(super) async fn expand<S, W>(
    source: &S,
    input: Input<'_>,
    output: W,
    into: &NamesField,
    stop: impl Future<Output = ()>,
    mut progress: impl FnMut(&Statistics),
) -> Ended
where
    S: Source,
    S::Error: Into<Failure> + Display,
    W: AsyncWrite + Unpin,
{
    let first_line = input.first_line();
    let mut expander = Expander::new(source, input, settings());
    let mut output = Output::new(output);
    let mut stop = pin!(stop.fuse());
    let pumped = pump(
        &mut expander,
        first_line,
        &mut output,
        into,
        stop.as_mut(),
        &mut progress,
    )
    .await;
    let statistics = *expander.statistics();
    let end = match pumped {
        Err(Failure::Write(error)) => Err(Failure::Write(error)),
        Ok(End::Interrupted) => last_write(&mut output).await,
        Ok(End::Complete) => {
            let end = expander.into_input().failure().map_or(Ok(End::Complete), Err);
            finish(&mut output, end, stop.as_mut()).await
        }
        Err(failure) => finish(&mut output, Err(failure), stop.as_mut()).await,
    };
    Ended { end, statistics }
}

async fn pump<S, W, P>(
    expander: &mut Expander<'_, S, Input<'_>, String>,
    first_line: u64,
    output: &mut Output<W>,
    into: &NamesField,
    mut stop: Pin<&mut Fuse<impl Future<Output = ()>>>,
    progress: &mut P,
) -> Result<End, Failure>
where
    S: Source,
    S::Error: Into<Failure> + Display,
    W: AsyncWrite + Unpin,
    P: FnMut(&Statistics),
{
    loop {
        let next = {
            let mut next = pin!(expander.next());
            match poll_immediate(next.as_mut()).await {
                Some(next) => next,
                None => {
                    if bounded(output.flush(), stop.as_mut()).await?.is_none() {
                        return Ok(End::Interrupted);
                    }
                    tokio::select! {
                        biased;
                        () = stop.as_mut() => return Ok(End::Interrupted),
                        next = next => next,
                    }
                }
            }
        };
        let Some(expanded) = next else {
            return Ok(End::Complete);
        };
        let line = first_line + expander.statistics().metrics;
        let expanded = expanded.map_err(|error| failure(error, line))?;
        let is_due = output.add(&expanded, into)?;
        if is_due && bounded(output.write(), stop.as_mut()).await?.is_none() {
            return Ok(End::Interrupted);
        }
        progress(expander.statistics());
    }
}

/// Awaits a write. Returns `None` if `stop` completes first.
async fn bounded(
    write: impl Future<Output = io::Result<()>>,
    stop: Pin<&mut Fuse<impl Future<Output = ()>>>,
) -> io::Result<Option<()>> {
    tokio::select! {
        biased;
        written = write => written.map(Some),
        () = stop => Ok(None),
    }
}

/// Writes the remaining lines, then returns `end`.
async fn finish<W: AsyncWrite + Unpin>(
    output: &mut Output<W>,
    end: Result<End, Failure>,
    stop: Pin<&mut Fuse<impl Future<Output = ()>>>,
) -> Result<End, Failure> {
    match bounded(output.flush(), stop).await? {
        Some(()) => end,
        None => last_write(output).await,
    }
}

/// Writes the remaining lines after an interruption, as far as the reader accepts them within [`LAST_WRITE`].
async fn last_write<W: AsyncWrite + Unpin>(output: &mut Output<W>) -> Result<End, Failure> {
    match tokio::time::timeout(LAST_WRITE, output.flush()).await {
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(())) | Err(_) => Ok(End::Interrupted),
    }
}

/// Returns the failure for an error in the metric of `line`.
fn failure<E: Into<Failure> + Display>(error: expander::Error<E>, line: u64) -> Failure {
    match error {
        expander::Error::Source(error) => error.into(),
        expander::Error::TooManyNames { limit } => Error::TooManyNames { line, limit }.into(),
        other => Error::Names(other.to_string()).into(),
    }
}
