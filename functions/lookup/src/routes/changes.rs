//! Changes between two versions: of one version, since a version, and between any two. All three are pages of one difference
//! (docs/decisions/0021-changes.md).

use std::collections::BTreeMap;

use serde::Serialize;
use taxonomy_api::NodeKind;
use taxonomy_keys::{Culture, Version};
use taxonomy_model::{ChangeKind, NodeId};
use utoipa::ToSchema;

use crate::files::{
    CategoryTotals, DifferenceTotals, Different, FileNode, FilePage, PageBounds, TermTotals, VersionFile,
    Wanted,
};
use crate::request::Request;
use crate::request::parameters::path_version;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::route::Route;
use crate::routes::states::{Above, ChangeOperation, NodeState};

pub(crate) const OF_VERSION: Route = Route::get("/v1/tenants/{tenant}/versions/{id}/changes", |request| {
    Box::pin(of_version(request))
});
pub(crate) const SINCE: Route =
    Route::get("/v1/tenants/{tenant}/changes", |request| Box::pin(since(request)));
pub(crate) const BETWEEN: Route =
    Route::get("/v1/tenants/{tenant}/diff", |request| Box::pin(between(request)));

/// A page of the categories and terms that differ between two versions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangesPage {
    /// The version of `before`; 0 stands for a tenant without a taxonomy.
    from: u64,
    /// The version of `after`.
    to: u64,
    /// The default cultures of both versions, where they differ. Names without `culture` are then in different cultures on the two sides, and a
    /// category is no item for this reason alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    default_culture: Option<DefaultCultures>,
    /// How many items the whole difference has, whatever `operation` and `category` choose; on the first page alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    totals: Option<ChangeTotals>,
    /// Categories, then terms in the order of the tree, then those that the later version lacks. A page may have fewer than `limit` items and
    /// still be followed by another.
    items: Vec<ChangedNode>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// The number of items on all pages.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeTotals {
    /// The categories that differ.
    categories: u64,
    /// The terms that differ.
    terms: u64,
    /// The number of items with each operation; an item may have several. Absent with `atMost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<BTreeMap<String, u64>>, example = json!({"added": 5, "renamed": 10}))]
    operations: Option<BTreeMap<ChangeKind, u64>>,
    /// The terms by their change, each counted once, with `include=places`. Absent with `atMost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    of_terms: Option<TermChanges>,
    /// The categories that differ or have terms that do, in the order of the items, with `include=places`. Absent with `atMost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    by_category: Option<Vec<CategoryChanges>>,
    /// Whether the numbers are upper bounds, because more changed than the service compares for one response: they count what changed back as
    /// well. Absent where they are exact.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    at_most: bool,
}

/// The terms that differ, each counted once. Those of a version that follows the other one are the numbers of its `changes`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TermChanges {
    /// Terms that only `to` has.
    added: u64,
    /// Terms with another name, place or property.
    changed: u64,
    /// Terms that only `from` has.
    removed: u64,
    /// Terms whose FinalName alone differs.
    final_name_only: u64,
}

/// The number of items of a category: its own, and those of its terms. A term that left it for another one is counted there.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CategoryChanges {
    /// The category.
    id: u64,
    /// Its name, after the change.
    name: String,
    /// The culture of the name.
    culture: String,
    /// The number of its items.
    items: u64,
    /// Those of them that follow from a change above.
    following: u64,
    /// The number of items with each operation; an item may have several.
    #[schema(value_type = BTreeMap<String, u64>, example = json!({"added": 5, "renamed": 10}))]
    operations: BTreeMap<ChangeKind, u64>,
}

/// The category or term from whose change another follows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Cause {
    /// Its kind.
    kind: NodeKind,
    /// The category or the term.
    id: u64,
}

/// The default cultures of two versions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DefaultCultures {
    /// That of `from`.
    before: String,
    /// That of `to`.
    after: String,
}

/// A category or term that differs between two versions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedNode {
    /// Its kind: a category and a term may share an id.
    kind: NodeKind,
    /// The kind of the node: a category and a term may share an id.
    id: u64,
    /// The kinds of its change; at least one.
    #[schema(value_type = Vec<ChangeOperation>)]
    operations: Vec<ChangeKind>,
    /// With `changed`: the fields that differ beside names, place and `deprecated`, by their names in the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<String>,
    /// The category or term above from whose change this one follows, with `include=places`: of several the nearest. The FinalName follows the
    /// category's name, a path the path above, and what is below a term that moves to another category moves along. Absent where the node itself
    /// was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    follows: Option<Cause>,
    /// As `from` has it; absent where it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    before: Option<NodeState>,
    /// As `to` has it; absent where it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    after: Option<NodeState>,
}

/// The two versions to compare.
#[derive(Debug, Clone, Copy)]
struct VersionPair {
    /// None: a tenant without a taxonomy.
    earlier: Option<Version>,
    /// None: the version that the request is answered from.
    later: Option<Version>,
    /// Whether `before` is of the later version.
    is_backwards: bool,
}

