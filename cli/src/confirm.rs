//! Asks before something is destroyed. Where there is no terminal, only `--yes` answers.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use clap::Args;

use crate::blocking;
use crate::failure::Failure;

/// The answer that is given in advance.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Confirmation {
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

impl Confirmation {
    /// Says what will be done, and asks for a `yes` unless it was given in advance.
    ///
    /// # Errors
    /// [`Failure::Unable`] for every other answer, and where there is no terminal to ask on.
    pub(crate) async fn ask(self, will: String) -> Result<(), Failure> {
        blocking::run(move || self.ask_and_wait(&will)).await
    }

    fn ask_and_wait(self, will: &str) -> Result<(), Failure> {
        // Never locked: an interruption reports to it while this thread waits for an answer.
        let mut stderr = io::stderr();
        writeln!(stderr, "{will}")?;
        if self.yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() {
            return Err(Failure::unable(
                "there is no terminal to ask on, and nothing was done",
                "Pass `--yes` to do it without asking.",
            ));
        }
        write!(stderr, "Type `yes` to go on: ")?;
        stderr.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        if answer.trim() == "yes" {
            Ok(())
        } else {
            Err(Failure::Unable {
                message: "nothing was done".to_owned(),
                advice: None,
            })
        }
    }
}
