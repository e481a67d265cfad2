//! Categories: one by id, or a page of all.

use std::sync::Arc;

use serde::Serialize;
use taxonomy_api::{Category, ListedCategory};
use taxonomy_keys::{CategoryId, Culture};
use taxonomy_model::NodeId;
use taxonomy_model::stored::StoredCategory;
use utoipa::ToSchema;

use crate::cache::entry::{Beside, Entry, Requested};
use crate::files::{Below, ListedNode, Position};
use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::all_names::AllNames;
use crate::routes::best_name::CategoryNamed;
use crate::routes::details::{self, alt_names, deprecation, metadata, notes, relations};
use crate::routes::missing;
use crate::routes::place;
use crate::routes::route::Route;
use crate::snapshot::Snapshot;

pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}", |request| {
    Box::pin(category(request))
});
/// The list in the cursors of its pages.
const LIST: &str = "categories";

pub(crate) const CATEGORIES: Route = Route::get("/v1/tenants/{tenant}/categories", |request| {
    Box::pin(categories(request))
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
        ("culture" = Option<String>, Query), ("names" = Option<String>, Query),
        ("include" = Option<String>, Query), ("deprecated" = Option<String>, Query),
    ),
    responses((status = 200, description = "The category", body = Category<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn category(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: CategoryId = path_id(request.id)?;
    let (all_names, deprecated) = (request.query.all_names()?, request.query.deprecated()?);
    let [with_place] = request.query.members(["place"])?;
    let snapshot = request.snapshot(None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let node = NodeId::Category(id.get());
    let kept = match snapshot.kept(std::iter::once(node)).await?.remove(&node) {
        Some(kept) => kept,
        None => {
            let stored = snapshot.category(id).await?;
            let made = stored
                .map(|stored| made_entry(&snapshot, id, &stored))
                .transpose()?;
            let kept = made.map(Arc::new);
            snapshot.keep(std::iter::once((node, kept.clone()))).await;
            kept
        }
    };
    let Some(entry) = kept else {
        return Err(missing::category(&snapshot, id).await);
    };
    // An entry is of one culture; the item that it was made of has all.
    let stored = match all_names {
        true => snapshot.category(id).await?,
        false => None,
    };
    let names = stored.as_ref().map(|stored| AllNames::new().of_category(stored));
    let mut beside = Beside {
        names: names.transpose()?,
        ..Beside::default()
    };
    if with_place {
        beside = place::beside(&snapshot, node, deprecated, beside).await?;
    }
    let body = Requested {
        entry: &entry,
        beside: Some(&beside),
        culture: snapshot.language().requested.as_ref(),
    };
    let body = body.json().map_err(Problem::internal)?.into_owned();
    let answer = Answer::text(body).in_languages([entry.culture.as_str()]);
    Ok(answer.tagged(&snapshot.tag()))
}

fn made_entry(snapshot: &Snapshot<'_>, id: CategoryId, stored: &StoredCategory) -> Result<Entry, Problem> {
    let order = snapshot.order();
    let named = CategoryNamed::new(stored, &order);
    let answer = Category {
        tenant: snapshot.tenant().clone(),
        version: snapshot.version(),
        id,
        name: named.name.into(),
        culture: named.culture.clone(),
        path: named.path.map(Into::into),
        notation: stored.notation.as_deref().map(Into::into),
        alt_names: alt_names(stored, &named).into(),
        notes: stored.notes.get(named.culture).map(notes),
        sort_key: stored.sort_key.as_deref().map(Into::into),
        metadata: metadata(stored.metadata.as_deref())?,
        deprecated: stored.deprecated,
        deprecation: stored.deprecation.as_ref().map(deprecation),
        replaced_by: (&*stored.replaced_by).into(),
        relations: relations(&stored.relations),
        removed: stored.removed,
        names: None,
        place: None,
        requested_culture: None,
    };
    Entry::new(&answer, &answer.culture).map_err(Problem::internal)
}

/// The categories of a tenant
///
/// In their order, page by page.
#[utoipa::path(
    get, path = CATEGORIES.path, operation_id = "getCategories", tag = "categories",
    params(
        ("culture" = Option<String>, Query), ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("names" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Categories<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn categories(request: &Request<'_>) -> Result<Answer, Problem> {
    let limit = request.query.limit()?;
    let (deprecated, with_details) = (request.query.deprecated()?, request.query.details()?);
    let mut all_names = request.query.all_names()?.then(AllNames::new);
    let (before, from) = request.position(LIST, |text| text.parse::<Position>().ok())?;
    let snapshot = request.snapshot(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let (file, order) = (snapshot.file().await?, snapshot.order());
    let siblings = from.map_or_else(|| file.order_for(&order), |from| from.order);
    let from = from.map(|from| from.at);
    let page = file.categories(deprecated, limit.into(), siblings, from).await?;
    let stored = page.items.iter().map(|ListedNode { node, below }| {
        let id = node.category().map(|category| category.id());
        let found = id.zip(node.stored_category());
        let (id, category) =
            found.ok_or_else(|| Problem::internal("a list of categories met what is no category"))?;
        Ok::<_, Problem>((id, category, *below))
    });
    let stored: Vec<(CategoryId, StoredCategory, Below)> = stored.collect::<Result<_, _>>()?;
    let items = stored.iter().map(|(id, category, below)| {
        let names = all_names.as_mut().map(|all| all.of_category(category));
        Ok::<_, Problem>(ListedCategory {
            names: names.transpose()?,
            ..listed(*id, category, *below, &order, with_details)?
        })
    });
    let next = page.next.map(|at| Position { at, order: siblings });
    let body = Categories {
        items: items.collect::<Result<_, _>>()?,
        next_cursor: request.next_cursor(LIST, &snapshot, next),
    };
    let answer = Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()).followed_by(body.next_cursor))
}

fn listed<'a>(
    id: CategoryId,
    category: &'a StoredCategory,
    below: Below,
    order: &[Culture],
    with_details: bool,
) -> Result<ListedCategory<'a>, Problem> {
    let named = CategoryNamed::new(category, order);
    let details = with_details.then(|| details::of_category(category, &named));
    Ok(ListedCategory {
        id,
        name: named.name.into(),
        culture: named.culture.clone(),
        path: named.path.map(Into::into),
        notation: category.notation.as_deref().map(Into::into),
        deprecated: category.deprecated,
        child_count: below.children.into(),
        descendant_count: below.descendants.into(),
        names: None,
        details: details.transpose()?,
    })
}
