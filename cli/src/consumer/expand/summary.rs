//! The summary of an expansion and its progress line, on standard error.

use std::fmt;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};
use taxonomy_client::expander::Statistics;

use super::engine::WrittenLines;
use crate::output::{counted, grouped};

/// The summary of an expansion.
pub(super) struct Summary<'s> {
    pub(super) statistics: &'s Statistics,
    pub(super) written: WrittenLines,
    /// The lines that the output already held.
    pub(super) skipped: u64,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Statistics {
            metrics,
            ids,
            unknown,
            ..
        } = *self.statistics;
        let WrittenLines { no_ids, without_ids } = self.written;
        let unknown = unknown + no_ids;
        let requests = requests(self.statistics);
        let (metrics_text, ids) = (counted(metrics, "metric"), counted(ids, "id"));
        let (unknown, requests_text) = (counted(unknown, "unknown id"), counted(requests, "request"));
        write!(f, "{metrics_text}, {ids}, {unknown}, {requests_text}")?;
        if let Some(thousandths) = (requests * 1_000_000).checked_div(metrics) {
            let (whole, part) = (grouped(thousandths / 1000), thousandths % 1000);
            match part {
                0 => write!(f, " ({whole} per thousand metrics)")?,
                part => write!(f, " ({whole}.{part:03} per thousand metrics)")?,
            }
        }
        if without_ids > 0 {
            write!(f, ", {} without ids", counted(without_ids, "metric"))?;
        }
        if self.skipped > 0 {
            write!(f, ", resumed after {}", counted(self.skipped, "line"))?;
        }
        Ok(())
    }
}

fn requests(statistics: &Statistics) -> u64 {
    statistics.requests + statistics.version_requests
}

/// The progress line of an expansion.
pub(super) struct ExpandProgress(ProgressBar);

impl ExpandProgress {
    /// Creates a progress line; `is_shown` is false if the terminal already shows the output.
    pub(super) fn new(is_shown: bool) -> Self {
        // Indicatif hides it where standard error is no terminal.
        let target = if is_shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(indicatif::ProgressStyle::default_spinner());
        Self(bar)
    }

    pub(super) fn show(&self, statistics: &Statistics) {
        // Updated rarely: formatting a text for each metric would cost more than expanding it.
        let is_due = statistics.metrics.is_multiple_of(256) || self.0.elapsed() < Duration::from_secs(1);
        if is_due && !self.0.is_hidden() {
            let metrics = counted(statistics.metrics, "metric");
            self.0
                .set_message(format!("{metrics}, {}", counted(requests(statistics), "request")));
            self.0.tick();
        }
    }

    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
