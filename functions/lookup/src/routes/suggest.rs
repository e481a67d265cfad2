//! Suggestions while a reader types: the terms whose names match a query, the best first (docs/decisions/0019-search.md).

use std::collections::HashMap;

use futures_util::future::try_join_all;
use serde::Serialize;
use taxonomy_index::search::{Findings, Found, Hit, Kind, Match, Query, QueryError, SearchOptions, merge};
use taxonomy_keys::Culture;
use utoipa::ToSchema;

use crate::files::{Branch, FileNode, VersionFile};
use crate::request::Request;
use crate::request::parameters::Parameters;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::missing;
use crate::routes::route::Route;
use crate::snapshot::Snapshot;

pub(crate) const SUGGEST: Route = Route::get("/v1/tenants/{tenant}/suggest", |request| {
    Box::pin(suggest(request))
});

/// The maximum number of suggestions of a response: the bound of the search itself.
const MAX_SUGGESTIONS: u16 = 50;
const DEFAULT_SUGGESTIONS: u16 = 10;

/// The terms whose names match a query.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suggestions {
    /// The terms, the best first, each once; none where no name matches.
    items: Vec<Suggestion>,
    /// Whether more names begin with the query than are read, so that a better term may be missing: a longer query finds it.
    truncated: bool,
}

/// A term with the name that matches; the operation by id returns all of the term.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Suggestion {
    /// The term.
    #[schema(example = 101)]
    id: u64,
    /// Its name.
    #[schema(example = "Rust developer")]
    name: String,
    /// The culture of the name.
    #[schema(example = "en-GB")]
    culture: String,
    /// `{category name}:{term name}`.
    #[schema(example = "Sector:Rust developer")]
    final_name: String,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "it/rust")]
    path: Option<String>,
    /// Its category.
    #[schema(example = 1)]
    category: u64,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "6201")]
    notation: Option<String>,
    /// Whether the term is deprecated: not for new use.
    deprecated: bool,
    /// The best of its names that match.
    matched: MatchedName,
}

/// A name that matches the query.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchedName {
    /// The name, as the file has it.
    #[schema(example = "Rustacean")]
    name: String,
    /// The culture of the name: the requested one, or one of its fallback.
    #[schema(example = "en-GB")]
    culture: String,
    /// The kind of the name.
    kind: NameKind,
    /// The class of the match.
    class: MatchClass,
    /// Start and end of each part of the name that matches, in UTF-16 code units.
    #[schema(example = json!([[0, 4]]))]
    ranges: Vec<[u32; 2]>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum NameKind {
    /// The name of the term.
    Name,
    /// Another name of it.
    AltName,
    /// Its code in a classification.
    Notation,
}

/// The classes of matches, the best first.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MatchClass {
    /// The query is the name, with its marks and signs.
    Whole,
    /// The letters of the query are those of the name: marks, signs, spaces and words for *and* do not count.
    Folded,
    /// The name begins with the query.
    Start,
    /// Each word of the query is the beginning of a word of the name, or another form of one.
    Word,
    /// A word of the query is inside a word of the name, or is two words of it.
    Inside,
    /// Each word of the query is the beginning of a word of the name, with typos.
    Typo,
}

/// A request for suggestions.
#[derive(Debug)]
struct Search {
    query: Query,
    /// The terms that may be suggested; all without it.
    branch: Option<Branch>,
    options: SearchOptions,
}

/// Terms that match a text
///
/// Finds terms by the beginnings of the words of their names, alternative names and notations, in any order; without regard to case, accents, signs,
/// joined or split spelling, plural and the word for *and*; with one typo in a word of five letters, two from nine. The names of the culture and
/// of those of its fallback are searched: a better match comes first, of equal ones that of the culture.
#[utoipa::path(
    get, path = SUGGEST.path, operation_id = "getSuggestions", tag = "terms",
    params(
        ("q" = String, Query, description = "What the reader typed: at most 500 characters", max_length = 500, example = "rust dev"),
        ("limit" = Option<u16>, Query, description = "How many terms; 10 where it is left out", minimum = 1, maximum = 50),
        ("category" = Option<u64>, Query, description = "Only terms of this category", maximum = 9007199254740991u64, example = 1),
        ("below" = Option<u64>, Query, description = "Only terms below this term; not beside `category`", maximum = 9007199254740991u64),
        ("deprecated" = Option<String>, Query),
        ("culture" = Option<String>, Query),
    ),
    responses((status = 200, description = "The terms, the best first", body = Suggestions), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn suggest(request: &Request<'_>) -> Result<Answer, Problem> {
    let search = Search::parse(request.query)?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let body = find(&snapshot, search).await?;
    let answer = Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()))
}

