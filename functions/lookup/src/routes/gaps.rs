//! The categories and terms without a name in a culture, for those who translate.

use taxonomy_api::{Gap, GapsPage, NodeKind};
use taxonomy_keys::Culture;

use crate::files::{Gaps, ListedNode};
use crate::request::Request;
use crate::request::parameters::Parameters;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::all_names::AllNames;
use crate::routes::best_name::CategoryNamed;
use crate::routes::branch::branch;
use crate::routes::missing;
use crate::routes::route::Route;

pub(crate) const GAPS: Route = Route::get("/v1/tenants/{tenant}/gaps", |request| Box::pin(gaps(request)));

/// What has no name in a culture
///
/// The categories and terms without a name in exactly this culture, page by page: categories, then terms in the order of the tree. Each has the
/// name that a reader of that culture gets instead.
#[utoipa::path(
    get, path = GAPS.path, operation_id = "getGaps", tag = "terms",
    params(
        ("culture" = Option<String>, Query),
        ("category" = Option<u64>, Query, description = "Only this category and its terms", maximum = 9007199254740991u64),
        ("below" = Option<u64>, Query, description = "Only terms below this term; not beside `category`", maximum = 9007199254740991u64),
        ("deprecated" = Option<String>, Query), ("names" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = GapsPage<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn gaps(request: &Request<'_>) -> Result<Answer, Problem> {
    let (culture, branch) = (culture(request.query)?, branch(request.query)?);
    let (deprecated, limit) = (request.query.deprecated()?, request.query.limit()?);
    let mut all_names = request.query.all_names()?.then(AllNames::new);
    let list = format!("gaps:{culture}:{branch:?}:{deprecated:?}");
    let (before, from) = request.position(&list, |text| text.parse::<u32>().ok())?;
    let snapshot = request.snapshot(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let wanted = Gaps {
        culture,
        deprecated,
        branch,
        limit: limit.into(),
        from,
    };
    let found = match (snapshot.file().await?.gaps(wanted).await?, branch) {
        (Some(found), _) => found,
        (None, Some(branch)) => return Err(missing::branch(&snapshot, branch).await),
        (None, None) => return Err(Problem::internal("gaps of nothing")),
    };
    let order = snapshot.order();
    let items = found.page.items.iter();
    let items = items.map(|listed| gap(listed, &order, all_names.as_mut()));
    let body = GapsPage {
        total: found.total as u64,
        items: items.collect::<Result<_, _>>()?,
        next_cursor: request.next_cursor(&list, &snapshot, found.page.next),
    };
    let answer = Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()).followed_by(body.next_cursor))
}

fn culture(query: &Parameters) -> Result<Culture, Problem> {
    let missing =
        || Problem::invalid_parameter("culture is required, such as culture=fr-FR.", "/query/culture");
    query.culture()?.ok_or_else(missing)
}

fn gap<'a>(
    ListedNode { node, below }: &'a ListedNode,
    order: &[Culture],
    all: Option<&mut AllNames>,
) -> Result<Gap<'a>, Problem> {
    let (child_count, descendant_count) = (below.children.into(), below.descendants.into());
    if let Some((term, stored)) = node.term().zip(node.stored_term(order)) {
        return Ok(Gap {
            kind: NodeKind::Term,
            id: term.id().get(),
            path: stored.paths().swap_remove(0).map(Into::into),
            name: stored.name.into(),
            culture: stored.culture,
            final_name: Some(stored.final_name.into()),
            category: Some(stored.category_id),
            parent: stored.lineage.first().map(|parent| parent.id),
            notation: stored.notation.map(Into::into),
            deprecated: stored.deprecated,
            child_count,
            descendant_count,
            names: all.map(|all| all.of_node(node)).transpose()?,
        });
    }
    let found = node.category().zip(node.stored_category());
    let (category, stored) = found.ok_or_else(|| Problem::internal("a gap that is no node"))?;
    let named = CategoryNamed::new(&stored, order);
    Ok(Gap {
        kind: NodeKind::Category,
        id: category.id().get(),
        name: named.name.to_owned().into(),
        culture: named.culture.clone(),
        final_name: None,
        category: None,
        parent: None,
        path: named.path.map(|path| path.to_owned().into()),
        notation: stored.notation.clone().map(Into::into),
        deprecated: stored.deprecated,
        child_count,
        descendant_count,
        names: all.map(|all| all.of_node(node)).transpose()?,
    })
}
