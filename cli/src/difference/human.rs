//! The human form of a difference: a line for each operation, the first of each kind, and the totals.

use std::borrow::Cow;
use std::io::{self, Write};

use anstyle::Style;
use taxonomy_model::operations::{Action, Operation};
use taxonomy_model::{NodeId, appearance};

use super::TaxonomyDifference;
use crate::output::{GREEN, RED, YELLOW, counted, escaped, grouped, printable};

/// The number of operations of each kind that are shown without `--full`.
const SHOWN: usize = 10;

/// Writes the human form: the first operations of each kind, or all of them if `is_full`.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write(out: &mut dyn Write, difference: &TaxonomyDifference, is_full: bool) -> io::Result<()> {
    let operations = &difference.operations;
    if operations.is_empty() {
        return writeln!(out, "Nothing changes.");
    }
    for kind in operations.chunk_by(|a, b| verb(&a.action) == verb(&b.action)) {
        // Paths follow from names, so the many operations on paths carry little information.
        if !is_full && matches!(kind[0].action, Action::ChangePath { .. }) {
            let paths = counted(kind.len() as u64, "path");
            writeln!(out, "{YELLOW}~ path     {YELLOW:#} {paths}, which --full shows")?;
            continue;
        }
        let shown = if is_full {
            kind.len()
        } else {
            SHOWN.min(kind.len())
        };
        for operation in &kind[..shown] {
            let (sign, style) = sign(&operation.action);
            let verb = verb(&operation.action);
            let described = described(operation);
            writeln!(out, "{style}{sign} {verb:<9}{style:#} {}", printable(&described))?;
        }
        if shown < kind.len() {
            writeln!(
                out,
                "            and {} more",
                grouped((kind.len() - shown) as u64)
            )?;
        }
    }
    totals(out, difference)
}

fn totals(out: &mut dyn Write, difference: &TaxonomyDifference) -> io::Result<()> {
    let terms = &difference.terms;
    writeln!(
        out,
        "\nTerms: {} added, {} changed ({} renamed, {} moved, {} deprecated, {} reinstated), {} removed.",
        grouped(terms.added),
        grouped(terms.changed),
        grouped(terms.renamed),
        grouped(terms.moved),
        grouped(terms.deprecated),
        grouped(terms.reinstated),
        grouped(terms.removed),
    )?;
    let names = difference.changed_final_names;
    let have = if names == 1 { "gets" } else { "get" };
    writeln!(out, "{} {have} another FinalName.", counted(names, "term"))?;
    let writes = &difference.writes;
    writeln!(
        out,
        "Writes: {} and {}, {}.",
        counted(writes.items, "item"),
        counted(writes.tombstones, "tombstone"),
        counted(writes.units, "write unit"),
    )?;
    if difference.exceeds_removal_limit {
        let removed = counted(terms.removed, "term");
        writeln!(
            out,
            "{RED}The service would refuse to remove {removed}{RED:#}, unless they are pushed with `--allow-removals`."
        )?;
    }
    Ok(())
}

fn sign(action: &Action) -> (char, Style) {
    match action {
        Action::Add { .. } | Action::Reinstate => ('+', GREEN),
        Action::Remove { .. } | Action::Deprecate => ('-', RED),
        _ => ('~', YELLOW),
    }
}

fn verb(action: &Action) -> &'static str {
    match action {
        Action::Configure { .. } => "configure",
        Action::Add { .. } => "add",
        Action::Rename { .. } => "rename",
        Action::ChangePath { .. } => "path",
        Action::Change { .. } => "change",
        Action::Move { .. } => "move",
        Action::Reinstate => "reinstate",
        Action::Deprecate => "deprecate",
        Action::Remove { .. } => "remove",
    }
}

fn described(operation: &Operation) -> String {
    let node = match operation.node {
        Some(NodeId::Category(id)) => format!("{} (category {id})", operation.name),
        Some(NodeId::Term(id)) => format!("{} ({id})", operation.name),
        None => String::new(),
    };
    match &operation.action {
        Action::Configure {
            default_culture,
            fallback_chain,
        } => match fallback_chain.as_slice() {
            [] => format!("default culture {default_culture}"),
            chain => format!("default culture {default_culture}, fallback {}", chain.join(", ")),
        },
        Action::Add { terms } | Action::Remove { terms } => node + &below(*terms),
        Action::Rename { culture, from, to } | Action::ChangePath { culture, from, to } => {
            let texts = [from.as_deref(), to.as_deref()];
            let [from, to] = match texts.map(|text| text.map(appearance)) {
                // They look alike, so all that they could differ in is escaped.
                [from, to] if from == to => {
                    texts.map(|text| text.map(|text| escaped(text, |c| !c.is_ascii())))
                }
                _ => texts.map(|text| text.map(Into::into)),
            };
            format!("{node} [{culture}]: {} -> {}", text(from), text(to))
        }
        Action::Change { field } => format!("{node}: {field}"),
        Action::Move { from, to, terms } => {
            format!("{node}{}: from {} to {}", below(*terms), from.name, to.name)
        }
        Action::Reinstate | Action::Deprecate => node,
    }
}

fn below(terms: u64) -> String {
    match terms {
        0 => String::new(),
        terms => format!(" and {} below", counted(terms, "term")),
    }
}

fn text(text: Option<Cow<'_, str>>) -> String {
    text.map_or_else(|| "nothing".to_owned(), |text| format!("\"{text}\""))
}
