//! The loop of `taxonomy expand`: expands metrics, writes lines, flushes while the input is idle, and stops only between two lines.

use std::fmt::Display;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::poll_immediate;
use taxonomy_client::expander::{self, Expanded, Expander, ExpanderSettings, Source, Statistics};
use tokio::io::{AsyncBufRead, AsyncWrite};

use super::input::{MetricInput, MetricStream};
use super::metric::MetricLine;
use super::output::ExpandedLines;
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
    pub(super) written: WrittenLines,
}

/// What the lines that were written had beside ids of terms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WrittenLines {
    /// Numbers and texts that are no ids.
    pub(super) no_ids: u64,
    /// Metrics without any id.
    pub(super) without_ids: u64,
}

impl WrittenLines {
    fn count(&mut self, expanded: &Expanded<MetricLine>) {
        let MetricLine { text, no_ids } = &expanded.value;
        self.no_ids += no_ids.len() as u64;
        let has_ids = expanded.version.is_some() || !no_ids.is_empty();
        self.without_ids += u64::from(!has_ids && !text.is_empty());
    }
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
    input: MetricInput<'_, impl AsyncBufRead + Unpin>,
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
    let mut input_failure = None;
    let mut expander = Expander::new(source, input.metrics(&mut input_failure), settings());
    let mut output = ExpandedLines::new(output);
    let mut lines = WrittenLines::default();
    let progress = |statistics: &_, expanded: &_| {
        lines.count(expanded);
        progress(statistics);
    };
    let written = tokio::select! {
        // First, while the task may still poll: metrics that come without a pause use that up.
        biased;
        () = stop => None,
        written = write_lines(&mut expander, first_line, &mut output, into, progress) => Some(written),
    };
    let statistics = *expander.statistics();
    drop(expander);
    let end = match written {
        Some(Ok(())) => input_failure.map_or(Ok(End::Complete), Err),
        Some(Err(failure)) => Err(failure),
        None => last_write(&mut output).await,
    };
    Ended {
        end,
        statistics,
        written: lines,
    }
}

/// Writes a line for each metric, also those before an error, and flushes while the input is idle. Where this is dropped, the output
/// keeps the lines that are not written yet.
async fn write_lines<S, W>(
    expander: &mut Expander<'_, S, MetricStream<'_>, MetricLine>,
    first_line: u64,
    output: &mut ExpandedLines<W>,
    into: &NamesField,
    mut written: impl FnMut(&Statistics, &Expanded<MetricLine>),
) -> Result<(), Failure>
where
    S: Source,
    S::Error: Into<Failure> + Display,
    W: AsyncWrite + Unpin,
{
    let end = loop {
        let next = {
            let mut next = pin!(expander.next());
            match poll_immediate(next.as_mut()).await {
                Some(next) => next,
                None => {
                    output.flush().await?;
                    next.await
                }
            }
        };
        match next {
            None => break Ok(()),
            Some(Err(error)) => break Err(error),
            Some(Ok(expanded)) => {
                let is_full = output.add(&expanded, into)?;
                written(expander.statistics(), &expanded);
                if is_full {
                    output.write().await?;
                }
            }
        }
    };
    output.flush().await?;
    end.map_err(|error| failure(error, first_line + expander.statistics().metrics))
}

/// Writes the remaining lines after an interruption, as far as the reader accepts them within [`LAST_WRITE`].
async fn last_write<W: AsyncWrite + Unpin>(output: &mut ExpandedLines<W>) -> Result<End, Failure> {
    match tokio::time::timeout(LAST_WRITE, output.flush()).await {
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(())) | Err(_) => Ok(End::Interrupted),
    }
}

/// Returns the failure for an error in the metric of `line`.
fn failure<E: Into<Failure> + Display>(error: expander::Error<E>, line: u64) -> Failure {
    match error {
        expander::Error::Source(error) => error.into(),
        expander::Error::TooManyNames { limit } => Failure::Refused {
            message: format!("line {line}: the names of its terms take more than {limit} bytes"),
            advice: None,
        },
        other => Failure::Unable {
            message: other.to_string(),
            advice: None,
        },
    }
}
