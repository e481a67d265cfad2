//! Asks for confirmation before a command destroys something. Without a terminal, only `--yes` confirms.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use clap::Args;

use crate::blocking;
use crate::failure::Failure;

/// The arguments of commands that need a confirmation.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Confirmation {
    /// Skip the confirmation
    #[arg(long)]
    yes: bool,
}

impl Confirmation {
    /// Writes what will be done to standard error, and prompts for `yes` unless `--yes` was passed.
    ///
    /// # Errors
    /// [`Failure::Unable`] for every other input, and without a terminal.
    pub(crate) async fn ask(self, will: String) -> Result<(), Failure> {
        blocking::run(move || self.ask_and_wait(&will)).await
    }

    fn ask_and_wait(self, will: &str) -> Result<(), Failure> {
        // Not locked: the handler of an interruption writes to standard error while this thread waits for input.
        let mut stderr = io::stderr();
        writeln!(stderr, "{will}")?;
        if self.yes {
            return Ok(());
        }
        if !io::stdin().is_terminal() {
            return Err(Failure::unable(
                "there is no terminal for the confirmation, and nothing was done",
                "Pass `--yes` to skip the confirmation.",
            ));
        }
        write!(stderr, "Type `yes` to continue: ")?;
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
