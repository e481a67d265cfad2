//! A search whose filters are facets: they narrow what the search finds without them, and each of their values is counted.

use std::cmp::Reverse;

use taxonomy_api::{CategoryTotal, CultureTotal, FacetTotals, KindTotals, StateTotals};
use taxonomy_index::OrdinalSet;
use taxonomy_index::search::{Filter, SearchOptions};
use taxonomy_keys::Culture;

use crate::files::{Branch, FacetCounts, VersionFile};
use crate::response::problem::Problem;
use crate::routes::best_name::CategoryNamed;
use crate::routes::suggest::wanted::Wanted;
use crate::routes::suggest::{Matches, matches};

/// The maximum number of categories that are named.
const MAX_CATEGORIES: usize = 100;
/// The maximum number of cultures whose missing names are counted.
const MAX_CULTURES: usize = 32;

/// Searches without filters, counts, then searches among the nodes that the filters admit. Words inside words and typos are tried where the whole
/// search has few nodes, whatever the filters leave of it: so a number of a facet is the total after its choice.
pub(super) async fn counted(
    file: &VersionFile<'_>,
    wanted: &Wanted<'_>,
    options: &SearchOptions,
    (order, cultures): (&[Culture], &[Culture]),
) -> Result<(Matches, Option<FacetTotals>), Problem> {
    let is_scope = matches!(wanted.branch, Some(Branch::Below(_)));
    let mut all = options.clone();
    all.counts_all = true;
    all.filter = Filter {
        within: options.filter.within.clone().filter(|_| is_scope),
        ..Filter::default()
    };
    let mut found = matches(file, wanted, &all, cultures).await?;
    let is_first = options.skip == 0;
    let named = missing_in(file, order).take(if is_first { MAX_CULTURES } else { 0 });
    let named: Vec<Culture> = named.cloned().collect();
    let counts = file.facets(&found.nodes, &options.filter, &named).await?;
    if counts.admitted != found.nodes {
        all.filter.without = Some(OrdinalSet::all(file.footer().terms().end).without(&counts.admitted));
        let among = matches(file, wanted, &all, cultures).await?;
        found.searched.names = among.searched.names;
        found.with_id = among.with_id;
        found.nodes = counts.admitted.clone();
    }
    let totals = match is_first {
        true => Some(totals(file, wanted, order, counts, named).await?),
        false => None,
    };
    Ok((found, totals))
}

/// Returns the cultures in which names may be missing: those of the request first.
fn missing_in<'a>(file: &'a VersionFile<'_>, order: &'a [Culture]) -> impl Iterator<Item = &'a Culture> {
    let others = file.footer().cultures().iter();
    order
        .iter()
        .chain(others.filter(|culture| !order.contains(culture)))
}

async fn totals(
    file: &VersionFile<'_>,
    wanted: &Wanted<'_>,
    order: &[Culture],
    counts: FacetCounts,
    named: Vec<Culture>,
) -> Result<FacetTotals, Problem> {
    let above = match wanted.branch {
        Some(branch @ Branch::Below(_)) => file.branch(branch).await?.map_or(0, |(_, above)| above),
        _ => 0,
    };
    let mut categories = counts.categories;
    categories.sort_by_key(|(ordinal, total)| (Reverse(*total), *ordinal));
    let further = categories.len().saturating_sub(MAX_CATEGORIES);
    categories.truncate(MAX_CATEGORIES);
    let ordinals: Vec<u32> = categories.iter().map(|(ordinal, _)| *ordinal).collect();
    let nodes = file.nodes(&ordinals).await?;
    let categories = nodes.iter().zip(categories).map(|(node, (_, total))| {
        let category = node.stored_category()?;
        let named = CategoryNamed::new(&category, order);
        Some(CategoryTotal {
            id: node.node_id()?,
            name: named.name.to_owned(),
            culture: named.culture.clone(),
            total,
        })
    });
    let categories: Option<Vec<CategoryTotal>> = categories.collect();
    let lost = || Problem::file_lost("a category of the counts is none of the index file");
    let missing = named.into_iter().zip(counts.missing);
    let missing = missing.filter(|(_, total)| *total > 0);
    Ok(FacetTotals {
        kinds: KindTotals {
            category: counts.kinds[0],
            term: counts.kinds[1],
        },
        categories: categories.ok_or_else(lost)?,
        further_categories: further as u64,
        depths: counts.depths.into_iter().skip(above.into()).collect(),
        states: StateTotals {
            exclude: counts.states[0],
            only: counts.states[1],
        },
        missing: missing
            .map(|(culture, total)| CultureTotal { culture, total })
            .collect(),
    })
}
