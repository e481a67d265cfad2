//! The input as a stream of metrics. The stream ends at the first line that is not a metric.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::stream::{LocalBoxStream, Stream, StreamExt as _};
use taxonomy_client::expander::Metric;
use tokio::io::AsyncBufRead;

use super::lines::{MAX_LINE, lines};
use super::metric::{self, Broken};
use super::path::FieldPath;
use super::render::NamesField;
use crate::failure::Failure;
use crate::output::printable;

/// The metrics of an input. A blank line is a metric without text and without ids.
pub(super) struct MetricInput<'a> {
    lines: LocalBoxStream<'a, io::Result<Vec<u8>>>,
    /// The file as it was named.
    name: PathBuf,
    path: &'a FieldPath,
    into: &'a NamesField,
    /// The number of lines to skip, because the output already holds them.
    skipped: u64,
    /// The number of lines read.
    read: u64,
    failure: Option<Failure>,
}

impl<'a> MetricInput<'a> {
    pub(super) fn new(
        reader: impl AsyncBufRead + Unpin + 'a,
        name: PathBuf,
        path: &'a FieldPath,
        into: &'a NamesField,
        skipped: u64,
    ) -> Self {
        Self {
            lines: lines(reader).boxed_local(),
            name,
            path,
            into,
            skipped,
            read: 0,
            failure: None,
        }
    }

    /// Returns the number of the first line that becomes a metric.
    pub(super) fn first_line(&self) -> u64 {
        self.skipped + 1
    }

    /// Returns why the input ended early, if it did.
    pub(super) fn failure(self) -> Option<Failure> {
        self.failure
    }

    fn metric(&self, bytes: Vec<u8>) -> Result<Metric<String>, Failure> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
            self.refused(&before, valid, "the line is not UTF-8")
        })?;
        let line = text.trim_ascii_end();
        if line.is_empty() {
            return Ok(Metric {
                value: String::new(),
                ids: Vec::new(),
                bytes: 0,
            });
        }
        let ids = metric::ids(line, self.path, self.into)
            .map_err(|Broken { offset, reason }| self.refused(line, offset, &reason))?;
        Ok(Metric {
            value: line.to_owned(),
            ids,
            bytes: line.len(),
        })
    }

    fn refused(&self, line: &str, offset: usize, reason: &str) -> Failure {
        let before = line.get(..line.floor_char_boundary(offset)).unwrap_or_default();
        self.refused_at(before.chars().count() + 1, reason)
    }

    /// The refusal of the line that was read last, at a character that counts from 1.
    fn refused_at(&self, column: usize, reason: &str) -> Failure {
        let (line, reason) = (self.read, printable(reason));
        Failure::Refused {
            message: format!("line {line}, column {column}: {reason}"),
            advice: None,
        }
    }

    fn end(&mut self) -> Option<Failure> {
        let (written, read) = (self.skipped, self.read);
        (read < written).then(|| Failure::Refused {
            message: format!(
                "the output has {written} lines, but the input only {read}: it is not the output of this input"
            ),
            advice: None,
        })
    }
}

impl Stream for MetricInput<'_> {
    type Item = Metric<String>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let failure = loop {
            let Some(line) = ready!(self.lines.poll_next_unpin(context)) else {
                break self.end();
            };
            self.read += 1;
            let metric = match line {
                Ok(bytes) if bytes.len() > MAX_LINE => {
                    let reason = format!("a line has at most {MAX_LINE} bytes");
                    Err(self.refused_at(MAX_LINE + 1, &reason))
                }
                Ok(_) if self.read <= self.skipped => continue,
                Ok(bytes) => self.metric(bytes),
                Err(cause) => Err(Failure::read(&self.name)(cause)),
            };
            match metric {
                Ok(metric) => return Poll::Ready(Some(metric)),
                Err(failure) => break Some(failure),
            }
        };
        self.failure = failure;
        Poll::Ready(None)
    }
}
