//! `taxonomy tenant list`.

use std::collections::BTreeSet;
use std::io::{self, Write as _};

use clap::Args;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use taxonomy_keys::{Attention, TenantId, Version};
use taxonomy_store::{Configuration, Head, Heads, StoreError, TenantPage};

use crate::arguments::{CommonArguments, Output};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, print_document, printable, stderr, stdout};
use crate::stack::Session;
use crate::time::rfc3339;

/// The number of entries of the index that one request reads.
const PAGE: i32 = 200;

/// The number of heads that are read at once.
const CONCURRENCY: usize = 16;

/// List the tenants
///
/// Lists the tenants that have a version, a configuration or a refused upload, or those that need attention, in the order of their ids, each with
/// its version, terms, commit time and state. A tenant is listed for its most urgent reason: behind, waiting, refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy tenant list
  taxonomy tenant list --behind")]
pub(crate) struct List {
    /// Only tenants for which the service has work: items to write, a request to carry out
    #[arg(long, group = "which")]
    behind: bool,
    /// Only frozen tenants with an upload that waits
    #[arg(long, group = "which")]
    waiting: bool,
    /// Only tenants whose newest upload was refused
    #[arg(long, group = "which")]
    refused: bool,
    /// Only frozen tenants
    #[arg(long, group = "which")]
    frozen: bool,
    #[command(flatten)]
    common: CommonArguments,
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
struct ListedTenants {
    tenants: Vec<TenantRow>,
}

/// A tenant of the list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TenantRow {
    tenant: TenantId,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_at: Option<String>,
    /// What is true of the tenant beside that it is served; several may be.
    state: Vec<&'static str>,
}

impl TenantRow {
    fn new(tenant: TenantId, head: &Head, configuration: &Configuration) -> Self {
        let committed = head.committed.as_ref();
        Self {
            tenant,
            display_name: configuration
                .display_name
                .as_ref()
                .map(|name| name.as_str().to_owned()),
            version: committed.map(|head| head.version),
            terms: committed.map(|head| head.terms),
            committed_at: committed.map(|head| rfc3339(head.committed_at)),
            state: states(head, configuration),
        }
    }

    fn write(&self, width: usize) -> io::Result<()> {
        let content = match (self.version, self.terms, &self.committed_at) {
            (Some(version), Some(terms), Some(at)) => {
                format!("version {version} of {at}, {}", counted(terms, "term"))
            }
            _ => "no version".to_owned(),
        };
        let (state, name) = (self.state.join(", "), self.display_name.as_deref().map(printable));
        let more = [state, name.unwrap_or_default().to_string()].into_iter();
        let more: String = more
            .filter(|text| !text.is_empty())
            .map(|text| format!("  {text}"))
            .collect();
        let line = format!("{:width$}  {content}{more}", self.tenant.as_str());
        writeln!(stdout(), "{line}")
    }
}

fn states(head: &Head, configuration: &Configuration) -> Vec<&'static str> {
    let attention = |why| head.attention == Some(why);
    let states = [
        (attention(Attention::Behind), "behind"),
        (attention(Attention::Waiting), "waiting"),
        (attention(Attention::Refused), "refused"),
        (configuration.frozen.is_some(), "frozen"),
        (configuration.purge.is_some(), "purging"),
    ];
    states
        .into_iter()
        .filter_map(|(is, state)| is.then_some(state))
        .collect()
}

/// Lists tenants.
///
/// # Errors
/// [`Failure`] when index or table cannot be read.
pub(super) async fn run(list: &List) -> Result<Exit, Failure> {
    let session = Session::open(&list.common.stack).await?;
    let heads = session.heads().await?;
    // A tenant without a version is in no other list.
    let mut refused = match list.attention() {
        None => all_refused(&heads).await?,
        Some(_) => BTreeSet::new(),
    };
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = match list.attention() {
            Some(why) => heads.attention(why, after.as_ref(), PAGE).await?,
            None => heads.tenants(after.as_ref(), PAGE).await?,
        };
        warn(&page)?;
        let last = page.tenants.last().cloned();
        let mut tenants: BTreeSet<TenantId> = page.tenants.into_iter().collect();
        // Those up to the end of this page, in the order of ids; on the last page all that are left.
        let is_due = |tenant: &TenantId| last.as_ref().is_none_or(|last| tenant <= last);
        let (due, later): (BTreeSet<_>, _) = refused.into_iter().partition(is_due);
        tenants.extend(due);
        refused = later;
        let found = read(&heads, tenants, list.frozen).await?;
        match list.common.output {
            Output::Human => {
                let width = found
                    .iter()
                    .map(|row| row.tenant.as_str().len())
                    .max()
                    .unwrap_or(0);
                found.iter().try_for_each(|row| row.write(width))?;
            }
            Output::Json => rows.extend(found),
        }
        after = last;
        if after.is_none() {
            break;
        }
    }
    if list.common.output == Output::Json {
        print_document(&ListedTenants { tenants: rows })?;
    }
    Ok(Exit::Done)
}

/// Returns the tenants whose newest upload was refused.
async fn all_refused(heads: &Heads) -> Result<BTreeSet<TenantId>, Failure> {
    let mut found = BTreeSet::new();
    loop {
        let page = heads.attention(Attention::Refused, found.last(), PAGE).await?;
        if page.tenants.is_empty() {
            return Ok(found);
        }
        found.extend(page.tenants);
    }
}

fn warn(page: &TenantPage) -> io::Result<()> {
    for key in &page.damaged {
        let key = printable(key);
        writeln!(stderr(), "warning: an entry of the index is no tenant's: {key}")?;
    }
    Ok(())
}

/// Returns the rows of tenants, or of the frozen ones among them. A tenant whose head is damaged is in the list, and says so.
async fn read(
    heads: &Heads,
    tenants: BTreeSet<TenantId>,
    only_frozen: bool,
) -> Result<Vec<TenantRow>, Failure> {
    let rows = stream::iter(tenants).map(async |tenant| match heads.read(&tenant).await {
        Ok((_, configuration)) if only_frozen && configuration.frozen.is_none() => Ok(None),
        Ok((head, configuration)) => Ok(Some(TenantRow::new(tenant, &head, &configuration))),
        Err(StoreError::Damaged { .. }) => Ok(Some(TenantRow {
            tenant,
            display_name: None,
            version: None,
            terms: None,
            committed_at: None,
            state: vec!["damaged"],
        })),
        Err(error) => Err(error),
    });
    let rows: Vec<Option<TenantRow>> = rows.buffered(CONCURRENCY).try_collect().await?;
    Ok(rows.into_iter().flatten().collect())
}
