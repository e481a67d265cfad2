//! Categories: one by id, or a page of all.

use std::collections::HashMap;
use std::ops::Deref;

use taxonomy_keys::{CategoryId, Culture, List, ListPosition};
use taxonomy_model::stored::{ListedCategory as StoredListed, StoredCategory};
use taxonomy_version_reader::ListRow;

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
use crate::serving::{Serving, Stored};

pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}", |context, request| {
    Box::pin(category(context, request))
});
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
    let turn = request.turn(&List::Categories, ListPosition::parse)?;
    let serving = request
        .serving(context, turn.as_ref().map(|turn| turn.version))
        .await?;
    if let Some(unchanged) = request.known(&serving.edition()) {
        return Ok(unchanged);
    }
    let after = turn.map(|turn| turn.at);
    let page = serving.file().await?.categories(limit, after.as_ref()).await?;
    let order = serving.order(requested.as_ref());
    let rows = || {
        page.items
            .iter()
            .filter(|row| retired.keeps(row.value.deprecated))
    };
    let whole = match with_details {
        true => whole(&serving, rows().map(|row| row.id)).await?,
        false => HashMap::new(),
    };
    let items = rows().map(|row| listed(row, whole.get(&row.id).map(Deref::deref), &order));
    let answer = Categories {
        items: items.collect::<Result<_, _>>()?,
        next_cursor: request.next_cursor(&List::Categories, &serving, page.next.as_ref()),
    };
    let reply = Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture));
    Ok(reply.of(serving.edition()))
}

/// Returns categories with all their details.
async fn whole(
    serving: &Serving<'_>,
    ids: impl Iterator<Item = CategoryId>,
) -> Result<HashMap<CategoryId, Stored<StoredCategory>>, Problem> {
    let mut found = HashMap::new();
    for id in ids {
        let category = serving.category(id).await?;
        let none = || Problem::internal("a listed category is not there");
        found.insert(id, category.ok_or_else(none)?);
    }
    Ok(found)
}

fn listed<'a>(
    row: &'a ListRow<CategoryId, StoredListed>,
    whole: Option<&'a StoredCategory>,
    order: &[Culture],
) -> Result<ListedCategory<'a>, Problem> {
    let value = &row.value;
    let own = CategoryNamed {
        culture: &value.culture,
        name: &value.name,
        path: value.path.as_deref(),
    };
    let named = own.best(&value.names, order);
    let details = whole.map(|category| Details::of_category(category, &named));
    Ok(ListedCategory {
        id: row.id.get(),
        name: named.name,
        culture: named.culture.as_str(),
        path: named.path,
        notation: value.notation.as_deref(),
        deprecated: value.deprecated,
        details: details.transpose()?,
    })
}

pub(crate) fn category_not_found() -> Problem {
    let detail = "No version of this taxonomy has had a category with this id.";
    Problem::new(ProblemCode::CategoryNotFound, detail)
}
