//! `taxonomy completions` and `taxonomy man`: files that clap generates from the arguments.

use std::io;

use clap::CommandFactory as _;

use crate::commands::{Arguments, Completions, Man};
use crate::exit::Exit;
use crate::failure::Failure;

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
pub(crate) fn pages(arguments: &Man) -> Result<Exit, Failure> {
    let written = clap_mangen::generate_to(Arguments::command(), &arguments.folder);
    written.map_err(|cause| Failure::WriteTo {
        path: arguments.folder.clone(),
        cause,
    })?;
    Ok(Exit::Done)
}
