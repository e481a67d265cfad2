//! The arguments of every command, as clap reads them. The comments here are the text of `--help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use taxonomy_keys::{Culture, Version};
use taxonomy_model::Defaults;

use crate::consumer::children::Children;
use crate::consumer::expand::Expand;
use crate::consumer::follow::Follow;
use crate::consumer::get::Get;
use crate::consumer::stats::Stats;
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

/// Validate files as the service does, without the service
///
/// Validates files by the code that the service validates uploads with. Reads plain and gzip files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy validate acme.json
  taxonomy validate --fail-on warning taxonomies/*.json
  taxonomy validate --output sarif acme.json > acme.sarif
  zcat acme.json.gz | taxonomy validate -")]
pub(crate) struct Validate {
    /// The files; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The configuration of the stack and the tenant.
    #[command(flatten)]
    pub(crate) configured: Configured,
    /// The least severity that makes the command end with 5
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    pub(crate) fail_on: FailOn,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) output: Form,
}

/// The configuration of the stack and the tenant that a file is read under.
#[derive(Debug, Args)]
pub(crate) struct Configured {
    /// The default culture where neither the file nor the tenant names one: the stack's parameter `DefaultCulture`
    #[arg(
        long,
        value_name = "TAG",
        default_value = "en-GB",
        env = "TAXONOMY_DEFAULT_CULTURE",
        hide_env_values = true
    )]
    pub(crate) default_culture: Culture,
    /// The default culture of the tenant, which overrides the file's
    #[arg(long, value_name = "TAG")]
    pub(crate) tenant_culture: Option<Culture>,
    /// The tenant's fallback chain, tried before the default culture
    #[arg(long, value_name = "TAG,..", value_delimiter = ',')]
    pub(crate) fallback: Vec<Culture>,
}

impl Configured {
    /// Returns the configuration in the validator's form.
    pub(crate) fn defaults(&self) -> Defaults {
        Defaults {
            tenant_culture: self.tenant_culture.clone(),
            stack_culture: self.default_culture.clone(),
            fallback_chain: self.fallback.clone(),
        }
    }
}

/// A form of the output of most commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For reading
    Human,
    /// One document, described in docs/decisions/0013-command-line.md
    Json,
}

/// The least severity that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
}

/// A form of the output of `validate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For reading, with the offending place
    Human,
    /// One document, described in docs/decisions/0013-command-line.md
    Json,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// Parses a version, of which the first is 1.
///
/// # Errors
/// A sentence for the person who typed it.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    let version = text.parse().ok().and_then(Version::new);
    version.ok_or_else(|| "versions count from 1".to_owned())
}
