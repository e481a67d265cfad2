//! From the input to the output: expands, writes, flushes while the input is idle, and stops between two lines.

use std::fmt::Display;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Fuse, poll_immediate};
use taxonomy_client::expander::{self, Expander, Settings, Source, Statistics};
use tokio::io::{AsyncBufRead, AsyncWrite};

use super::error::Error;
use super::input::Input;
use super::output::Output;
use super::render::NamesField;
use crate::failure::Failure;

/// The time that a write has left when the command is interrupted: its reader may never read again.
const LAST_WRITE: Duration = Duration::from_secs(1);

/// How an expansion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Every line was written.
    Complete,
    /// It was stopped between two lines.
    Interrupted,
}

/// An expansion that ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: Result<End, Failure>,
    pub(super) statistics: Statistics,
}

/// An answer may have 6 MB, so two requests at once leave room for all else in 64 MB: 12 MiB for the cache, 4 MiB each for the metrics read
/// ahead, for the names of one metric, and for its line.
fn settings() -> Settings {
    Settings {
        concurrency: 2,
        cache_bytes: 12 << 20,
        read_ahead_bytes: 4 << 20,
        metric_bytes: 4 << 20,
        ..Settings::default()
    }
}

/// Expands the input to the output until the input ends or `stop` does. Every metric before an error is written first.
pub(super) async fn expand<S, R, W>(
    source: &S,
    input: Input<'_, R>,
    output: W,
    into: &NamesField,
    stop: impl Future<Output = ()>,
    mut progress: impl FnMut(&Statistics),
) -> Ended
where
    S: Source,
    S::Error: Into<Failure> + Display,
    R: AsyncBufRead + Unpin,
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

async fn pump<S, R, W, P>(
    expander: &mut Expander<'_, S, Input<'_, R>, String>,
    first_line: u64,
    output: &mut Output<W>,
    into: &NamesField,
    mut stop: Pin<&mut Fuse<impl Future<Output = ()>>>,
    progress: &mut P,
) -> Result<End, Failure>
where
    S: Source,
    S::Error: Into<Failure> + Display,
    R: AsyncBufRead + Unpin,
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

/// Awaits a write. Returns `None` where `stop` ended first.
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

/// Writes the lines before the end.
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

/// Writes the lines before an interruption, as far as the reader takes them in time.
async fn last_write<W: AsyncWrite + Unpin>(output: &mut Output<W>) -> Result<End, Failure> {
    match tokio::time::timeout(LAST_WRITE, output.flush()).await {
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(())) | Err(_) => Ok(End::Interrupted),
    }
}

/// The failure of the metric of a line.
fn failure<E: Into<Failure> + Display>(error: expander::Error<E>, line: u64) -> Failure {
    match error {
        expander::Error::Source(error) => error.into(),
        expander::Error::TooManyNames { limit } => Error::TooManyNames { line, limit }.into(),
        other => Error::Names(other.to_string()).into(),
    }
}
