//! The children of a term, page by page.

use std::collections::HashMap;

use serde::Serialize;
use taxonomy_keys::{Culture, List, ListPosition, TermId};
use taxonomy_model::stored::{ListedTerm, StoredCategory, StoredTerm, final_name};
use taxonomy_version_reader::ListRow;
use utoipa::ToSchema;

use crate::best_name::{CategoryNamed, best};
use crate::context::Context;
use crate::details::Details;
use crate::parameters::path_id;
use crate::problem::Problem;
use crate::replacements::Replacements;
use crate::reply::Reply;
use crate::request::Request;
use crate::route::Route;
use crate::serving::{Serving, Stored};
use crate::terms::term_not_found;

pub(crate) const CHILDREN: Route =
    Route::get("/v1/tenants/{tenant}/terms/{id}/children", |context, request| {
        Box::pin(children(context, request))
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

/// A term in a list; the operation by id returns all of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Child<'a> {
    /// The term.
    id: u64,
    /// Its name.
    name: &'a str,
    /// The culture of the name.
    culture: &'a str,
    /// `{category name}:{term name}`.
    final_name: String,
    /// Its path, if the file has one and the culture is the default one; the term by id has its path in every culture.
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

/// The children of a term
///
/// The terms directly below it, in their order, page by page. For a term without children, or a removed one, the page is empty.
#[utoipa::path(
    get, path = CHILDREN.path, operation_id = "getChildren", tag = "terms",
    params(
        ("id" = u64, Path, description = "The term above them", maximum = 9007199254740991u64),
        ("culture" = Option<String>, Query), ("deprecated" = Option<String>, Query), ("include" = Option<String>, Query),
        ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = Children<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn children(context: &Context, request: &Request<'_>) -> Result<Reply, Problem> {
    let (id, requested): (TermId, _) = (path_id(request.id)?, request.culture()?);
    let (limit, list) = (request.query.limit()?, List::Children(id));
    let (retired, with_details) = (request.query.deprecated()?, request.query.details()?);
    let turn = request.turn(&list, ListPosition::parse)?;
    let serving = request
        .serving(context, turn.as_ref().map(|turn| turn.version))
        .await?;
    if let Some(unchanged) = request.known(&serving.edition()) {
        return Ok(unchanged);
    }
    // Reads the parent in the culture of its own item: the paths of the page continue its path in that culture.
    let parent = [id];
    let file = serving.file().await?;
    let after = turn.map(|turn| turn.at);
    let listed = async { Ok(file.listed_terms(list, limit, after.as_ref()).await?) };
    let (parents, page) = tokio::try_join!(serving.terms(&parent, &[]), listed)?;
    let parent = parents.get(&id).ok_or_else(term_not_found)?;
    let order = serving.order(requested.as_ref());
    let rows = page
        .items
        .iter()
        .filter(|row| retired.keeps(row.value.deprecated));
    let named: Vec<Named<'_>> = rows.map(|row| Named::of(row, &order)).collect();
    let category = category(&serving, parent, &named).await?;
    let above = Above::new(parent, category.as_deref(), &serving);
    let whole = match with_details {
        true => whole(&serving, &named, &order).await?,
        false => HashMap::new(),
    };
    let terms = whole.iter().map(|(id, term)| (*id, &**term));
    let replacements = Replacements::of(&serving, terms).await?;
    let items = named.iter().map(|named| {
        let whole = whole.get(&named.id);
        let whole = whole.map(|term| Details::of_term(term, replacements.get(named.id, term)));
        Ok(Child {
            details: whole.transpose()?,
            ..above.child(named)
        })
    });
    let answer = Children {
        items: items.collect::<Result<_, Problem>>()?,
        next_cursor: request.next_cursor(&list, &serving, page.next.as_ref()),
    };
    let reply = Reply::json(&answer)?.in_languages(answer.items.iter().map(|item| item.culture));
    Ok(reply.of(serving.edition()))
}

/// A row of the page with the name in the best culture.
struct Named<'a> {
    id: TermId,
    term: &'a ListedTerm,
    culture: &'a Culture,
    name: &'a str,
}

impl<'a> Named<'a> {
    fn of(row: &'a ListRow<TermId, ListedTerm>, order: &[Culture]) -> Self {
        let term = &row.value;
        let (culture, name) = match best(&term.culture, &term.names, order) {
            Some((culture, name)) => (culture, name),
            None => (&term.culture, &term.name),
        };
        Self {
            id: row.id,
            term,
            culture,
            name,
        }
    }
}

/// Returns the terms of a page with all their details, by one more request.
async fn whole(
    serving: &Serving<'_>,
    named: &[Named<'_>],
    order: &[Culture],
) -> Result<HashMap<TermId, Stored<StoredTerm>>, Problem> {
    let ids: Vec<TermId> = named.iter().map(|named| named.id).collect();
    let found = serving.terms(&ids, order).await?;
    match ids.iter().all(|id| found.contains_key(id)) {
        true => Ok(found),
        false => Err(Problem::unavailable("a listed term is not there, or not yet")),
    }
}

/// Returns the category where it is needed: its name in the default culture is the beginning of the parent's FinalName.
async fn category(
    serving: &Serving<'_>,
    parent: &StoredTerm,
    named: &[Named<'_>],
) -> Result<Option<Stored<StoredCategory>>, Problem> {
    if named.iter().all(|named| *named.culture == parent.culture) {
        return Ok(None);
    }
    serving.category(parent.category_id).await
}

/// The nodes above the children, which their FinalNames and paths need.
struct Above<'a> {
    parent: &'a StoredTerm,
    path: Option<String>,
    category: Option<&'a StoredCategory>,
    cultures: Vec<Culture>,
    serving: &'a Serving<'a>,
}

impl<'a> Above<'a> {
    fn new(parent: &'a StoredTerm, category: Option<&'a StoredCategory>, serving: &'a Serving<'a>) -> Self {
        let cultures = category.map_or_else(Vec::new, |category| {
            let others = category.names.keys();
            others.chain([&category.culture]).cloned().collect()
        });
        Self {
            parent,
            path: parent.paths().swap_remove(0),
            category,
            cultures,
            serving,
        }
    }

    fn child(&self, named: &Named<'a>) -> Child<'a> {
        let term = named.term;
        // The index has paths in the term's own culture alone.
        let has_path = *named.culture == term.culture && term.culture == self.parent.culture;
        let path = has_path.then(|| term.full_path(self.path.as_deref())).flatten();
        Child {
            id: named.id.get(),
            name: named.name,
            culture: named.culture.as_str(),
            final_name: final_name(self.category_name(named.culture), named.name),
            path,
            notation: term.notation.as_deref(),
            deprecated: term.deprecated,
            has_children: term.has_children,
            details: None,
        }
    }

    /// Returns the name of the category in the FinalName of a term in `culture`, by the rule that also wrote the item of the term.
    fn category_name(&self, culture: &Culture) -> &'a str {
        match self.category {
            Some(category) if *culture != self.parent.culture => {
                let order = self.serving.order_of_items(culture, &self.cultures);
                CategoryNamed::of(category, &order).name
            }
            _ => self.parent.category_name(),
        }
    }
}
