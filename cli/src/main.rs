//! The command line `taxonomy`. docs/decisions/0013-command-line.md defines its conventions.

mod arguments;
mod blocking;
mod commands;
mod confirm;
mod consumer;
mod cost;
mod difference;
mod exit;
mod explore;
mod failure;
mod file;
mod manual;
mod members;
mod operator;
mod output;
mod progress;
mod provenance;
mod stack;
mod time;
mod upstream;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ContextKind;

use commands::{Arguments, Command};
use exit::Exit;
use failure::Failure;

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|mut error| {
        if let Some(tip) = commands::tip(&error) {
            error.insert(ContextKind::Suggested, tip);
        }
        error.exit()
    });
    let done = match run(&arguments.command) {
        Err(Failure::Invalid { file, output }) => upstream::plan::refuse(output, &file),
        done => done,
    };
    let exit = done.unwrap_or_else(|failure| {
        failure.report();
        failure.exit()
    });
    exit.into()
}

fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Completions(completions) => manual::completions(completions),
        Command::Man(man) => manual::pages(man),
        Command::Import(import) => upstream::import::run(import),
        Command::Validate(validate) => upstream::validate::run(validate),
        Command::Plan(plan) => wait(upstream::plan::run(plan)),
        Command::Push(push) => wait(upstream::push::run(push)),
        Command::Get(get) => wait(consumer::get::run(get)),
        Command::Children(children) => wait(consumer::children::run(children)),
        Command::Suggest(suggest) => wait(consumer::suggest::run(suggest)),
        Command::Gaps(gaps) => wait(consumer::gaps::run(gaps)),
        Command::Stats(stats) => wait(consumer::stats::run(stats)),
        // Without `wait`: the command handles Ctrl-C itself and stops between two lines.
        Command::Expand(expand) => block_on(consumer::expand::run(expand)),
        Command::Extract(extract) => wait(consumer::extract::run(extract)),
        Command::Explore(explore) => wait(explore::run(explore)),
        Command::Follow(follow) => wait(consumer::follow::run(follow)),
        Command::History(history) => wait(operator::history::run(history)),
        Command::Show(show) => wait(operator::show::run(show)),
        Command::Diff(diff) => wait(operator::diff::run(diff)),
        Command::Export(export) => wait(operator::export::run(export)),
        Command::Tenant(tenant) => wait(operator::tenant::run(tenant)),
        Command::Report(report) => wait(operator::report::run(report)),
        Command::Rollback(rollback) => wait(operator::rollback::run(rollback)),
        Command::Verify(verify) => wait(operator::verify::run(verify)),
        Command::Repair(repair) => wait(operator::repair::run(repair)),
        Command::Rebuild(rebuild) => wait(operator::rebuild::run(rebuild)),
        Command::Audit(audit) => wait(operator::audit::run(audit)),
        Command::Redrive(redrive) => wait(operator::redrive::run(redrive)),
        Command::Cost(cost) => cost::run(cost),
    }
}

/// Runs a command that sends requests to a stack, until it ends or the user interrupts it.
fn wait(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    block_on(async {
        tokio::select! {
            done = command => done,
            _ = tokio::signal::ctrl_c() => Err(Failure::Interrupted),
        }
    })
}

fn block_on(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let done = runtime.block_on(command);
    // Does not wait for a thread that may still read standard input.
    runtime.shutdown_background();
    done
}
