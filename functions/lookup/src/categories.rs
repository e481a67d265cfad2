//! Categories: one by id, or a page of all.

use taxonomy_keys::{CategoryId, Culture};
use taxonomy_model::stored::StoredCategory;

use crate::answers::{Categories, Category, ListedCategory};
use crate::best_name::CategoryNamed;
use crate::context::Context;
use crate::details::Details;
use crate::metadata::metadata;
use crate::parameters::path_id;
use crate::problem::{Problem, ProblemCode};
use crate::reply::Reply;
use crate::request::Request;
use crate::route::Route;

pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}", |context, request| {
    Box::pin(category(context, request))
});
/// The list in the cursors of its pages.
const LIST: &str = "categories";

pub(crate) const CATEGORIES: Route = Route::get("/v1/tenants/{tenant}/categories", |context, request| {
    Box::pin(categories(context, request))
});

/// A category
///
/// A category that was removed is still returned, with `removed: true`.
#[utoipa::path(
    get, path = CATEGORY.path, operation_id = "getCategory", tag = "categories",
    params(
        ("id" = u64, Path, description = "The category", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query),
    ),
    responses((status = 200, description = "The category", body = Category<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn category(context: &Context, request: &Request<'_>) -> Result<Reply, Problem> {
    let (id, requested): (CategoryId, _) = (path_id(request.id)?, request.culture()?);
    let serving = request.serving(context, None).await?;
    if let Some(unchanged) = request.known(&serving.edition()) {
        return Ok(unchanged);
    }
    let found = serving.category(id).await?.ok_or_else(category_not_found)?;
    let value = &*found;
    let named = CategoryNamed::of(value, &serving.order(requested.as_ref()));
    let alt_names = value.alt_names.get(named.culture);
    let answer = Category {
        tenant: serving.tenant().as_str(),
        version: serving.version(),
        id: id.get(),
        name: named.name,
        culture: named.culture.as_str(),
        requested_culture: requested.as_ref().map(Culture::as_str),
        path: named.path,
        notation: value.notation.as_deref(),
        alt_names: alt_names.map_or(&[], Vec::as_slice),
        notes: value.notes.get(named.culture),
        sort_key: value.sort_key.as_deref(),
        metadata: metadata(value.metadata.as_deref())?,
        deprecated: value.deprecated,
        deprecation: value.deprecation.as_ref(),
        replaced_by: &value.replaced_by,
        relations: &value.relations,
        removed: value.removed,
    };
    let reply = Reply::json(&answer)?.in_languages([answer.culture].into_iter());
    Ok(reply.of(serving.edition()))
}

/// The categories of a tenant
///
/// In their order, page by page.
#[utoipa::path(
    get, path = CATEGORIES.path, operation_id = "getCategories", tag = "categories",
    params(
        ("culture" = Option<String>, Query), ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Categories<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn categories(context: &Context, request: &Request<'_>) -> Result<Reply, Problem> {
    let (requested, limit) = (request.culture()?, request.query.limit()?);
    let (retired, with_details) = (request.query.deprecated()?, request.query.details()?);
    let turn = request.turn(&LIST, |text| text.parse::<u32>().ok())?;
    let serving = request
        .serving(context, turn.as_ref().map(|turn| turn.version))
        .await?;
    if let Some(unchanged) = request.known(&serving.edition()) {
        return Ok(unchanged);
    }
    let from = turn.map(|turn| turn.at);
    let page = serving.file().await?.categories(limit.into(), from).await?;
    let order = serving.order(requested.as_ref());
    let stored = page.categories.iter().map(|node| {
        let id = node.category().map(|category| category.id());
        let found = id.zip(node.stored_category());
        found.ok_or_else(|| Problem::internal("a list of categories met what is no category"))
    });
    let mut stored: Vec<(CategoryId, StoredCategory)> = stored.collect::<Result<_, _>>()?;
    stored.retain(|(_, category)| retired.keeps(category.deprecated));
    let items = stored
        .iter()
        .map(|(id, category)| listed(*id, category, &order, with_details));
    let answer = Categories {
        items: items.collect::<Result<_, _>>()?,
        next_cursor: request.next_cursor(&LIST, &serving, page.next),
    };
    let reply = Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture));
    Ok(reply.of(serving.edition()))
}

fn listed<'a>(
    id: CategoryId,
    category: &'a StoredCategory,
    order: &[Culture],
    with_details: bool,
) -> Result<ListedCategory<'a>, Problem> {
    let named = CategoryNamed::of(category, order);
    let details = with_details.then(|| Details::of_category(category, &named));
    Ok(ListedCategory {
        id: id.get(),
        name: named.name,
        culture: named.culture.as_str(),
        path: named.path,
        notation: category.notation.as_deref(),
        deprecated: category.deprecated,
        details: details.transpose()?,
    })
}

pub(crate) fn category_not_found() -> Problem {
    let detail = "No version of this taxonomy has had a category with this id.";
    Problem::new(ProblemCode::CategoryNotFound, detail)
}
