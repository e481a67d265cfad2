//! The commands, as clap parses them. The comments on them are the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::consumer::children::Children;
use crate::consumer::expand::Expand;
use crate::consumer::follow::Follow;
use crate::consumer::get::Get;
use crate::consumer::stats::Stats;
use crate::cost::Cost;
use crate::explore::Explore;
use crate::operator::audit::Audit;
use crate::operator::diff::Diff;
use crate::operator::export::Export;
use crate::operator::history::History;
use crate::operator::rebuild::Rebuild;
use crate::operator::redrive::Redrive;
use crate::operator::repair::Repair;
use crate::operator::rollback::Rollback;
use crate::operator::show::Show;
use crate::operator::tenant::Tenant;
use crate::operator::verify::Verify;
use crate::upstream::import::Import;
use crate::upstream::plan::Plan;
use crate::upstream::push::Push;
use crate::upstream::validate::Validate;

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
    Import(Import),
    Validate(Validate),
    Plan(Plan),
    Push(Push),
    Get(Get),
    Children(Children),
    Stats(Stats),
    Expand(Expand),
    Explore(Explore),
    Follow(Follow),
    History(History),
    Show(Show),
    Diff(Diff),
    Export(Export),
    Tenant(Tenant),
    Rollback(Rollback),
    Verify(Verify),
    Repair(Repair),
    Rebuild(Rebuild),
    Audit(Audit),
    Redrive(Redrive),
    Cost(Cost),
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