impl Search {
    fn parse(query: &Parameters) -> Result<Self, Problem> {
        let text = query.required("q", "q is required, such as q=rust.", Some)?;
        let limit = query.number("limit", MAX_SUGGESTIONS, DEFAULT_SUGGESTIONS)?;
        let branch = match (query.id("category")?, query.id("below")?) {
            (Some(_), Some(_)) => {
                let detail = "category and below exclude each other.";
                return Err(Problem::invalid_parameter(detail, "/query/below"));
            }
            (Some(category), None) => Some(Branch::Category(category)),
            (None, Some(term)) => Some(Branch::Below(term)),
            (None, None) => None,
        };
        let mut options = SearchOptions::new(limit.into()).map_err(Problem::internal)?;
        options.deprecated = query.deprecated()?;
        Ok(Self {
            query: Query::parse(text).map_err(refused)?,
            branch,
            options,
        })
    }
}

fn refused(error: QueryError) -> Problem {
    match error {
        QueryError::TooLong => Problem::invalid_parameter("q has at most 500 characters.", "/query/q"),
        QueryError::Limit => Problem::internal(error),
    }
}

/// Searches the cultures of the order of the request: by class, then by culture.
async fn find(snapshot: &Snapshot<'_>, mut search: Search) -> Result<Suggestions, Problem> {
    let (order, file) = (snapshot.order(), snapshot.file().await?);
    if let Some(branch) = search.branch {
        let Some((ordinals, _)) = file.branch(branch).await? else {
            return Err(missing::branch(snapshot, branch).await);
        };
        search.options.within = Some(vec![ordinals]);
    }
    let found = try_join_all(
        order
            .iter()
            .map(|culture| file.find(culture, &search.query, &search.options)),
    );
    let found: Vec<Findings> = found.await?.into_iter().map(Option::unwrap_or_default).collect();
    let (names, _) = search.options.page(merge(&found));
    Ok(Suggestions {
        items: items(file, &order, &search.query, &names).await?,
        truncated: found.iter().any(|found| found.truncated),
    })
}

/// Completes the names with the terms, each in the best culture.
async fn items(
    file: &VersionFile<'_>,
    order: &[Culture],
    query: &Query,
    names: &[(usize, Found)],
) -> Result<Vec<Suggestion>, Problem> {
    let ordinals: Vec<u32> = names.iter().map(|(_, name)| name.ordinal).collect();
    let nodes = file.nodes(&ordinals).await?;
    let mut hits = HashMap::new();
    for (number, culture) in order.iter().enumerate() {
        let of_culture = names
            .iter()
            .filter(|(of, _)| *of == number)
            .map(|(_, name)| *name);
        let found: Vec<Found> = of_culture.collect();
        let completed = file.hits(culture, query, &found).await?.into_iter();
        hits.extend(completed.map(|hit| (hit.ordinal, (culture, hit))));
    }
    let items = nodes.iter().zip(&ordinals).map(|(node, ordinal)| {
        let (culture, hit) = hits.remove(ordinal)?;
        item(node, order, culture, hit)
    });
    let items: Option<Vec<Suggestion>> = items.collect();
    items.ok_or_else(|| Problem::file_lost("a search object names another term than the index file"))
}

fn item(node: &FileNode, order: &[Culture], culture: &Culture, hit: Hit) -> Option<Suggestion> {
    let id = node.term()?.id().get();
    if id != hit.id {
        return None;
    }
    let term = node.stored_term(order)?;
    Some(Suggestion {
        id,
        path: term.paths().swap_remove(0),
        culture: term.culture.to_string(),
        category: term.category_id.get(),
        name: term.name,
        final_name: term.final_name,
        notation: term.notation,
        deprecated: term.deprecated,
        matched: MatchedName {
            name: hit.name,
            culture: culture.to_string(),
            kind: hit.kind.into(),
            class: hit.matched.into(),
            ranges: hit
                .ranges
                .into_iter()
                .map(|range| [range.start, range.end])
                .collect(),
        },
    })
}

impl From<Kind> for NameKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Preferred => Self::Name,
            Kind::Alternative => Self::AltName,
            Kind::Notation => Self::Notation,
        }
    }
}

impl From<Match> for MatchClass {
    fn from(matched: Match) -> Self {
        match matched {
            Match::Whole => Self::Whole,
            Match::Folded => Self::Folded,
            Match::Start => Self::Start,
            Match::Word => Self::Word,
            Match::Inside => Self::Inside,
            Match::Typo => Self::Typo,
        }
    }
}
