//! Resolves paths, notations and relations to the categories and terms that they name.

use serde::{Deserialize, Serialize};
use taxonomy_api::{NodeKind, Problem as Document, Relation};
use taxonomy_keys::Culture;
use utoipa::ToSchema;

use crate::files::{FileNode, Reference};
use crate::request::Request;
use crate::request::parameters::{MAX_IDS, Parameters};
use crate::response::answer::Answer;
use crate::response::problem::{Problem, ProblemCode};
use crate::routes::details::relation;
use crate::routes::route::Route;
use crate::routes::states::NodeState;
use crate::snapshot::Snapshot;

pub(crate) const RESOLVE: Route = Route::get("/v1/tenants/{tenant}/resolve", |request| {
    Box::pin(resolve(request))
});
pub(crate) const RESOLVE_ALL: Route = Route::post("/v1/tenants/{tenant}/terms:resolve", |request| {
    Box::pin(resolve_all(request))
});

/// The maximum number of categories and terms in the result of one reference.
const MOST: usize = 100;

/// The longest text of a reference, in bytes: the longest path of a file.
const MAX_TEXT: usize = 2_048;

/// The categories and terms that a reference names.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resolved {
    /// Categories first, each kind in the order of the tree; empty where the reference names none.
    items: Vec<ResolvedItem>,
    /// Whether the reference names more than 100.
    truncated: bool,
}

/// A category or a term, in short; the operation by id returns all of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResolvedItem {
    /// Its kind: a category and a term may share an id.
    kind: NodeKind,
    /// Its id.
    id: u64,
    /// Its name.
    name: String,
    /// The culture of the name.
    culture: String,
    /// For a term `{category name}:{term name}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    final_name: Option<String>,
    /// For a term the id of its category.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    category: Option<u64>,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    notation: Option<String>,
    /// Whether the category or term is deprecated: not for new use.
    deprecated: bool,
    /// For `id` its relations to that concept; absent otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<Relation<'static>>,
}

/// The results of several references, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AllResolved<'a> {
    /// One result for each reference.
    items: Vec<OneResolved<'a>>,
}

/// The result of one of several references.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneResolved<'a> {
    /// 200, or the status of the problem.
    status: u16,
    /// The categories and terms that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    resolved: Option<Resolved>,
    /// The problem, with any other status than 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<Document<'a>>,
}

/// The body of a request with several references.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct References {
    /// The references, at most 100; the results have their order.
    #[schema(max_items = 100)]
    references: Vec<RequestedReference>,
}

/// A path, a notation, or an id in another scheme.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestedReference {
    /// A path.
    #[serde(default)]
    #[schema(nullable = false)]
    path: Option<String>,
    /// A code in a classification.
    #[serde(default)]
    #[schema(nullable = false)]
    notation: Option<String>,
    /// The scheme of `id`; without one the `id` is looked for in every scheme, and among the terms of the tenant.
    #[serde(default)]
    #[schema(nullable = false)]
    scheme: Option<String>,
    /// The concept that categories and terms are related to.
    #[serde(default)]
    #[schema(nullable = false)]
    id: Option<String>,
}

/// A validated reference, before the cultures of a path are determined.
#[derive(Debug)]
enum WantedReference {
    Path(String),
    Other(Reference),
}

/// Categories and terms by path, notation or relation
///
/// The request names exactly one of `path`, `notation` and `id`. A path is searched in the requested culture, then in those of its fallback. An `id`
/// finds what is related to the concept: of its `scheme`, or without one of any scheme; a number is a term of the tenant as well. If the
/// reference names nothing, the result is empty.
#[utoipa::path(
    get, path = RESOLVE.path, operation_id = "getResolved", tag = "terms",
    params(
        ("path" = Option<String>, Query, description = "A path"),
        ("notation" = Option<String>, Query, description = "A code in a classification"),
        ("scheme" = Option<String>, Query, description = "The scheme of `id`; without one every scheme, and the terms of the tenant"),
        ("id" = Option<String>, Query, description = "The concept that categories and terms are related to"),
        ("culture" = Option<String>, Query),
    ),
    responses((status = 200, description = "What is named so", body = Resolved), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn resolve(request: &Request<'_>) -> Result<Answer, Problem> {
    let wanted = in_query(request.query)?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let body = find(&snapshot, &wanted).await?;
    let answer = Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()))
}

