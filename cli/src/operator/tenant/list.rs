//! `taxonomy tenant list`.

use std::io::{self, Write as _};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{Attention, TenantId};

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, document, printable, stderr, stdout};
use crate::stack::{Session, StackArguments};

/// The number of entries of the index that one request reads.
const PAGE: i32 = 200;

/// List the tenants
///
/// Lists the tenants that have a version or a configuration, or those that need attention, in the order of their ids. A tenant is listed for its
/// most urgent reason: behind, waiting, refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy tenant list
  taxonomy tenant list --behind")]
pub(crate) struct List {
    /// Only tenants for which the service has work: items to write, a request to carry out
    #[arg(long, group = "attention")]
    behind: bool,
    /// Only frozen tenants with an upload that waits
    #[arg(long, group = "attention")]
    waiting: bool,
    /// Only tenants whose newest upload was refused
    #[arg(long, group = "attention")]
    refused: bool,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

impl List {
    fn attention(&self) -> Option<Attention> {
        let asked = [
            (self.behind, Attention::Behind),
            (self.waiting, Attention::Waiting),
            (self.refused, Attention::Refused),
        ];
        asked.into_iter().find_map(|(asked, why)| asked.then_some(why))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    format_version: u32,
    tenants: Vec<TenantId>,
}

/// Lists tenants.
///
/// # Errors
/// [`Failure`] when the index cannot be read.
pub(super) async fn run(list: &List) -> Result<Exit, Failure> {
    let session = Session::open(&list.stack).await?;
    let heads = session.heads().await?;
    let mut tenants: Vec<TenantId> = Vec::new();
    loop {
        let after = tenants.last().cloned();
        let page = match list.attention() {
            Some(why) => heads.attention(why, after.as_ref(), PAGE).await?,
            None => heads.tenants(after.as_ref(), PAGE).await?,
        };
        for key in &page.damaged {
            writeln!(
                stderr(),
                "warning: an entry of the index is no tenant's: {}",
                printable(key)
            )?;
        }
        if page.tenants.is_empty() {
            break;
        }
        match list.output {
            Output::Human => {
                for tenant in &page.tenants {
                    writeln!(stdout(), "{tenant}")?;
                }
                // The id of the last tenant of a page is the start of the next page.
                tenants = page.tenants.into_iter().next_back().into_iter().collect();
            }
            Output::Json => tenants.extend(page.tenants),
        }
    }
    if list.output == Output::Json {
        document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                tenants,
            },
        )?;
    }
    Ok(Exit::Done)
}
