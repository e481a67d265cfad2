//! Terms: one by id, or up to a hundred.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;
use taxonomy_api::{Ancestor, Ancestors, CategoryName, Problem as Document, Term};
use taxonomy_keys::TermId;
use taxonomy_model::NodeId;
use taxonomy_model::stored::StoredTerm;
use utoipa::ToSchema;

use crate::cache::entry::{Beside, Entry, Kept, Requested};
use crate::files::FileNode;
use crate::request::Request;
use crate::request::parameters::{BatchGet, Id, RequestedId, body_ids, path_id};
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::all_names::AllNames;
use crate::routes::details::{deprecation, metadata, notes, relations};
use crate::routes::missing;
use crate::routes::place;
use crate::routes::related;
use crate::routes::replacements::Replacements;
use crate::routes::route::Route;
use crate::snapshot::version_tag::VersionTag;
use crate::snapshot::{Batch, Snapshot};

pub(crate) const TERM: Route = Route::get("/v1/tenants/{tenant}/terms/{id}", |request| {
    Box::pin(term(request))
});
pub(crate) const TERMS: Route = Route::get("/v1/tenants/{tenant}/terms", |request| Box::pin(terms(request)));
pub(crate) const BATCH_GET: Route = Route::post("/v1/tenants/{tenant}/terms:batchGet", |request| {
    Box::pin(batch_get(request))
});
pub(crate) const ANCESTORS: Route = Route::get("/v1/tenants/{tenant}/terms/{id}/ancestors", |request| {
    Box::pin(above(request))
});

/// The results of a batch, in the order of the request.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "the shape alone: the JSON is joined from that of the items"
)]
pub(crate) struct Terms<'a> {
    /// One result for each requested id.
    items: Vec<BatchItem<'a>>,
}

/// One result of a batch: a term or a problem, according to its status.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchItem<'a> {
    /// The requested id; absent where none was requested: then the problem's pointer has the place in the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id: Option<u64>,
    /// The status of the response to a request for this term alone.
    status: u16,
    /// The term, with status 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    term: Option<Term<'a>>,
    /// The problem, with any other status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<Document<'a>>,
}

