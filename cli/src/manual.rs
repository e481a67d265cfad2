//! `taxonomy completions` and `taxonomy man`: files that clap generates from the arguments.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::commands::Arguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::Target;

/// Write the completion script of a shell
///
/// Writes a script that completes commands and arguments in a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy completions bash > ~/.local/share/bash-completion/completions/taxonomy
  taxonomy completions zsh > ~/.zfunc/_taxonomy")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Write the manual pages
///
/// Writes a manual page for each command into a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy man ~/.local/share/man/man1")]
pub(crate) struct ManualPages {
    /// The folder, made where it is not there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Writes the completion script of a shell to standard output.
///
/// # Errors
/// [`Failure`] when the output cannot be written.
pub(crate) fn completions(arguments: &Completions) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "taxonomy",
        &mut script,
    );
    io::Write::write_all(&mut io::stdout().lock(), &script)?;
    Ok(Exit::Done)
}

/// Writes `taxonomy.1`, `taxonomy-validate.1` and so on into the folder.
///
/// # Errors
/// [`Failure`] when a page cannot be written.
pub(crate) fn pages(arguments: &ManualPages) -> Result<Exit, Failure> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let folder = &arguments.folder;
    fs::create_dir_all(folder).map_err(|cause| Failure::WriteTo {
        path: folder.clone(),
        cause,
    })?;
    page(&command, folder)?;
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands.
fn page(command: &Command, folder: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        page(below, folder)?;
    }
    let manual = Man::new(command.clone());
    let target = Target::new(&folder.join(manual.get_filename()), [])?;
    target.written(|mut out| manual.render(&mut out))?.close()
}
