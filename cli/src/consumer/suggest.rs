//! `taxonomy suggest`: finds categories and terms by what people type.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use taxonomy_client::answers::{NameKind, NodeKind, NothingFound, Suggestion, Suggestions};
use taxonomy_client::{Deprecated, PageRequest, SuggestRequest};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId};

use crate::arguments::{CommonArguments, id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{grouped, printable};
use crate::stack::Session;

/// Find categories and terms by a text
///
/// Searches names, alternative names, codes and ids, as a search field does: by the beginnings of words, through typos, without accents. The best
/// come first. Where nothing is found, says what would have matched.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy suggest 'back end dev' --tenant acme
  taxonomy suggest rust --tenant acme --culture fr-FR --category 1 --limit 50 --output json")]
pub(crate) struct Suggest {
    /// What a reader types
    #[arg(value_name = "TEXT")]
    text: String,
    /// The tenant
    #[arg(long, value_name = "TENANT")]
    tenant: TenantId,
    /// The culture of the reader [default: the tenant's]
    #[arg(long, value_name = "TAG")]
    culture: Option<Culture>,
    /// Search the names of every culture
    #[arg(long)]
    all_cultures: bool,
    /// Only categories, or only terms
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Only terms of this category
    #[arg(long, value_name = "ID")]
    category: Option<CategoryId>,
    /// Only terms below this term
    #[arg(long, value_name = "ID", value_parser = id, conflicts_with = "category")]
    below: Option<TermId>,
    /// Only so many levels below the category or the term
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u8).range(1..=32))]
    depth: Option<u8>,
    /// Only what has no name in this culture
    #[arg(long, value_name = "TAG")]
    missing: Option<Culture>,
    /// Whether deprecated terms are found
    #[arg(long, value_name = "HOW", default_value = "include")]
    deprecated: State,
    /// The maximum number of results
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=50))]
    limit: u16,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Category,
    Term,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Include,
    Exclude,
    Only,
}

/// Searches, and shows the first page.
///
/// # Errors
/// [`Failure`] when the request fails, or the category or term does not exist.
pub(crate) async fn run(suggest: &Suggest) -> Result<Exit, Failure> {
    let session = Session::open(&suggest.common.stack).await?;
    let tenant = session.api(&suggest.tenant).await?;
    let first = PageRequest {
        limit: Some(suggest.limit),
        cursor: None,
    };
    let found = tenant.suggest(&request(suggest), &first).await?;
    suggest
        .common
        .output
        .write(&found, |out| tell(out, suggest, &found))?;
    Ok(Exit::Done)
}

fn request(suggest: &Suggest) -> SuggestRequest {
    SuggestRequest {
        text: suggest.text.clone(),
        culture: suggest.culture.clone(),
        all_cultures: suggest.all_cultures,
        kind: suggest.kind.map(|kind| match kind {
            Kind::Category => NodeKind::Category,
            Kind::Term => NodeKind::Term,
        }),
        category: suggest.category,
        below: suggest.below,
        depth: suggest.depth,
        missing: suggest.missing.clone(),
        deprecated: match suggest.deprecated {
            State::Include => Deprecated::Include,
            State::Exclude => Deprecated::Exclude,
            State::Only => Deprecated::Only,
        },
        exact_total: false,
        facet_totals: false,
    }
}

fn tell(out: &mut dyn Write, suggest: &Suggest, found: &Suggestions) -> io::Result<()> {
    for item in &found.items {
        tell_item(out, item)?;
    }
    if let Some(nothing) = &found.nothing_found {
        return tell_nothing(out, &suggest.text, nothing);
    }
    let shown = found.items.len() as u64;
    if shown < found.total {
        let least = if found.total_is_minimum { "at least " } else { "" };
        writeln!(out, "{shown} of {least}{}", grouped(found.total))?;
    }
    Ok(())
}

fn tell_item(out: &mut dyn Write, item: &Suggestion) -> io::Result<()> {
    let (name, kind) = match item.kind {
        NodeKind::Category => (&item.name, "  (category)"),
        NodeKind::Term => (item.final_name.as_ref().unwrap_or(&item.name), ""),
    };
    let matched = &item.matched;
    let other = match matched.kind {
        NameKind::Name if matched.name == item.name => String::new(),
        NameKind::Name => format!("  ({}: {})", matched.culture, printable(&matched.name)),
        NameKind::AltName => format!("  (also called {})", printable(&matched.name)),
        NameKind::Notation => format!("  (code {})", printable(&matched.name)),
        NameKind::Id => String::new(),
    };
    let deprecated = if item.deprecated { "  (deprecated)" } else { "" };
    writeln!(
        out,
        "{:>8}  {}{kind}{other}{deprecated}",
        item.id,
        printable(name)
    )
}

fn tell_nothing(out: &mut dyn Write, text: &str, nothing: &NothingFound) -> io::Result<()> {
    let cultures: Vec<&str> = nothing.cultures.iter().map(Culture::as_str).collect();
    writeln!(
        out,
        "Nothing matches \"{}\" in {}.",
        printable(text),
        cultures.join(", ")
    )?;
    if nothing.in_any_state > 0 {
        writeln!(
            out,
            "With --deprecated include: {}.",
            matches(nothing.in_any_state)
        )?;
    }
    if nothing.unfiltered > 0 {
        writeln!(out, "Without filters: {}.", matches(nothing.unfiltered))?;
    }
    for other in &nothing.other_cultures {
        writeln!(out, "In {}: {}.", other.culture, matches(other.total))?;
    }
    for removed in &nothing.removed {
        let kind = match removed.kind {
            NodeKind::Category => "Category",
            NodeKind::Term => "Term",
        };
        let (id, version) = (removed.id, removed.removed_in);
        writeln!(
            out,
            "{kind} {id}, \"{}\", was removed by version {version}.",
            printable(&removed.name)
        )?;
    }
    Ok(())
}

fn matches(count: u64) -> String {
    let ending = if count == 1 { "" } else { "es" };
    format!("{} match{ending}", grouped(count))
}
