//! The command line `taxonomy`. Conventions: docs/decisions/0013-command-line.md.

mod arguments;
mod exit;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the command is registered with the connection to a stack"
    )
)]
mod expand;
mod failure;
mod file;
mod manual;
mod output;
mod place;
mod plan;
mod validate;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Completions(completions) => manual::completions(completions),
        Command::Man(man) => manual::pages(man),
        Command::Plan(plan) => plan::run(plan),
        Command::Validate(validate) => validate::run(validate),
    };
    let exit = done.unwrap_or_else(|failure| {
        failure.report();
        failure.exit()
    });
    exit.into()
}
