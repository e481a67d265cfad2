//! The terms below a term, and all terms of a category, in the order of the tree.

use serde::Serialize;
use taxonomy_api::Details;
use taxonomy_keys::TermId;
use taxonomy_model::stored::StoredTerm;
use utoipa::ToSchema;

use crate::files::{Branch, FileNode, Position, Walk};
use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::categories::category_not_found;
use crate::routes::details;
use crate::routes::replacements::Replacements;
use crate::routes::route::Route;
use crate::routes::terms::term_not_found;
use crate::snapshot::Snapshot;

pub(crate) const DESCENDANTS: Route = Route::get("/v1/tenants/{tenant}/terms/{id}/descendants", |request| {
    Box::pin(descendants(request))
});
pub(crate) const OF_CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}/terms", |request| {
    Box::pin(of_category(request))
});

/// A page of terms in the order of the tree: each before the terms below it, siblings in their order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tree<'a> {
    /// The terms of this page. A page may have fewer than `limit`, or none, and still be followed by another.
    items: Vec<TreeTerm<'a>>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A term in a tree; the operation by id returns all of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TreeTerm<'a> {
    /// The term.
    id: u64,
    /// The term above it; absent for a top term.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    parent: Option<u64>,
    /// 1 for a top term.
    depth: usize,
    /// Its name.
    name: &'a str,
    /// The culture of the name.
    culture: &'a str,
    /// `{category name}:{term name}`.
    final_name: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    notation: Option<&'a str>,
    /// Whether the term is deprecated: not for new use.
    deprecated: bool,
    /// Whether the term has children.
    has_children: bool,
    /// The remaining members, with `include=details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    details: Option<Details<'a>>,
}

/// The descendants of a term
///
/// All terms below it or, with `depth`, those of as many levels, in the order of the tree, page by page. For a term without children, or a
/// removed one, the page is empty.
#[utoipa::path(
    get, path = DESCENDANTS.path, operation_id = "getDescendants", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term above them", maximum = 9007199254740991u64),
        ("depth" = Option<u8>, Query, description = "How many levels below; all where it is left out", minimum = 1, maximum = 32),
        ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("culture" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Tree<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn descendants(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: TermId = path_id(request.id)?;
    walk(request, Branch::Below(id)).await
}

/// All terms of a category
///
/// In the order of the tree, page by page. With `depth=1` the top terms alone.
#[utoipa::path(
    get, path = OF_CATEGORY.path, operation_id = "getTermsOfCategory", tag = "categories",
    params(
        ("id" = u64, Path, description = "The category", maximum = 9007199254740991u64),
        ("depth" = Option<u8>, Query, description = "How many levels; all where it is left out", minimum = 1, maximum = 32),
        ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("culture" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Tree<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn of_category(request: &Request<'_>) -> Result<Answer, Problem> {
    let id = path_id(request.id)?;
    walk(request, Branch::Category(id)).await
}

async fn walk(request: &Request<'_>, branch: Branch) -> Result<Answer, Problem> {
    let (depth, deprecated) = (request.query.depth()?, request.query.deprecated()?);
    let list = match branch {
        Branch::Below(id) => format!("descendants:{id}:{depth}:{deprecated:?}"),
        Branch::Category(id) => format!("tree:{id}:{depth}:{deprecated:?}"),
    };
    page(request, &list, branch, depth, tree).await
}

fn tree(page: &TermPage) -> Result<Answer, Problem> {
    let items = page.terms.iter().map(|(id, term, has_children)| {
        Ok(TreeTerm {
            details: page.details(*id, term)?,
            ..item(*id, term, *has_children)
        })
    });
    let body = Tree {
        items: items.collect::<Result<_, Problem>>()?,
        next_cursor: page.next_cursor.clone(),
    };
    Ok(Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture)))
}

/// A page of terms in the order of the tree.
pub(crate) struct TermPage {
    /// The terms, and whether each has children.
    pub(crate) terms: Vec<(TermId, StoredTerm, bool)>,
    /// With `include=details`.
    replacements: Option<Replacements>,
    pub(crate) next_cursor: Option<String>,
}

impl TermPage {
    /// Returns the details of a term of the page, where the request includes them.
    pub(crate) fn details<'a>(
        &'a self,
        id: TermId,
        term: &'a StoredTerm,
    ) -> Result<Option<Details<'a>>, Problem> {
        let replacements = self.replacements.as_ref();
        let details = replacements.map(|all| details::of_term(term, all.get(id, term)));
        details.transpose()
    }
}

/// Answers with a page of the terms of a branch, down to a depth below it, in the form that `answer` gives it.
pub(crate) async fn page(
    request: &Request<'_>,
    list: &str,
    branch: Branch,
    depth: u8,
    answer: fn(&TermPage) -> Result<Answer, Problem>,
) -> Result<Answer, Problem> {
    let limit = request.query.limit()?;
    let (deprecated, with_details) = (request.query.deprecated()?, request.query.details()?);
    let (before, from) = request.position(list, |text| text.parse::<Position>().ok())?;
    let snapshot = request.snapshot(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let file = snapshot.file().await?;
    let order = from.map_or_else(|| file.order_for(&snapshot.order()), |from| from.order);
    let walk = Walk {
        branch,
        depth,
        deprecated,
        limit: limit.into(),
        order,
        from: from.map(|from| from.at),
    };
    let walked = file.walk(walk).await?;
    let walked = walked.ok_or_else(|| not_found(branch))?;
    let terms = stored(&snapshot, &walked.items)?;
    let replacements = match with_details {
        true => Some(Replacements::follow(&snapshot, terms.iter().map(|(id, term, _)| (*id, term))).await?),
        false => None,
    };
    let page = TermPage {
        terms,
        replacements,
        next_cursor: request.next_cursor(list, &snapshot, walked.next.map(|at| Position { at, order })),
    };
    let answer = answer(&page)?.tagged(&snapshot.tag());
    Ok(answer.followed_by(page.next_cursor))
}

/// The version has no such category or term.
pub(crate) fn not_found(branch: Branch) -> Problem {
    match branch {
        Branch::Category(_) => category_not_found(),
        Branch::Below(_) => term_not_found(),
    }
}

/// Returns the terms of a page, each in the best culture.
fn stored(
    snapshot: &Snapshot<'_>,
    walked: &[(FileNode, bool)],
) -> Result<Vec<(TermId, StoredTerm, bool)>, Problem> {
    let order = snapshot.order();
    let terms = walked.iter().map(|(node, has_children)| {
        let id = node.term().map(|term| term.id());
        let found = id.zip(node.stored_term(&order));
        let (id, term) = found.ok_or_else(|| Problem::internal("a walk met what is no term"))?;
        Ok((id, term, *has_children))
    });
    terms.collect()
}

fn item(id: TermId, term: &StoredTerm, has_children: bool) -> TreeTerm<'_> {
    TreeTerm {
        id: id.get(),
        parent: term.lineage.first().map(|parent| parent.id.get()),
        depth: term.depth(),
        name: &term.name,
        culture: term.culture.as_str(),
        final_name: &term.final_name,
        path: term.paths().swap_remove(0),
        notation: term.notation.as_deref(),
        deprecated: term.deprecated,
        has_children,
        details: None,
    }
}
