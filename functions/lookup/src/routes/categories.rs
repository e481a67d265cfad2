//! Categories: one by id, or a page of all.

use serde::Serialize;
use taxonomy_api::{Category, ListedCategory};
use taxonomy_keys::{CategoryId, Culture};
use taxonomy_model::stored::StoredCategory;
use utoipa::ToSchema;

use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::problem::{Problem, ProblemCode};
use crate::response::reply::Reply;
use crate::routes::best_name::CategoryNamed;
use crate::routes::details::{self, alt_names, deprecation, metadata, notes, relations};
use crate::routes::route::Route;
use crate::snapshot::context::Context;

pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}", |context, request| {
    Box::pin(category(context, request))
});
/// The list in the cursors of its pages.
const LIST: &str = "categories";

pub(crate) const CATEGORIES: Route = Route::get("/v1/tenants/{tenant}/categories", |context, request| {
    Box::pin(categories(context, request))
});

/// A page of categories, in their order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Categories<'a> {
    /// The categories of this page.
    items: Vec<ListedCategory<'a>>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

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
    let answer = Category {
        tenant: serving.tenant().clone(),
        version: serving.number(),
        id,
        name: named.name.into(),
        culture: named.culture.clone(),
        requested_culture: requested.clone(),
        path: named.path.map(Into::into),
        notation: value.notation.as_deref().map(Into::into),
        alt_names: alt_names(value, &named).into(),
        notes: value.notes.get(named.culture).map(notes),
        sort_key: value.sort_key.as_deref().map(Into::into),
        metadata: metadata(value.metadata.as_deref())?,
        deprecated: value.deprecated,
        deprecation: value.deprecation.as_ref().map(deprecation),
        replaced_by: (&*value.replaced_by).into(),
        relations: relations(&value.relations),
        removed: value.removed,
    };
    let reply = Reply::json(&answer)?.in_languages([answer.culture.as_str()].into_iter());
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
    let reply = Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture.as_str()));
    Ok(reply.of(serving.edition()))
}

fn listed<'a>(
    id: CategoryId,
    category: &'a StoredCategory,
    order: &[Culture],
    with_details: bool,
) -> Result<ListedCategory<'a>, Problem> {
    let named = CategoryNamed::of(category, order);
    let details = with_details.then(|| details::of_category(category, &named));
    Ok(ListedCategory {
        id,
        name: named.name.into(),
        culture: named.culture.clone(),
        path: named.path.map(Into::into),
        notation: category.notation.as_deref().map(Into::into),
        deprecated: category.deprecated,
        details: details.transpose()?,
    })
}

pub(crate) fn category_not_found() -> Problem {
    let detail = "No version of this taxonomy has had a category with this id.";
    Problem::new(ProblemCode::CategoryNotFound, detail)
}
