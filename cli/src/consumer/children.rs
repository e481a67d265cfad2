//! `taxonomy children`: lists the direct children of a term, or the categories.

use std::io::Write as _;

use clap::Args;
use futures_util::TryStreamExt as _;
use serde::Serialize;
use taxonomy_client::answers::{Child, ListedCategory};
use taxonomy_keys::{Culture, TenantId, TermId};

use crate::arguments::{CommonArguments, Output, id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ListedItems, print_document, printable, stdout};
use crate::stack::Session;

/// List the terms below a term, or the categories
///
/// Lists the terms right below a term, in their order; without a term, the categories.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy children --tenant acme
  taxonomy children 100 --tenant acme --culture fr-FR
  taxonomy children 100 --tenant acme --all-parents

+12 marks a term or a category with 12 terms right below it.")]
pub(crate) struct Children {
    /// The tenant
    #[arg(long, value_name = "TENANT")]
    tenant: TenantId,
    /// The term
    #[arg(value_name = "ID", value_parser = id)]
    term: Option<TermId>,
    /// The culture of the names [default: the tenant's]
    #[arg(long, value_name = "TAG")]
    culture: Option<Culture>,
    /// Show the terms that have the term as a further parent as well
    #[arg(long, requires = "term")]
    all_parents: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Lists the children page by page.
///
/// # Errors
/// [`Failure`] when a request fails, or the term does not exist.
pub(crate) async fn run(children: &Children) -> Result<Exit, Failure> {
    let session = Session::open(&children.common.stack).await?;
    let tenant = session.api(&children.tenant).await?;
    let culture = children.culture.as_ref();
    match children.term {
        Some(term) => {
            let tenant = match children.all_parents {
                true => tenant.with_all_parents(),
                false => tenant,
            };
            let items = tenant.children(term, culture);
            list(children.common.output, items, |child: &Child| {
                let deprecated = if child.deprecated { "  (deprecated)" } else { "" };
                format!(
                    "{:>8}  {}{deprecated}{}",
                    child.id.to_string(),
                    printable(&child.name),
                    below(child.child_count)
                )
            })
            .await
        }
        None => {
            let items = tenant.categories(culture);
            list(children.common.output, items, |category: &ListedCategory| {
                format!(
                    "{:>8}  {}{}",
                    category.id.to_string(),
                    printable(&category.name),
                    below(category.child_count)
                )
            })
            .await
        }
    }
}

fn below(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!("  +{count}"),
    }
}

/// Writes each item as a line when it arrives, or all items as one document.
pub(crate) async fn list<T: Serialize>(
    output: Output,
    mut items: taxonomy_client::Items<T>,
    line: impl Fn(&T) -> String,
) -> Result<Exit, Failure> {
    match output {
        Output::Human => {
            while let Some(item) = items.try_next().await? {
                writeln!(stdout(), "{}", line(&item))?;
            }
        }
        Output::Json => {
            let items: Vec<T> = items.try_collect().await?;
            print_document(&ListedItems { items: &items })?;
        }
    }
    Ok(Exit::Done)
}
