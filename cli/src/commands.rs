//! The commands, as clap parses them. The comments on them are the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::{consumer, cost, explore, operator, upstream};

/// Works with the taxonomies of the taxonomy service.
#[derive(Debug, Parser)]
#[command(name = "taxonomy", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 differences (with --detailed-exitcode), 4 not signed in, 5 refused, 130 interrupted.
Colours follow the terminal, NO_COLOR and CLICOLOR_FORCE.";

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Import(upstream::import::Import),
    Validate(upstream::validate::Validate),
    Plan(upstream::plan::Plan),
    Push(upstream::push::Push),
    Get(consumer::get::Get),
    Children(consumer::children::Children),
    Stats(consumer::stats::Stats),
    Expand(consumer::expand::Expand),
    Explore(explore::Explore),
    Follow(consumer::follow::Follow),
    History(operator::history::History),
    Show(operator::show::Show),
    Diff(operator::diff::Diff),
    Export(operator::export::Export),
    Tenant(operator::tenant::Tenant),
    Rollback(operator::rollback::Rollback),
    Verify(operator::verify::Verify),
    Repair(operator::repair::Repair),
    Rebuild(operator::rebuild::Rebuild),
    Audit(operator::audit::Audit),
    Redrive(operator::redrive::Redrive),
    Cost(cost::Cost),
    Completions(Completions),
    Man(Man),
}

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
    pub(crate) shell: Shell,
}

/// Write the manual pages
///
/// Writes a manual page for each command into a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The folder, which exists
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