/// A term
///
/// With its category and all its ancestors, nearest first. A term that was removed is still returned, with `removed: true`.
#[utoipa::path(
    get, path = TERM.path, operation_id = "getTerm", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query), ("names" = Option<String>, Query),
        ("include" = Option<String>, Query), ("deprecated" = Option<String>, Query),
    ),
    responses((status = 200, description = "The term", body = Term<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn term(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: TermId = path_id(request.id)?;
    let (all_names, deprecated) = (request.query.all_names()?, request.query.deprecated()?);
    let [with_related, with_place] = request.query.members(["related", "place"])?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let nodes = nodes_with_names(&snapshot, &[id], all_names).await?;
    let mut beside = beside_by_term(&nodes)?.remove(&id).unwrap_or_default();
    if with_related {
        beside = related::beside(&snapshot, id, beside).await?;
    }
    if with_place {
        beside = place::beside(&snapshot, NodeId::Term(id.get()), deprecated, beside).await?;
    }
    let entry = entry(&snapshot, id).await?;
    let body = Requested {
        entry: &entry,
        beside: Some(&beside),
        culture: snapshot.language().requested.as_ref(),
    };
    let body = body.json().map_err(Problem::internal)?.into_owned();
    let answer = Answer::text(body).in_languages([entry.culture.as_str()]);
    Ok(answer.tagged(&snapshot.tag()))
}

/// The terms above a term
///
/// Nearest first, with the category. For a removed term those of the last version that had it.
#[utoipa::path(
    get, path = ANCESTORS.path, operation_id = "getAncestors", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term below them", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query),
    ),
    responses((status = 200, description = "Its ancestors", body = Ancestors<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn above(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: TermId = path_id(request.id)?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let entry = entry(&snapshot, id).await?;
    let term: Term<'_> = serde_json::from_str(entry.json()).map_err(Problem::internal)?;
    let body = Ancestors {
        category: term.category,
        items: term.ancestors,
    };
    let parts = body.items.iter().map(|ancestor| ancestor.culture.as_str());
    let answer = Answer::json(&body)?.in_languages(parts.chain([body.category.culture.as_str()]));
    Ok(answer.tagged(&snapshot.tag()))
}

/// Several terms, named in the query
///
/// One result for each id, in the order of the request; an invalid id does not affect the others.
#[utoipa::path(
    get, path = TERMS.path, operation_id = "getTerms", tag = "terms",
    params(
        ("ids" = Vec<Id>, Query, description = "The terms, at most 100, with commas between them", style = Form, explode = false, max_items = 100, min_items = 1),
        ("culture" = Option<String>, Query), ("names" = Option<String>, Query),
    ),
    responses((status = 200, description = "An answer for each id", body = Terms<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn terms(request: &Request<'_>) -> Result<Answer, Problem> {
    let ids = request.query.ids()?;
    let all_names = request.query.all_names()?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let names_a_version = request.query.names_a_version()?;
    let mark = |answer: Answer, tag: &VersionTag, is_whole| match is_whole || !names_a_version {
        true => answer.tagged(tag),
        // A problem says what is true of the id in later versions too, so a named version alone does not determine it.
        false => answer.about(tag).untagged(),
    };
    batch(&snapshot, &ids, all_names, mark).await
}

/// Several terms, named in the body
///
/// The same as with ids in the query, which keeps them out of the URL.
#[utoipa::path(
    post, path = BATCH_GET.path, operation_id = "batchGetTerms", tag = "terms",
    params(("culture" = Option<String>, Query), ("names" = Option<String>, Query)),
    request_body = BatchGet,
    responses((status = 200, description = "An answer for each id", body = Terms<'static>)),
)]
pub(crate) async fn batch_get(request: &Request<'_>) -> Result<Answer, Problem> {
    let ids = body_ids(&request.event.body()?)?;
    let all_names = request.query.all_names()?;
    let snapshot = request.snapshot(None).await?;
    batch(&snapshot, &ids, all_names, |answer, tag, _| answer.about(tag)).await
}

/// The bytes of an item of a batch beside its term, at most: its id, its status and the signs around them.
const BYTES_BESIDE: usize = 50;

/// Answers a batch. `mark` sets what caches may do with an answer of which every part was read, given whether the version has every term.
async fn batch(
    snapshot: &Snapshot<'_>,
    requested: &[RequestedId],
    all_names: bool,
    mark: impl FnOnce(Answer, &VersionTag, bool) -> Answer,
) -> Result<Answer, Problem> {
    let ids: Vec<TermId> = requested.iter().flatten().copied().collect();
    let nodes = nodes_with_names(snapshot, &ids, all_names).await?;
    let beside = beside_by_term(&nodes)?;
    let Entries { known, unread } = entries(snapshot, &ids).await?;
    let found = |id: &TermId| known.get(id)?.as_deref();
    // Without a term there is nothing to answer beside the problem.
    if !ids.iter().any(|id| found(id).is_some())
        && let Some(unread) = unread
    {
        return Err(unread);
    }
    let lacking = known.iter().filter(|(_, kept)| kept.is_none());
    let missing = missing::terms(snapshot, lacking.map(|(id, _)| *id).collect()).await;
    // One text for all items: the answers about most terms are texts already.
    let kept_bytes: usize = ids.iter().filter_map(found).map(|entry| entry.json().len()).sum();
    let mut body = String::with_capacity(kept_bytes + BYTES_BESIDE * requested.len());
    body.push_str("{\"items\":[");
    for (place, requested) in requested.iter().enumerate() {
        if place > 0 {
            body.push(',');
        }
        let id = requested.as_ref().ok();
        if let Some((id, entry)) = id.and_then(|id| Some((id, found(id)?))) {
            let term = Requested {
                entry,
                beside: beside.get(id),
                culture: snapshot.language().requested.as_ref(),
            };
            // As `BatchItem` would be, which would parse the term again.
            let term = term.json().map_err(Problem::internal)?;
            write!(body, r#"{{"id":{id},"status":200,"term":{term}}}"#).map_err(Problem::internal)?;
            continue;
        }
        let problem = match requested {
            Ok(id) => missing.get(id).or(unread.as_ref()),
            Err(problem) => Some(problem),
        };
        let item = BatchItem {
            id: id.map(|id| id.get()),
            status: problem.map_or(200, |problem| problem.code().status()),
            term: None,
            problem: problem.map(Problem::document),
        };
        body.push_str(&serde_json::to_string(&item).map_err(Problem::internal)?);
    }
    body.push_str("]}");
    let languages = ids.iter().filter_map(|id| Some(found(id)?.culture.as_str()));
    let answer = Answer::text(body).in_languages(languages);
    let mut unread = unread
        .iter()
        .chain(missing.values().filter(|problem| problem.is_unread()));
    Ok(match unread.next() {
        None => mark(answer, &snapshot.tag(), missing.is_empty()),
        Some(unread) => answer.about(&snapshot.tag()).without(unread),
    })
}

/// Returns the existing terms whose names are requested, from the file, which the request reads alone from then on: it has all cultures.
async fn nodes_with_names(
    snapshot: &Snapshot<'_>,
    ids: &[TermId],
    all_names: bool,
) -> Result<HashMap<TermId, FileNode>, Problem> {
    let ids: BTreeSet<TermId> = ids.iter().copied().filter(|_| all_names).collect();
    let ids: Vec<TermId> = ids.into_iter().collect();
    match ids.is_empty() {
        true => Ok(HashMap::new()),
        false => Ok(snapshot
            .file()
            .await?
            .term_nodes(&ids)
            .await?
            .into_iter()
            .collect()),
    }
}

fn beside_by_term(nodes: &HashMap<TermId, FileNode>) -> Result<HashMap<TermId, Beside<'_>>, Problem> {
    let mut all = AllNames::new();
    let beside = nodes.iter().map(|(id, node)| {
        let beside = Beside {
            names: Some(all.of_node(node)?),
            ..Beside::default()
        };
        Ok((*id, beside))
    });
    beside.collect()
}

/// The answers about terms by id.
struct Entries {
    known: HashMap<TermId, Kept>,
    /// Why the answers about the other ids are not known.
    unread: Option<Problem>,
}

async fn entry(snapshot: &Snapshot<'_>, id: TermId) -> Result<Arc<Entry>, Problem> {
    let Entries { mut known, unread } = entries(snapshot, &[id]).await?;
    match (known.remove(&id).flatten(), unread) {
        (Some(entry), _) => Ok(entry),
        (None, Some(unread)) => Err(unread),
        (None, None) => Err(missing::term(snapshot, id).await),
    }
}

/// Returns the answers that are kept, and makes and keeps the others. Each id is read once, even if it is named several times.
async fn entries(snapshot: &Snapshot<'_>, ids: &[TermId]) -> Result<Entries, Problem> {
    let ids: BTreeSet<TermId> = ids.iter().copied().collect();
    let kept = snapshot.kept(ids.iter().map(|id| NodeId::Term(id.get()))).await?;
    let known = |id: TermId| Some((id, kept.get(&NodeId::Term(id.get()))?.clone()));
    let known: HashMap<TermId, Kept> = ids.iter().copied().filter_map(known).collect();
    let missing: Vec<TermId> = ids.into_iter().filter(|id| !known.contains_key(id)).collect();
    if missing.is_empty() {
        return Ok(Entries { known, unread: None });
    }
    let Batch { found, unread } = snapshot.batch(&missing, &snapshot.order()).await?;
    let replacements = Replacements::follow(snapshot, found.iter().map(|(id, term)| (*id, term))).await?;
    let mut made: HashMap<TermId, Kept> = HashMap::with_capacity(missing.len());
    for id in missing {
        let kept = match found.get(&id) {
            Some(term) => Some(Arc::new(made_entry(snapshot, id, term, &replacements)?)),
            None if unread.is_some() => continue,
            None => None,
        };
        made.insert(id, kept);
    }
    let alone = made.iter().filter(|(id, _)| !replacements.are_chained(**id));
    let answers = alone.map(|(id, kept)| (NodeId::Term(id.get()), kept.clone()));
    snapshot.keep(answers).await;
    Ok(Entries {
        known: known.into_iter().chain(made).collect(),
        unread,
    })
}

fn made_entry(
    snapshot: &Snapshot<'_>,
    id: TermId,
    term: &StoredTerm,
    replacements: &Replacements,
) -> Result<Entry, Problem> {
    let mut paths = term.paths().into_iter();
    let path = paths.next().flatten();
    let answer = Term {
        tenant: snapshot.tenant().clone(),
        version: snapshot.version(),
        id,
        name: (&*term.name).into(),
        culture: term.culture.clone(),
        final_name: (&*term.final_name).into(),
        path,
        category: category(term),
        depth: term.depth() as u64,
        ancestors: ancestors(term, paths),
        notation: term.notation.as_deref().map(Into::into),
        alt_names: (&*term.alt_names).into(),
        notes: term.notes.as_ref().map(notes),
        sort_key: term.sort_key.as_deref().map(Into::into),
        metadata: metadata(term.metadata.as_deref())?,
        deprecated: term.deprecated,
        deprecation: term.deprecation.as_ref().map(deprecation),
        replaced_by: replacements.get(id, term).into(),
        relations: relations(&term.relations),
        removed: term.removed,
        names: None,
        related: None,
        related_truncated: false,
        place: None,
        requested_culture: None,
    };
    Entry::new(&answer, &answer.culture).map_err(Problem::internal)
}

fn category(term: &StoredTerm) -> CategoryName<'_> {
    CategoryName {
        id: term.category_id,
        name: term.category_name().into(),
        culture: term.category_culture.as_ref().unwrap_or(&term.culture).clone(),
        path: term.category_path.as_deref().map(Into::into),
    }
}

/// Returns the ancestors of a term, nearest first. `paths` are their paths, in the same order.
pub(crate) fn ancestors(term: &StoredTerm, paths: impl Iterator<Item = Option<String>>) -> Vec<Ancestor<'_>> {
    let category = term.category_name();
    let entries = term.lineage.iter().zip(paths).map(|(entry, path)| Ancestor {
        id: entry.id,
        name: (&*entry.name).into(),
        final_name: [category, ":", &entry.name].concat().into(),
        culture: entry.culture.as_ref().unwrap_or(&term.culture).clone(),
        path,
    });
    entries.collect()
}
