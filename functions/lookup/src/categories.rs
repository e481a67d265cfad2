//! Categories: one, or a page of all.

use taxonomy_keys::{CategoryId, Culture, List, Place};

use crate::answers::{Categories, Category, ListedCategory, metadata};
use crate::best_name::CategoryNamed;
use crate::parameters::path_id;
use crate::problem::{Code, Document, Problem};
use crate::reply::Reply;
use crate::routes::Route;
use crate::world::{Asked, World};

pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}", |world, asked| {
    Box::pin(category(world, asked))
});
pub(crate) const CATEGORIES: Route = Route::get("/v1/tenants/{tenant}/categories", |world, asked| {
    Box::pin(categories(world, asked))
});

/// A category
///
/// A category that was removed is still found, with `removed: true`.
#[utoipa::path(
    get, path = CATEGORY.path, operation_id = "getCategory", tag = "categories",
    params(
        ("tenant" = String, Path, description = "The tenant", pattern = r"^[A-Za-z0-9._~-]{1,64}$"),
        ("id" = u64, Path, description = "The category", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query, description = "The culture to answer in, such as `fr-FR`; the answer says which one it is"),
        ("If-None-Match" = Option<String>, Header, description = "Tags of answers that the caller has"),
    ),
    responses(
        (status = 200, description = "The category", body = Category<'static>, headers(("ETag" = String, description = "There where the answer is exactly what the version says"))),
        (status = 304, description = "As the caller has it", headers(("ETag" = String, description = "The one that the caller has"))),
        (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
        (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn category(world: &World, asked: &Asked<'_>) -> Result<Reply, Problem> {
    let (id, requested): (CategoryId, _) = (path_id(asked.id)?, asked.culture()?);
    let serving = asked.serving(world, None).await?;
    if let Some(unchanged) = asked.known(|| serving.edition()) {
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
        ("tenant" = String, Path, description = "The tenant", pattern = r"^[A-Za-z0-9._~-]{1,64}$"),
        ("culture" = Option<String>, Query, description = "The culture to answer in, such as `fr-FR`; each category says which one it is"),
        ("limit" = Option<u16>, Query, description = "How many on a page; 50 where it is left out", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, unchanged"),
        ("If-None-Match" = Option<String>, Header, description = "Tags of answers that the caller has"),
    ),
    responses(
        (status = 200, description = "A page", body = Categories<'static>, headers(("ETag" = String, description = "There where the answer is exactly what the version says"))),
        (status = 304, description = "As the caller has it", headers(("ETag" = String, description = "The one that the caller has"))),
        (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
        (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn categories(world: &World, asked: &Asked<'_>) -> Result<Reply, Problem> {
    let (requested, limit) = (asked.culture()?, asked.query.limit()?);
    let turn = asked.turn(&List::Categories, Place::parse)?;
    let serving = asked
        .serving(world, turn.as_ref().map(|turn| turn.version))
        .await?;
    if let Some(unchanged) = asked.known(|| serving.edition()) {
        return Ok(unchanged);
    }
    serving.for_lists().await?;
    let page = serving.categories(limit, turn.map(|turn| turn.at)).await?;
    let order = serving.order(requested.as_ref());
    let items = page.items.iter().map(|row| {
        let value = &row.value;
        let own = CategoryNamed {
            culture: &value.culture,
            name: &value.name,
            path: value.path.as_deref(),
        };
        let named = own.best(&value.names, &order);
        ListedCategory {
            id: row.id.get(),
            name: named.name,
            culture: named.culture.as_str(),
            path: named.path,
            notation: value.notation.as_deref(),
            deprecated: value.deprecated,
        }
    });
    let answer = Categories {
        items: items.collect(),
        next_cursor: asked.next_cursor(&List::Categories, &serving, page.next.as_ref()),
    };
    let reply = Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture));
    Ok(reply.of(serving.edition()))
}

pub(crate) fn category_not_found() -> Problem {
    let detail = "No version of this taxonomy has had a category with this id.";
    Problem::new(Code::CategoryNotFound, detail)
}
