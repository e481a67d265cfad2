//! Suggestions while a reader types: the categories and terms whose names, codes or ids match a query, the best first
//! (docs/decisions/0019-search.md).

mod facets;
mod hits;
mod nothing_found;
mod wanted;

use taxonomy_api::Suggestions;
use taxonomy_index::OrdinalSet;
use taxonomy_index::search::{Filter, MAX_SKIPPED, SearchOptions};
use taxonomy_keys::Culture;

use crate::files::{Branch, Searched, VersionFile};
use crate::request::Request;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::missing;
use crate::routes::route::Route;
use crate::routes::suggest::hits::{Place, items};
use crate::routes::suggest::nothing_found::nothing_found;
use crate::routes::suggest::wanted::Wanted;
use crate::snapshot::Snapshot;

pub(crate) const SUGGEST: Route = Route::get("/v1/tenants/{tenant}/suggest", |request| {
    Box::pin(suggest(request))
});

/// What matches a text
///
/// Finds categories and terms by the beginnings of the words of their names, alternative names and notations, in any order, and by their ids; without
/// regard to case, accents, signs, joined or split spelling, plural and the word for *and*; with one typo in a word of five letters, two from nine.
/// The names of the culture and of those of its fallback are searched: a better match comes first, of equal ones that of the culture. An answer
/// without items says what would have matched.
#[utoipa::path(
    get, path = SUGGEST.path, operation_id = "getSuggestions", tag = "terms",
    params(
        ("q" = String, Query, description = "What the reader typed: at most 500 characters", max_length = 500, example = "rust dev"),
        ("kind" = Option<String>, Query, description = "Only categories, or only terms", pattern = "^(category|term)$"),
        ("category" = Option<u64>, Query, description = "Only terms of this category", maximum = 9007199254740991u64, example = 1),
        ("below" = Option<u64>, Query, description = "Only terms below this term; not beside `category`", maximum = 9007199254740991u64),
        ("parents" = Option<String>, Query, description = "`all`: below the term by any of its parents; beside `below` alone", pattern = "^all$"),
        ("depth" = Option<u8>, Query, description = "Only so many levels below the category or the term, or without either below the categories; not beside `parents`", minimum = 1, maximum = 32),
        ("missing" = Option<String>, Query),
        ("deprecated" = Option<String>, Query),
        ("culture" = Option<String>, Query),
        ("cultures" = Option<String>, Query, description = "`all`: the names of every culture are searched, those of the culture and its fallback first", pattern = "^all$"),
        ("total" = Option<String>, Query, description = "`exact`: everything is counted, which takes longer for a few letters", pattern = "^exact$"),
        ("counts" = Option<String>, Query, description = "`facets`: the filters narrow what the search finds without them, and the values of each are counted", pattern = "^facets$"),
        ("limit" = Option<u16>, Query, description = "How many on a page; 10 where it is left out", minimum = 1, maximum = 50),
        ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page, the best first; the pages end after 1,050 items", body = Suggestions), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn suggest(request: &Request<'_>) -> Result<Answer, Problem> {
    let wanted = Wanted::parse(request.query)?;
    let list = wanted.list(request.event.headers.accept_language.as_deref());
    let (before, skip) = request.position(&list, skipped)?;
    let snapshot = request.snapshot(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let mut options = SearchOptions::new(wanted.limit).map_err(Problem::internal)?;
    options.counts_all = wanted.counts_all;
    options.skip = skip.unwrap_or_default();
    options.filter = filter(&snapshot, &wanted).await?;
    let (mut body, has_next) = Box::pin(page(&snapshot, &wanted, &options)).await?;
    let next = has_next.then_some(options.skip + wanted.limit);
    body.next_cursor = request.next_cursor(&list, &snapshot, next);
    let answer = Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()).followed_by(body.next_cursor))
}

/// Parses the number of hits before a page. A cursor may be made up.
fn skipped(text: &str) -> Option<usize> {
    text.parse().ok().filter(|skip| *skip <= MAX_SKIPPED)
}

/// What a text matches in a version.
struct Matches {
    searched: Searched,
    /// The ordinals of the nodes with the text as their id.
    with_id: Vec<u32>,
    /// All nodes.
    nodes: OrdinalSet,
}

/// Returns a page without its cursor, and whether more follow.
async fn page(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    options: &SearchOptions,
) -> Result<(Suggestions, bool), Problem> {
    let (order, file) = (snapshot.order(), snapshot.file().await?);
    let cultures = cultures(&order, file, wanted.has_all_cultures);
    let (found, counts) = match wanted.has_facets {
        true => Box::pin(facets::counted(file, wanted, options, (&order, &cultures))).await?,
        false => (matches(file, wanted, options, &cultures).await?, None),
    };
    let total = found.nodes.count() as u64;
    let nothing_found = match options.skip == 0 && total == 0 {
        true => Some(Box::pin(nothing_found(snapshot, wanted, options, &cultures)).await?),
        false => None,
    };
    let (places, has_next) = options.page(Place::all(&found.searched.names, &found.with_id));
    let body = Suggestions {
        items: items(file, (&order, &cultures), &wanted.query, &places).await?,
        total,
        total_is_minimum: found.searched.has_more,
        truncated: found.searched.truncated,
        next_cursor: None,
        nothing_found,
        counts,
    };
    Ok((body, has_next))
}

/// Searches the names of cultures, and the ids.
async fn matches(
    file: &VersionFile<'_>,
    wanted: &Wanted<'_>,
    options: &SearchOptions,
    cultures: &[Culture],
) -> Result<Matches, Problem> {
    let searched = file.search(cultures, &wanted.query, options).await?;
    let with_id = match wanted.id {
        Some(id) => file.with_id(id, &options.filter).await?,
        None => Vec::new(),
    };
    let nodes = searched.nodes.or(&with_id.iter().copied().collect());
    Ok(Matches {
        searched,
        with_id,
        nodes,
    })
}

/// Returns the cultures to search: those of the order of the request, then where all are wanted the others.
fn cultures(order: &[Culture], file: &VersionFile<'_>, has_all: bool) -> Vec<Culture> {
    let others = file.footer().cultures().iter();
    let others = others.filter(|culture| has_all && !order.contains(culture));
    order.iter().chain(others).cloned().collect()
}

async fn filter(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>) -> Result<Filter, Problem> {
    let file = snapshot.file().await?;
    let (within, above) = match wanted.branch {
        None => (None, 0),
        Some(Branch::Below(term)) if wanted.by_all_parents => {
            let Some(ranges) = file.below_by_all_parents(term).await? else {
                return Err(missing::term(snapshot, term).await);
            };
            (Some(ranges), 0)
        }
        Some(branch) => {
            let Some((range, above)) = file.branch(branch).await? else {
                return Err(missing::branch(snapshot, branch).await);
            };
            (Some(vec![range]), above)
        }
    };
    let without = match &wanted.missing {
        Some(culture) => Some(file.named_in(culture).await?),
        None => None,
    };
    Ok(Filter {
        within,
        without,
        node: wanted.node,
        depth: wanted.depth.map(|depth| depth.saturating_add(above)),
        deprecated: wanted.deprecated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_within_the_hits_that_are_found() {
        for (text, expect) in [
            ("0", Some(0)),
            ("1000", Some(1000)),
            ("1001", None),
            ("18446744073709551615", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(skipped(text), expect, "{text}");
        }
    }
}
