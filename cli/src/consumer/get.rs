//! `taxonomy get`: shows terms with all their ancestors, or categories.

use std::io::{self, Write};

use clap::Args;
use taxonomy_client::answers::{BatchItem, Category, CultureName, Term};
use taxonomy_client::{ClientError, MAX_IDS, Tenant};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId};

use crate::arguments::{CommonArguments, id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ListedItems, printable};
use crate::stack::Session;

/// Get terms with all their ancestors, or categories
///
/// Gets terms with their FinalNames and those of all their ancestors, or categories.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy get 113 --tenant acme
  taxonomy get 113 204 --tenant acme --culture fr-FR --output json
  taxonomy get 1 --tenant acme --category
  taxonomy get 113 --tenant acme --all-names
  taxonomy get 113 --tenant acme --related

Ends with 1 where an id is unknown; the others are shown.")]
pub(crate) struct Get {
    /// The tenant
    #[arg(long, value_name = "TENANT")]
    tenant: TenantId,
    /// The ids
    #[arg(value_name = "ID", required = true, num_args = 1..=10_000, value_parser = id)]
    ids: Vec<TermId>,
    /// The ids are those of categories
    #[arg(long)]
    category: bool,
    /// The culture of the names [default: the tenant's]
    #[arg(long, value_name = "TAG")]
    culture: Option<Culture>,
    /// Show the names in every culture as well
    #[arg(long)]
    all_names: bool,
    /// Show what the terms are related to as well, further parents among them
    #[arg(long, conflicts_with = "category")]
    related: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Gets terms or categories.
///
/// # Errors
/// [`Failure`] when a request fails, or an id is unknown.
pub(crate) async fn run(get: &Get) -> Result<Exit, Failure> {
    let session = Session::open(&get.common.stack).await?;
    let tenant = session.api(&get.tenant).await?;
    let tenant = match get.all_names {
        true => tenant.with_all_names(),
        false => tenant,
    };
    if get.category {
        categories(get, &tenant).await
    } else if get.related {
        related(get, &tenant.with_related()).await
    } else {
        terms(get, &tenant).await
    }
}

async fn terms(get: &Get, tenant: &Tenant) -> Result<Exit, Failure> {
    let mut items: Vec<BatchItem> = Vec::with_capacity(get.ids.len());
    for ids in get.ids.chunks(MAX_IDS) {
        items.extend(tenant.terms(ids, get.culture.as_ref()).await?.items);
    }
    let missing = items.iter().filter(|item| item.term.is_none());
    let unknown: Vec<String> = missing.map(|item| item.id.to_string()).collect();
    get.common.output.write(&ListedItems { items: &items }, |out| {
        let mut terms = items.iter().filter_map(|item| item.term.as_ref());
        terms.try_for_each(|term| write_term(out, term))
    })?;
    all_known(get, "term", &unknown)
}

async fn related(get: &Get, tenant: &Tenant) -> Result<Exit, Failure> {
    let mut items: Vec<Term> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for id in &get.ids {
        match tenant.term(*id, get.culture.as_ref()).await {
            Ok(term) => items.push(term),
            Err(error) if is_unknown(&error, "term-not-found") => unknown.push(id.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    get.common.output.write(&ListedItems { items: &items }, |out| {
        items.iter().try_for_each(|term| {
            write_term(out, term)?;
            write_related(out, term)
        })
    })?;
    all_known(get, "term", &unknown)
}

fn is_unknown(error: &ClientError, code: &str) -> bool {
    error.problem().is_some_and(|problem| problem.code() == code)
}

async fn categories(get: &Get, tenant: &Tenant) -> Result<Exit, Failure> {
    let mut items: Vec<Category> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for id in &get.ids {
        let id = CategoryId::try_from(id.get()).map_err(|error| Failure::Usage(error.to_string()))?;
        match tenant.category(id, get.culture.as_ref()).await {
            Ok(category) => items.push(category),
            Err(error) if is_unknown(&error, "category-not-found") => unknown.push(id.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    get.common.output.write(&ListedItems { items: &items }, |out| {
        for category in &items {
            let state = state(category.deprecated, category.removed);
            write_line(out, &category.id.to_string(), &category.name, state)?;
            write_names(out, category.names.as_deref())?;
        }
        Ok(())
    })?;
    all_known(get, "category", &unknown)
}

/// Returns the exit code; fails if `unknown` is not empty.
fn all_known(get: &Get, what: &str, unknown: &[String]) -> Result<Exit, Failure> {
    if unknown.is_empty() {
        return Ok(Exit::Done);
    }
    let tenant = &get.tenant;
    Err(Failure::unable(
        format!("the tenant {tenant} has no {what} {}", unknown.join(", ")),
        format!("`taxonomy show {tenant}` shows the tree with all ids."),
    ))
}

fn write_term(out: &mut dyn Write, term: &Term) -> io::Result<()> {
    let state = state(term.deprecated, term.removed);
    write_line(out, &term.id.to_string(), &term.final_name, state)?;
    write_names(out, term.names.as_deref())?;
    for ancestor in &term.ancestors {
        write_line(out, &ancestor.id.to_string(), &ancestor.final_name, "")?;
    }
    Ok(())
}

fn write_related(out: &mut dyn Write, term: &Term) -> io::Result<()> {
    for node in term.related.iter().flatten() {
        let name = node.final_name.as_ref().unwrap_or(&node.name);
        let (relation, id) = (printable(node.relation.as_str()), node.id);
        writeln!(
            out,
            "{relation:>14}  {id}  {}{}",
            printable(name),
            state(node.deprecated, false)
        )?;
    }
    if term.related_truncated {
        writeln!(out, "{:>14}  further ones are left out", "")?;
    }
    Ok(())
}

fn write_names(out: &mut dyn Write, names: Option<&[CultureName]>) -> io::Result<()> {
    for name in names.into_iter().flatten() {
        writeln!(out, "{:>14}  {}", name.culture.to_string(), printable(&name.name))?;
    }
    Ok(())
}

fn write_line(out: &mut dyn Write, id: &str, name: &str, state: &str) -> io::Result<()> {
    writeln!(out, "{id:>8}  {}{state}", printable(name))
}

fn state(deprecated: bool, removed: bool) -> &'static str {
    match (removed, deprecated) {
        (true, _) => "  (removed)",
        (false, true) => "  (deprecated)",
        (false, false) => "",
    }
}
