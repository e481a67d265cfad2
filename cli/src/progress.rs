//! Progress on a terminal: a line for each thing that is under way, on standard error. Elsewhere nothing is written.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(100);

/// All lines.
pub(crate) struct Progress {
    lines: MultiProgress,
}

/// A line, which vanishes when it is dropped.
pub(crate) struct Line {
    bar: ProgressBar,
}

impl Progress {
    /// No lines yet.
    pub(crate) fn new() -> Self {
        let target = if io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            lines: MultiProgress::with_draw_target(target),
        }
    }

    /// Adds a line.
    pub(crate) fn line(&self, name: &str) -> Line {
        let bar = self.lines.add(ProgressBar::new_spinner());
        // The template is a constant, and a bar without it is as good.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        if !bar.is_hidden() {
            bar.enable_steady_tick(FRAME);
        }
        Line { bar }
    }

    /// Removes all lines.
    pub(crate) fn clear(&self) {
        // A terminal that is gone needs no clearing.
        let _ = self.lines.clear();
    }
}

impl Line {
    /// Shows the step that is under way.
    pub(crate) fn say(&self, step: &str) {
        self.bar.set_message(step.to_owned());
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
