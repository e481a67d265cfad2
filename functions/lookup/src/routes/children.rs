//! The children of a term, page by page.

use serde::Serialize;
use taxonomy_api::Child;
use taxonomy_keys::TermId;
use utoipa::ToSchema;

use crate::files::Branch;
use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::route::Route;
use crate::routes::tree::{self, ListedTerm, TermPage};

pub(crate) const CHILDREN: Route = Route::get("/v1/tenants/{tenant}/terms/{id}/children", |request| {
    Box::pin(children(request))
});

/// A page of the children of a term, in their order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Children<'a> {
    /// The children of this page.
    items: Vec<Child<'a>>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// The children of a term
///
/// The terms directly below it, in their order, page by page. For a term without children, or a removed one, the page is empty.
#[utoipa::path(
    get, path = CHILDREN.path, operation_id = "getChildren", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term above them", maximum = 9007199254740991u64),
        ("parents" = Option<String>, Query, description = "`all`: also the terms that have it as a further parent, by a relation `broad` without a scheme; then in the order of the tree", pattern = "^all$"),
        ("culture" = Option<String>, Query), ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("names" = Option<String>, Query),
        ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Children<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn children(request: &Request<'_>) -> Result<Answer, Problem> {
    let id: TermId = path_id(request.id)?;
    let list = format!("children:{id}:{:?}", request.query.deprecated()?);
    tree::page(request, &list, Branch::Below(id), 1, list_of_children).await
}

fn list_of_children(page: &TermPage) -> Result<Answer, Problem> {
    let mut names = page.all_names();
    let items = page.terms.iter().map(|listed| {
        let ListedTerm { id, term, below, .. } = listed;
        Ok(Child {
            id: *id,
            name: (&*term.name).into(),
            culture: term.culture.clone(),
            final_name: (&*term.final_name).into(),
            path: term.paths().swap_remove(0),
            notation: term.notation.as_deref().map(Into::into),
            deprecated: term.deprecated,
            child_count: below.children.into(),
            descendant_count: below.descendants.into(),
            names: listed.names(names.as_mut())?,
            details: page.details(listed)?,
        })
    });
    let body = Children {
        items: items.collect::<Result<_, Problem>>()?,
        next_cursor: page.next_cursor.clone(),
    };
    Ok(Answer::json(&body)?.in_languages(body.items.iter().map(|item| item.culture.as_str())))
}