/// Several paths, notations and relations at once
///
/// One result for each reference, in the order of the request; an invalid reference does not affect the others.
#[utoipa::path(
    post, path = RESOLVE_ALL.path, operation_id = "batchResolve", tag = "terms",
    params(("culture" = Option<String>, Query)),
    request_body = References,
    responses((status = 200, description = "An answer for each reference", body = AllResolved<'static>)),
)]
pub(crate) async fn resolve_all(request: &Request<'_>) -> Result<Answer, Problem> {
    let body = request.event.body()?;
    let invalid = |_| {
        let detail = "The body is a JSON object such as {\"references\":[{\"path\":\"it/rust\"},{\"notation\":\"6201\"}]}.";
        Problem::new(ProblemCode::InvalidBody, detail).at("/body")
    };
    let References { references } = serde_json::from_slice(&body).map_err(invalid)?;
    if references.len() > MAX_IDS {
        let problem = Problem::new(ProblemCode::TooManyIds, "A request has at most 100 references.");
        return Err(problem.at("/body/references"));
    }
    let wanted: Vec<Result<WantedReference, Problem>> = references
        .into_iter()
        .enumerate()
        .map(|(position, reference)| in_body(reference, position))
        .collect();
    let snapshot = request.snapshot(None).await?;
    let mut items = Vec::with_capacity(wanted.len());
    for wanted in &wanted {
        items.push(match wanted {
            Ok(wanted) => OneResolved {
                status: 200,
                resolved: Some(find(&snapshot, wanted).await?),
                problem: None,
            },
            Err(problem) => OneResolved {
                status: problem.code().status(),
                resolved: None,
                problem: Some(problem.document()),
            },
        });
    }
    let answer = Answer::json(&AllResolved { items })?;
    Ok(answer.of_version(snapshot.tag().version))
}

fn in_query(query: &Parameters) -> Result<WantedReference, Problem> {
    let text = |name| Ok::<_, Problem>(query.text(name)?.map(str::to_owned));
    let reference = RequestedReference {
        path: text("path")?,
        notation: text("notation")?,
        scheme: text("scheme")?,
        id: text("id")?,
    };
    wanted(reference)
        .map_err(|(detail, member)| Problem::invalid_parameter(detail, format!("/query/{member}")))
}

fn in_body(reference: RequestedReference, position: usize) -> Result<WantedReference, Problem> {
    wanted(reference).map_err(|(detail, member)| {
        Problem::invalid_parameter(detail, format!("/body/references/{position}/{member}"))
    })
}

/// Returns the one reference in the body, or the member at fault and the reason.
fn wanted(reference: RequestedReference) -> Result<WantedReference, (&'static str, &'static str)> {
    let members = [
        ("path", &reference.path),
        ("notation", &reference.notation),
        ("scheme", &reference.scheme),
        ("id", &reference.id),
    ];
    let long = members
        .iter()
        .find(|(_, text)| text.as_ref().is_some_and(|text| text.len() > MAX_TEXT));
    if let Some((member, _)) = long {
        return Err(("It has at most 2048 bytes.", member));
    }
    match (reference.path, reference.notation, reference.scheme, reference.id) {
        (Some(path), None, None, None) => Ok(WantedReference::Path(path)),
        (None, Some(notation), None, None) => Ok(WantedReference::Other(Reference::Notation(notation))),
        (None, None, scheme, Some(id)) => Ok(WantedReference::Other(Reference::Relation(scheme, id))),
        (None, None, Some(_), None) => Err(("A scheme needs an id.", "id")),
        (None, None, None, None) => Err(("One of path, notation and id is required.", "path")),
        _ => Err(("path, notation and id exclude each other.", "path")),
    }
}

async fn find(snapshot: &Snapshot<'_>, wanted: &WantedReference) -> Result<Resolved, Problem> {
    let order = snapshot.order();
    let references: Vec<Reference> = match wanted {
        WantedReference::Path(path) => {
            let paths = order
                .iter()
                .map(|culture| Reference::Path(culture.clone(), path.clone()));
            paths.collect()
        }
        WantedReference::Other(reference) => vec![reference.clone()],
    };
    for reference in &references {
        let found = snapshot.file().await?.resolve(reference, MOST).await?;
        if !found.nodes.is_empty() || found.truncated {
            let items = found.nodes.iter();
            let items = items.filter_map(|node| item(node, reference, &order));
            return Ok(Resolved {
                items: items.collect(),
                truncated: found.truncated,
            });
        }
    }
    Ok(Resolved::default())
}

fn item(node: &FileNode, reference: &Reference, order: &[Culture]) -> Option<ResolvedItem> {
    let (kind, id) = match (node.term(), node.category()) {
        (Some(term), _) => (NodeKind::Term, term.id().get()),
        (None, category) => (NodeKind::Category, category?.id().get()),
    };
    let state = NodeState::new(node, order)?;
    let relations = reference.relations(node.node()?);
    Some(ResolvedItem {
        kind,
        id,
        name: state.name,
        culture: state.culture,
        final_name: state.final_name,
        category: state.category,
        path: state.path,
        notation: state.notation,
        deprecated: state.deprecated,
        relations: relations.map(|stored| relation(stored).into_owned()).collect(),
    })
}
