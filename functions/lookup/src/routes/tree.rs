//! The terms below a term, and all terms of a category, in the order of the tree.

use serde::Serialize;
use taxonomy_api::{CultureName, Details};
use taxonomy_keys::TermId;
use taxonomy_model::stored::StoredTerm;
use utoipa::ToSchema;

use crate::files::{Below, Branch, FileNode, ListedNode, Position, Walk};
use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::all_names::AllNames;
use crate::routes::details;
use crate::routes::missing;
use crate::routes::replacements::Replacements;
use crate::routes::route::Route;
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
    /// The terms of this page.
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
    /// The number of its children, deprecated ones included.
    child_count: u32,
    /// The number of all terms below it, deprecated ones included.
    descendant_count: u32,
    /// Its names in every culture, by tag, with `names=all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    names: Option<Vec<CultureName<'a>>>,
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
        ("parents" = Option<String>, Query, description = "`all`: the terms below it by any of their parents, those of relations `broad` without a scheme included, each once, in the order of the tree; not beside `depth`", pattern = "^all$"),
        ("depth" = Option<u8>, Query, description = "How many levels below; all where it is left out", minimum = 1, maximum = 32),
        ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query), ("names" = Option<String>, Query),
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
        ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query), ("names" = Option<String>, Query),
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
    if matches!(branch, Branch::Below(_))
        && request.query.all_parents()?
        && request.query.text("depth")?.is_some()
    {
        let detail = "depth and parents exclude each other: by several parents a term has several depths.";
        return Err(Problem::invalid_parameter(detail, "/query/depth"));
    }
    let list = match branch {
        Branch::Below(id) => format!("descendants:{id}:{depth}:{deprecated:?}"),
        Branch::Category(id) => format!("tree:{id}:{depth}:{deprecated:?}"),
    };
    page(request, &list, branch, depth, tree).await
}

fn tree(page: &TermPage) -> Result<Answer, Problem> {
    let mut names = page.all_names();
    let items = page.terms.iter().map(|listed| {
        Ok(TreeTerm {
            names: listed.names(names.as_mut())?,
            details: page.details(listed)?,
            ..item(listed)
        })
    });
    let body = Tree {
        items: items.collect::<Result<_, Problem>>()?,
        next_cursor: page.next_cursor.clone(),
    };
    Ok(Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture)))
}

/// A term of a list, in the best culture.
pub(crate) struct ListedTerm {
    pub(crate) id: TermId,
    pub(crate) term: StoredTerm,
    pub(crate) below: Below,
    node: FileNode,
}

impl ListedTerm {
    /// Returns its names in every culture, where the request asks for them.
    pub(crate) fn names(&self, all: Option<&mut AllNames>) -> Result<Option<Vec<CultureName<'_>>>, Problem> {
        all.map(|all| all.of_node(&self.node)).transpose()
    }
}

/// A page of terms in the order of the tree.
pub(crate) struct TermPage {
    pub(crate) terms: Vec<ListedTerm>,
    has_names: bool,
    /// With `include=details`.
    replacements: Option<Replacements>,
    pub(crate) next_cursor: Option<String>,
}

impl TermPage {
    /// Returns the names of the page, where the request includes them.
    pub(crate) fn all_names(&self) -> Option<AllNames> {
        self.has_names.then(AllNames::new)
    }

    /// Returns the details of a term of the page, where the request includes them.
    pub(crate) fn details<'a>(&'a self, listed: &'a ListedTerm) -> Result<Option<Details<'a>>, Problem> {
        let ListedTerm { id, term, .. } = listed;
        let replacements = self.replacements.as_ref();
        let details = replacements.map(|all| details::of_term(term, all.get(*id, term)));
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
    let (has_names, by_all_parents) = (request.query.all_names()?, request.query.all_parents()?);
    let list = &format!("{list}{}", if by_all_parents { ":all" } else { "" });
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
    let walked = match (branch, by_all_parents) {
        (Branch::Below(term), true) => file.walk_by_all_parents(term, walk).await?,
        _ => file.walk(walk).await?,
    };
    let Some(walked) = walked else {
        return Err(missing::branch(&snapshot, branch).await);
    };
    let terms = stored(&snapshot, walked.items)?;
    let replacements = match with_details {
        true => {
            let terms = terms.iter().map(|listed| (listed.id, &listed.term));
            Some(Replacements::follow(&snapshot, terms).await?)
        }
        false => None,
    };
    let page = TermPage {
        terms,
        has_names,
        replacements,
        next_cursor: request.next_cursor(list, &snapshot, walked.next.map(|at| Position { at, order })),
    };
    let answer = answer(&page)?.tagged(&snapshot.tag());
    Ok(answer.followed_by(page.next_cursor))
}

/// Returns the terms of a page, each in the best culture.
fn stored(snapshot: &Snapshot<'_>, walked: Vec<ListedNode>) -> Result<Vec<ListedTerm>, Problem> {
    let order = snapshot.order();
    let terms = walked.into_iter().map(|ListedNode { node, below }| {
        let id = node.term().map(|term| term.id());
        let found = id.zip(node.stored_term(&order));
        let (id, term) = found.ok_or_else(|| Problem::internal("a walk met what is no term"))?;
        Ok(ListedTerm {
            id,
            term,
            below,
            node,
        })
    });
    terms.collect()
}

fn item(listed: &ListedTerm) -> TreeTerm<'_> {
    let ListedTerm { id, term, below, .. } = listed;
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
        child_count: below.children,
        descendant_count: below.descendants,
        names: None,
        details: None,
    }
}
