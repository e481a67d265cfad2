//! Categories: one, or a page of all.

use taxonomy_keys::Culture;
use taxonomy_model::stored::StoredCategory;
use taxonomy_store::Found;

use crate::answers::{Categories, Category, ListedCategory, metadata};
use crate::authorise::AuthorisedTenant;
use crate::cursor;
use crate::parameters::{Parameters, path_id};
use crate::problem::{Code, Document, Problem};
use crate::reply::Reply;
use crate::world::World;

/// A category
///
/// A category that was removed is still found, with `removed: true`.
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/categories/{id}", operation_id = "getCategory", tag = "categories",
    params(
        ("tenant" = String, Path, description = "The tenant", pattern = r"^[A-Za-z0-9._~-]{1,64}$"),
        ("id" = u64, Path, description = "The category", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query, description = "The culture to answer in, such as `fr-FR`; the answer says which one it is"),
    ),
    responses(
        (status = 200, description = "The category", body = Category<'static>),
        (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
        (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn category(
    world: &World,
    tenant: &AuthorisedTenant,
    id: &str,
    query: &Parameters,
) -> Result<Reply, Problem> {
    let (id, requested) = (path_id(id)?, query.culture()?);
    let serving = world.serving(tenant).await?;
    let Some(Found { value, modified_in }) = world.reader.category(serving.tenant, id).await? else {
        let detail = "No version of this taxonomy has had a category with this id.";
        return Err(Problem::new(Code::CategoryNotFound, detail));
    };
    let named = best_name(&value, &serving.order(requested.as_ref()));
    let alt_names = value
        .alt_names
        .iter()
        .find(|(culture, _)| culture == named.culture);
    let answer = Category {
        tenant: serving.tenant.as_str(),
        version: serving.version,
        id: value.id.get(),
        name: named.name,
        culture: named.culture.as_str(),
        requested_culture: requested.as_ref().map(Culture::as_str),
        path: named.path,
        notation: value.notation.as_deref(),
        alt_names: alt_names.map_or(&[], |(_, names)| names),
        sort_key: value.sort_key.as_deref(),
        metadata: metadata(value.metadata.as_deref())?,
        deprecated: value.deprecated,
        replaced_by: &value.replaced_by,
        removed: value.removed,
        modified_in,
    };
    Ok(Reply::json(&answer)?.in_languages([answer.culture].into_iter()))
}

/// The categories of a tenant
///
/// In their order, page by page.
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/categories", operation_id = "getCategories", tag = "categories",
    params(
        ("tenant" = String, Path, description = "The tenant", pattern = r"^[A-Za-z0-9._~-]{1,64}$"),
        ("culture" = Option<String>, Query, description = "The culture to answer in, such as `fr-FR`; each category says which one it is"),
        ("limit" = Option<u16>, Query, description = "How many on a page; 50 where it is left out", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before, unchanged"),
    ),
    responses(
        (status = 200, description = "A page", body = Categories<'static>),
        (status = "4XX", description = "A problem of the request", body = Document<'static>, content_type = "application/problem+json"),
        (status = "5XX", description = "A problem of the service", body = Document<'static>, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn categories(
    world: &World,
    tenant: &AuthorisedTenant,
    query: &Parameters,
) -> Result<Reply, Problem> {
    let (requested, limit) = (query.culture()?, query.limit()?);
    let start = match query.cursor()? {
        None => None,
        Some(text) => Some(cursor::categories_from(tenant.id(), text).ok_or_else(|| {
            let detail = "The cursor is not one of this tenant's categories, or was changed.";
            Problem::new(Code::InvalidParameter, detail).at("/query/cursor")
        })?),
    };
    let serving = world.serving(tenant).await?;
    let page = world.reader.categories(serving.tenant, limit, start).await?;
    let order = serving.order(requested.as_ref());
    let items = page.items.iter().map(|found| {
        let named = best_name(&found.value, &order);
        ListedCategory {
            id: found.value.id.get(),
            name: named.name,
            culture: named.culture.as_str(),
            path: named.path,
            notation: found.value.notation.as_deref(),
            deprecated: found.value.deprecated,
            modified_in: found.modified_in,
        }
    });
    let items = items.collect();
    let next_cursor = page
        .next
        .and_then(|start| cursor::of_categories(serving.tenant, start));
    let answer = Categories { items, next_cursor };
    Ok(Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture)))
}

struct Named<'a> {
    culture: &'a Culture,
    name: &'a str,
    path: Option<&'a str>,
}

/// The best of a category's own names, by the same order that terms are answered in; all of them lie in its one item.
fn best_name<'a>(category: &'a StoredCategory, order: &[Culture]) -> Named<'a> {
    let default = Named {
        culture: &category.culture,
        name: &category.name,
        path: category.path.as_deref(),
    };
    let own = |wanted: &Culture| category.names.iter().find(|(culture, ..)| culture == wanted);
    let best = order
        .iter()
        .take_while(|wanted| **wanted != category.culture)
        .find_map(own);
    best.map_or(default, |(culture, name, path)| Named {
        culture,
        name,
        path: path.as_deref(),
    })
}
