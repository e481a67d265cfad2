//! What a search without hits looked at, and what would have matched.

use futures_util::future::try_join_all;
use taxonomy_api::{CultureTotal, NodeKind, NothingFound, RemovedNode};
use taxonomy_index::search::{Deprecated, Filter, SearchOptions};
use taxonomy_keys::Culture;
use taxonomy_model::NodeId;

use crate::files::{RemovedName, VersionFile};
use crate::response::problem::Problem;
use crate::routes::suggest::matches;
use crate::routes::suggest::wanted::Wanted;
use crate::snapshot::Snapshot;

/// The maximum number of further cultures that are searched concurrently.
const CONCURRENCY: usize = 8;
/// The maximum number of further cultures that are searched.
const MAX_OTHER_CULTURES: usize = 32;

/// Searches once more with each restriction lifted.
pub(super) async fn nothing_found(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    options: &SearchOptions,
    cultures: &[Culture],
) -> Result<NothingFound, Problem> {
    let file = snapshot.file().await?;
    let in_any_state = Filter {
        deprecated: Deprecated::Include,
        ..options.filter.clone()
    };
    let count = async |filter: Filter| -> Result<u64, Problem> {
        match filter == options.filter {
            // That search has just found nothing.
            true => Ok(0),
            false => count(file, wanted, cultures, &with(options, filter)).await,
        }
    };
    let others = file.footer().cultures().iter();
    let others = others.filter(|culture| !cultures.contains(culture));
    let others: Vec<&Culture> = others.take(MAX_OTHER_CULTURES).collect();
    let mut other_cultures = Vec::with_capacity(others.len());
    for others in others.chunks(CONCURRENCY) {
        let totals = others.iter().map(async |culture| {
            let count = self::count(file, wanted, std::slice::from_ref(*culture), options);
            Ok::<_, Problem>(CultureTotal {
                culture: (*culture).clone(),
                total: Box::pin(count).await?,
            })
        });
        other_cultures.extend(try_join_all(totals).await?);
    }
    other_cultures.retain(|other| other.total > 0);
    let removed = file.removed_as(wanted.text, wanted.id).await?;
    Ok(NothingFound {
        cultures: cultures.to_vec(),
        in_any_state: count(in_any_state).await?,
        unfiltered: count(Filter::default()).await?,
        other_cultures,
        removed: removed.into_iter().map(removed_node).collect(),
    })
}

fn with(options: &SearchOptions, filter: Filter) -> SearchOptions {
    let mut lifted = options.clone();
    lifted.filter = filter;
    lifted
}

/// Returns the number of categories and terms that match without typos, or by their id.
async fn count(
    file: &VersionFile<'_>,
    wanted: &Wanted<'_>,
    cultures: &[Culture],
    options: &SearchOptions,
) -> Result<u64, Problem> {
    let found = matches(file, wanted, options, cultures).await?;
    let nodes = found
        .searched
        .without_typos
        .or(&found.with_id.into_iter().collect());
    Ok(nodes.count() as u64)
}

fn removed_node(removed: RemovedName) -> RemovedNode {
    let (kind, id) = match removed.node {
        NodeId::Category(id) => (NodeKind::Category, id),
        NodeId::Term(id) => (NodeKind::Term, id),
    };
    RemovedNode {
        kind,
        id,
        name: removed.name,
        removed_in: removed.removed_in,
    }
}
