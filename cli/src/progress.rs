//! Progress lines on standard error, one for each running step. Nothing is written unless standard error is a terminal.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// The time between two frames of the spinner.
const FRAME: Duration = Duration::from_millis(100);

/// All progress lines of a command. Indicatif hides them where standard error is no terminal.
#[derive(Default)]
pub(crate) struct Progress(MultiProgress);

/// A progress line, removed when it is dropped.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
}

impl Progress {
    /// Adds a line.
    pub(crate) fn line(&self, name: &str) -> ProgressLine {
        let bar = self.0.add(ProgressBar::new_spinner());
        // The template is a constant; if it were invalid, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        if !bar.is_hidden() {
            bar.enable_steady_tick(FRAME);
        }
        ProgressLine { bar }
    }

    /// Removes all lines.
    pub(crate) fn clear(&self) {
        // Errors are ignored: a terminal that is gone needs no clearing.
        let _ = self.0.clear();
    }
}

impl ProgressLine {
    /// Shows the current step.
    pub(crate) fn say(&self, step: &str) {
        self.bar.set_message(step.to_owned());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
