//! The commands, as clap parses them. The comments on them are the text of `--help`.

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::{consumer, cost, explore, manual, operator, upstream};

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
    Suggest(consumer::suggest::Suggest),
    Gaps(consumer::gaps::Gaps),
    Stats(consumer::stats::Stats),
    Expand(consumer::expand::Expand),
    Extract(consumer::extract::Extract),
    Explore(explore::Explore),
    Follow(consumer::follow::Follow),
    History(operator::history::History),
    Show(operator::show::Show),
    Diff(operator::diff::Diff),
    Export(operator::export::Export),
    Tenant(operator::tenant::Tenant),
    Report(operator::report::Report),
    Rollback(operator::rollback::Rollback),
    Verify(operator::verify::Verify),
    Repair(operator::repair::Repair),
    Rebuild(operator::rebuild::Rebuild),
    Audit(operator::audit::Audit),
    Redrive(operator::redrive::Redrive),
    Cost(cost::Cost),
    Completions(manual::Completions),
    Man(manual::ManualPages),
}

/// Returns the tip for a word that is no command, but one of the commands on tenants, such as `list`.
pub(crate) fn tip(error: &clap::Error) -> Option<ContextValue> {
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word,
        _ => return None,
    };
    let commands = Arguments::command();
    let tenant = commands.find_subcommand("tenant")?;
    let command = tenant.find_subcommand(word)?.get_name();
    let tip = format!("there is a command 'taxonomy tenant {command}'");
    Some(ContextValue::StyledStrs(vec![tip.into()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits every command that has no subcommands, with its names.
    fn visit(command: &clap::Command, names: &str, with: &mut impl FnMut(&str, &clap::Command)) {
        if !command.has_subcommands() {
            return with(names, command);
        }
        for below in command.get_subcommands() {
            visit(below, &format!("{names} {}", below.get_name()), with);
        }
    }

    #[test]
    fn every_command_on_a_tenant_takes_it_by_its_name() {
        let mut without = Vec::new();
        visit(&Arguments::command(), "", &mut |names, command| {
            let longs: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
            let has = |long| longs.contains(&long);
            if has("stack") && !has("tenant") {
                without.push(names.trim().to_owned());
            }
        });
        assert_eq!(without, ["tenant list"]);
    }

    #[test]
    fn a_tenant_is_named_once() {
        let parses = |line: &str| {
            let words = ["taxonomy"].into_iter().chain(line.split(' '));
            Arguments::try_parse_from(words).is_ok()
        };
        for line in [
            "history acme",
            "history --tenant acme",
            "rollback acme 6",
            "rollback 6 --tenant acme",
            "tenant show --tenant acme",
            "tenant set acme --no-fallback",
            "audit acme globex",
            "audit --tenant acme --tenant globex",
            "get 1 2 --tenant acme",
            "children --tenant acme",
            "expand --tenant acme metrics.ndjson",
        ] {
            assert!(parses(line), "{line}");
        }
        for line in [
            "history",
            "history acme --tenant acme",
            "rollback 6",
            "rollback acme",
            "tenant show",
            "audit",
            "get acme 1",
            "get 1",
            "expand metrics.ndjson",
        ] {
            assert!(!parses(line), "{line}");
        }
    }
}
