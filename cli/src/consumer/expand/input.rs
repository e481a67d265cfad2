//! The input as a stream of metrics. The stream ends at the first line that is not a metric.

use std::io;
use std::path::PathBuf;

use futures_util::stream::{LocalBoxStream, StreamExt as _, unfold};
use taxonomy_client::expander::Metric;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use super::metric::{self, Broken, FoundIds, MetricLine};
use super::path::FieldPath;
use super::render::NamesField;
use crate::failure::Failure;
use crate::output::printable;

/// The largest size of a line, in bytes.
const MAX_LINE: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The metrics of an input. A blank line is a metric without text and without ids.
pub(super) struct MetricInput<'a, R> {
    reader: R,
    /// The file as it was named.
    name: PathBuf,
    path: &'a FieldPath,
    into: &'a NamesField,
    /// The number of lines to skip, because the output already holds them.
    skipped: u64,
    /// The number of lines read.
    read: u64,
}

/// The metrics up to the first line that is none.
pub(super) type MetricStream<'a> = LocalBoxStream<'a, Metric<MetricLine>>;

impl<'a, R: AsyncBufRead + Unpin + 'a> MetricInput<'a, R> {
    pub(super) fn new(
        reader: R,
        name: PathBuf,
        path: &'a FieldPath,
        into: &'a NamesField,
        skipped: u64,
    ) -> Self {
        Self {
            reader,
            name,
            path,
            into,
            skipped,
            read: 0,
        }
    }

    /// Returns the number of the first line that becomes a metric.
    pub(super) fn first_line(&self) -> u64 {
        self.skipped + 1
    }

    /// Returns the metrics. `failure` gets the reason for which the input ends early, if it does.
    pub(super) fn metrics(self, failure: &'a mut Option<Failure>) -> MetricStream<'a> {
        let metrics = unfold((self, failure), async |(mut input, failure)| {
            match input.next().await {
                Ok(metric) => metric.map(|metric| (metric, (input, failure))),
                Err(error) => {
                    *failure = Some(error);
                    None
                }
            }
        });
        metrics.boxed_local()
    }

    async fn next(&mut self) -> Result<Option<Metric<MetricLine>>, Failure> {
        while let Some(line) = self.line().await.map_err(Failure::read(&self.name))? {
            self.read += 1;
            if line.len() > MAX_LINE {
                let reason = format!("a line has at most {MAX_LINE} bytes");
                return Err(self.refused_at(MAX_LINE + 1, &reason));
            }
            if self.read > self.skipped {
                return self.metric(line).map(Some);
            }
        }
        let (written, read) = (self.skipped, self.read);
        if read < written {
            return Err(Failure::Refused {
                message: format!(
                    "the output has {written} lines, but the input only {read}: it is not the output of this input"
                ),
                advice: None,
            });
        }
        Ok(None)
    }

    /// Reads a line without its line break, which the last line may lack. Of a longer line only one byte more than [`MAX_LINE`] is read,
    /// and no line after it can be read.
    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut bounded = (&mut self.reader).take(MAX_LINE as u64 + 1);
        if bounded.read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        // Editors of Windows write it.
        if self.read == 0 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(line))
    }

    fn metric(&self, bytes: Vec<u8>) -> Result<Metric<MetricLine>, Failure> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
            self.refused(&before, valid, "the line is not UTF-8")
        })?;
        let line = text.trim_ascii_end();
        if line.is_empty() {
            return Ok(Metric {
                value: MetricLine::default(),
                ids: Vec::new(),
                bytes: 0,
            });
        }
        let FoundIds { ids, no_ids } = metric::ids(line, self.path, self.into)
            .map_err(|Broken { offset, reason }| self.refused(line, offset, &reason))?;
        let text = line.to_owned();
        Ok(Metric {
            value: MetricLine { text, no_ids },
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
}