/// The changes of a version
///
/// All changes of the version against the version before it. A term whose FinalName changed because its category was renamed or the
/// default culture changed is an item as well.
#[utoipa::path(
    get, path = OF_VERSION.path, operation_id = "getVersionChanges", tag = "versions",
    params(
        ("id" = u64, Path, description = "The number of the version", minimum = 1, maximum = 999999999999u64),
        ("operation" = Option<ChangeOperation>, Query, description = "Only items with this operation"),
        ("category" = Option<u64>, Query, description = "Only the category with this id and its terms, as they are after the change", maximum = 9007199254740991u64),
        ("include" = Option<String>, Query), ("culture" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = ChangesPage), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn of_version(request: &Request<'_>) -> Result<Answer, Problem> {
    let version = path_version(request.id)?;
    let pair = VersionPair {
        earlier: Version::new(version.get() - 1),
        later: Some(version),
        is_backwards: false,
    };
    page(request, &format!("changes-of:{version}"), pair).await
}

/// Changes since a version
///
/// The net changes from a version to the served one, or to that of `version` or `asOf`, without changes that were undone in between. Later pages
/// are of the versions of the first. To follow a tenant, send the next request with `after` set to the `to` of the response.
#[utoipa::path(
    get, path = SINCE.path, operation_id = "getChanges", tag = "versions",
    params(
        ("after" = u64, Query, description = "The version that the caller has; 0 for none", minimum = 0, maximum = 999999999999u64),
        ("operation" = Option<ChangeOperation>, Query, description = "Only items with this operation"),
        ("category" = Option<u64>, Query, description = "Only the category with this id and its terms, as they are after the change", maximum = 9007199254740991u64),
        ("include" = Option<String>, Query), ("culture" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = ChangesPage), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn since(request: &Request<'_>) -> Result<Answer, Problem> {
    let after = request.query.after()?;
    let pair = VersionPair {
        earlier: after,
        later: None,
        is_backwards: false,
    };
    page(request, &format!("changes:{}", number(after)), pair).await
}

/// The difference of two versions
///
/// The net changes from one version to another one, later or earlier.
#[utoipa::path(
    get, path = BETWEEN.path, operation_id = "getDiff", tag = "versions",
    params(
        ("from" = u64, Query, description = "The version of `before`", minimum = 1, maximum = 999999999999u64),
        ("to" = u64, Query, description = "The version of `after`", minimum = 1, maximum = 999999999999u64),
        ("operation" = Option<ChangeOperation>, Query, description = "Only items with this operation"),
        ("category" = Option<u64>, Query, description = "Only the category with this id and its terms, as they are after the change", maximum = 9007199254740991u64),
        ("include" = Option<String>, Query), ("culture" = Option<String>, Query), ("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query),
    ),
    responses((status = 200, description = "A page", body = ChangesPage), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn between(request: &Request<'_>) -> Result<Answer, Problem> {
    let (from, to) = request.query.from_and_to()?;
    let pair = VersionPair {
        earlier: Some(from.min(to)),
        later: Some(from.max(to)),
        is_backwards: from > to,
    };
    page(request, &format!("diff:{from}:{to}"), pair).await
}

/// Returns a page of the difference of two versions. The list names them, except for a later one that the request leaves open: the cursor has it.
async fn page(request: &Request<'_>, list: &str, pair: VersionPair) -> Result<Answer, Problem> {
    let limit = request.query.limit()?;
    let only = Wanted {
        is_backwards: pair.is_backwards,
        kind: request.query.operation()?,
        category: request.query.id("category")?,
    };
    let has_places = request.query.places()?;
    let list = &filtered(list, only);
    let (before, from) = request.position(list, |text| text.parse::<u32>().ok())?;
    let versions = (pair.earlier, pair.later);
    let snapshot = request.snapshot_of_later(versions, before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let later = snapshot.file().await?;
    let earlier = match pair.earlier {
        Some(version) => Some(snapshot.file_of(version).await?),
        None => None,
    };
    let compared = Compared {
        later,
        earlier: earlier.as_ref(),
        bounds: PageBounds::of_items(limit.into()),
        only,
    };
    let found = compared.page(from.unwrap_or_default()).await?;
    let earlier_order = earlier.as_ref().map(|file| snapshot.order_in(file));
    let orders = [earlier_order.unwrap_or_default(), snapshot.order_in(later)];
    let names = Names {
        orders,
        has_places,
        is_backwards: pair.is_backwards,
    };
    let totals = match from {
        None => Some(names.totals(compared.totals().await?)),
        Some(_) => None,
    };
    let items = found.items.iter();
    let versions = [number(pair.earlier), snapshot.version().get()];
    let [from, to] = swapped(versions, pair.is_backwards);
    let body = ChangesPage {
        from,
        to,
        default_culture: earlier
            .as_ref()
            .and_then(|earlier| default_cultures([earlier, later], pair.is_backwards)),
        totals,
        items: items.map(|item| names.changed(item)).collect(),
        next_cursor: request.next_cursor(list, &snapshot, found.next),
    };
    let states = body
        .items
        .iter()
        .flat_map(|item| [&item.before, &item.after])
        .flatten();
    let answer = Answer::json(&body)?.in_languages(states.map(|state| state.culture.as_str()));
    Ok(answer.tagged(&snapshot.tag()).followed_by(body.next_cursor))
}

/// The files of two versions to compare.
struct Compared<'f> {
    later: &'f VersionFile<'f>,
    earlier: Option<&'f VersionFile<'f>>,
    bounds: PageBounds,
    only: Wanted,
}

impl Compared<'_> {
    async fn page(&self, from: u32) -> Result<FilePage<Different>, Problem> {
        match self.is_same() {
            true => Ok(FilePage {
                items: Vec::new(),
                next: None,
            }),
            false => {
                let (earlier, bounds) = (self.earlier, self.bounds);
                Ok(self.later.differences(earlier, from, bounds, self.only).await?)
            }
        }
    }

    async fn totals(&self) -> Result<DifferenceTotals, Problem> {
        let is_backwards = self.only.is_backwards;
        match self.is_same() {
            true => Ok(DifferenceTotals::none()),
            false => Ok(self
                .later
                .difference_totals(self.earlier, self.bounds, is_backwards)
                .await?),
        }
    }

    /// Whether both have the same content, as after a rollback.
    fn is_same(&self) -> bool {
        let state = |file: &VersionFile<'_>| file.footer().identity().state.clone();
        self.earlier.map(state) == Some(state(self.later))
    }
}

/// The name of a list with its filters, for its cursors.
fn filtered(list: &str, only: Wanted) -> String {
    let kind = only.kind.map(|kind| format!(":{kind:?}"));
    let category = only.category.map(|id| format!(":in:{id}"));
    [Some(list.to_owned()), kind, category]
        .into_iter()
        .flatten()
        .collect()
}

/// How nodes are named on both sides.
struct Names {
    /// The cultures of the earlier and the later version, the best first.
    orders: [Vec<Culture>; 2],
    has_places: bool,
    is_backwards: bool,
}

impl Names {
    /// Returns the change of a node.
    fn changed(&self, different: &Different) -> ChangedNode {
        let state = |node: &Option<FileNode>, order: &[Culture]| {
            let node = node.as_ref()?;
            let state = NodeState::new(node, order)?;
            Some(if self.has_places {
                state.placed(node, order)
            } else {
                state
            })
        };
        let [of_earlier, of_later] = &self.orders;
        let states = [
            state(&different.earlier, of_earlier),
            state(&different.later, of_later),
        ];
        let [before, after] = swapped(states, self.is_backwards);
        let change = different.change(self.is_backwards);
        let cause = match self.has_places {
            true => different.cause(&change, self.is_backwards),
            false => None,
        };
        let (kind, id) = kind_and_id(different.id);
        ChangedNode {
            kind,
            id,
            operations: change.kinds,
            fields: change.fields,
            follows: cause.map(kind_and_id).map(|(kind, id)| Cause { kind, id }),
            before,
            after,
        }
    }

    fn totals(&self, totals: DifferenceTotals) -> ChangeTotals {
        let is_exact = totals.kinds.is_some();
        let TermTotals {
            added,
            changed,
            removed,
            final_name_only,
        } = totals.of_terms;
        let by_category = totals.by_category.into_iter();
        ChangeTotals {
            categories: totals.categories,
            terms: totals.terms,
            of_terms: (is_exact && self.has_places).then_some(TermChanges {
                added,
                changed,
                removed,
                final_name_only,
            }),
            by_category: (is_exact && self.has_places).then(|| {
                by_category
                    .filter_map(|category| self.category(category))
                    .collect()
            }),
            at_most: !is_exact,
            operations: totals.kinds,
        }
    }

    fn category(&self, category: CategoryTotals) -> Option<CategoryChanges> {
        let [before, after] = swapped([&self.orders[0], &self.orders[1]], self.is_backwards);
        let order = if category.is_removed { before } else { after };
        let Above { id, name, culture } = Above::category_of(&category.node, order)?;
        Some(CategoryChanges {
            id,
            name,
            culture,
            items: category.items,
            following: category.following,
            operations: category.kinds,
        })
    }
}

fn kind_and_id(node: NodeId) -> (NodeKind, u64) {
    match node {
        NodeId::Category(id) => (NodeKind::Category, id),
        NodeId::Term(id) => (NodeKind::Term, id),
    }
}

/// The default cultures of two versions, where they differ.
fn default_cultures(files: [&VersionFile<'_>; 2], is_backwards: bool) -> Option<DefaultCultures> {
    let cultures = files.map(|file| &file.footer().settings().default_culture);
    let [before, after] = swapped(cultures, is_backwards);
    (before != after).then(|| DefaultCultures {
        before: before.to_string(),
        after: after.to_string(),
    })
}

fn swapped<T>([one, other]: [T; 2], is_swapped: bool) -> [T; 2] {
    match is_swapped {
        true => [other, one],
        false => [one, other],
    }
}

fn number(version: Option<Version>) -> u64 {
    version.map_or(0, Version::get)
}
