//! `taxonomy show`: shows the tree of a version.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use serde_json::value::RawValue;
use taxonomy_collation::sibling_keys;
use taxonomy_keys::{Culture, TenantId, Version};
use taxonomy_model::{Siblings, Taxonomy, Term, snapshot};
use taxonomy_versioning::State;

use crate::arguments::{Output, SubjectTenant, version};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::history::VersionEntry;
use crate::output::{print_document, printable, stdout};
use crate::stack::{Session, StackArguments};
use crate::time;

/// Show the tree of a version
///
/// Shows the tree of a version: the newest, one by its number, or the one that was the newest at a time.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy show acme
  taxonomy show acme --version 3 --culture fr-FR
  taxonomy show acme --as-of 2026-01-31T12:00:00Z --output json")]
pub(crate) struct Show {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// The version [default: the newest]
    #[arg(long, value_name = "VERSION", value_parser = version, conflicts_with = "as_of")]
    version: Option<Version>,
    /// A time, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    as_of: Option<u64>,
    /// The culture of the names [default: that of the version]
    #[arg(long, value_name = "TAG")]
    culture: Option<Culture>,
    /// The form of the output; `json` holds the canonical snapshot, whose hash the version has
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownVersion {
    tenant: TenantId,
    version: VersionEntry,
    snapshot: Box<RawValue>,
}

/// Shows a version.
///
/// # Errors
/// [`Failure`] when the version does not exist or cannot be read.
pub(crate) async fn run(show: &Show) -> Result<Exit, Failure> {
    let session = Session::open(&show.stack).await?;
    let service = session.service().await?;
    let tenant = show.tenant.id()?;
    let state = match (show.version, show.as_of) {
        (Some(version), _) => Some(service.state(tenant, version).await?),
        (None, at) => service.state_at(tenant, at.unwrap_or(u64::MAX)).await?,
    };
    let Some(State { entry, taxonomy }) = state else {
        return Err(Failure::unable(
            format!("the tenant {tenant} had no version at that time"),
            format!("`taxonomy history {tenant}` lists the versions."),
        ));
    };
    match show.output {
        Output::Human => {
            let default = &taxonomy.settings().default_culture;
            tree(&mut stdout(), &taxonomy, show.culture.as_ref().unwrap_or(default))?;
        }
        Output::Json => {
            let mut text = Vec::new();
            snapshot::write(&taxonomy, &mut text)?;
            let snapshot: Box<RawValue> = serde_json::from_slice(&text).map_err(io::Error::from)?;
            let shown = ShownVersion {
                tenant: tenant.clone(),
                version: entry.into(),
                snapshot,
            };
            print_document(&shown)?;
        }
    }
    Ok(Exit::Done)
}

fn tree(out: &mut impl Write, taxonomy: &Taxonomy, culture: &Culture) -> io::Result<()> {
    let siblings = Siblings::new(taxonomy, &*sibling_keys(taxonomy, culture));
    for category in siblings.categories() {
        let name = category.node.best_name(culture).name;
        writeln!(out, "{} (category {})", printable(name), category.id())?;
        // An explicit stack instead of recursion. It is last in, first out, so the children are pushed in reverse order.
        let mut rest: Vec<Term<'_>> = siblings.top_terms(category.id()).iter().rev().copied().collect();
        while let Some(term) = rest.pop() {
            write_term(out, term, culture)?;
            rest.extend(siblings.children(term.id()).iter().rev());
        }
    }
    Ok(())
}

fn write_term(out: &mut impl Write, term: Term<'_>, culture: &Culture) -> io::Result<()> {
    let indent = usize::from(term.depth()) * 2;
    let deprecated = if term.node.details().deprecated {
        ", deprecated"
    } else {
        ""
    };
    let name = term.node.best_name(culture).name;
    writeln!(
        out,
        "{:indent$}{} ({}{deprecated})",
        "",
        printable(name),
        term.id()
    )
}
