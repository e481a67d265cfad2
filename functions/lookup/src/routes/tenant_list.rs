//! The tenants that a caller may read, page by page.

use serde::Serialize;
use taxonomy_api::Totals;
use taxonomy_keys::TenantId;
use taxonomy_store::{ListedTenant, Newest};
use utoipa::ToSchema;

use crate::request::Listing;
use crate::request::authorise::tenant::{Readable, claimed};
use crate::request::cursor;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::route::Route;
use crate::snapshot::context::Context;

pub(crate) const TENANTS: Route = Route::listing("/v1/tenants", |request| Box::pin(tenants(request)));

/// The owner and the name of the list in its cursors; no tenant has this id.
const EVERYBODY: &str = "*";
const LIST: &str = "tenants";

/// The number of tenants of a token that one request reads: the most keys of one BatchGetItem.
const AT_ONCE: usize = 100;

/// A page of tenants, by their ids.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tenants {
    /// The tenants of this page.
    items: Vec<Listed>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A tenant, as lists show it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ListedTenant)]
pub(crate) struct Listed {
    /// The tenant.
    #[schema(value_type = String, pattern = r"^[A-Za-z0-9._~-]{1,64}$")]
    id: TenantId,
    /// Its name for people, if an operator has set one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, example = "Job board")]
    display_name: Option<String>,
    /// What its taxonomy is, if an operator has said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 500)]
    description: Option<String>,
    /// Its newest version; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    newest: Option<NewestVersion>,
}

/// The newest version of a tenant, in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewestVersion {
    /// Its number.
    version: u64,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    committed_at: String,
    /// Every culture that has names.
    cultures: Vec<String>,
    /// Its size.
    totals: Totals,
    /// The terms that it changed.
    changes: NewestChanges,
}

/// The terms that the newest version changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewestChanges {
    /// Terms that the version before did not have.
    added: u64,
    /// Terms with another name, place or property.
    changed: u64,
    /// Terms that the version before had and this one does not.
    removed: u64,
}

/// The tenants that the caller may read
///
/// By their ids, page by page, with their display names and their newest versions. The list may be behind a commit by a moment. A caller who may read all tenants gets those that have had a version or a configuration; a caller whose token names
/// tenants gets those of them that have had a version. Under IAM the route needs a permission of its own.
#[utoipa::path(
    get, path = TENANTS.path, operation_id = "getTenants", tag = "tenants",
    params(("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "A page", body = Tenants)),
)]
pub(crate) async fn tenants(request: &Listing<'_>) -> Result<Answer, Problem> {
    let limit = request.query.limit()?;
    let after = request.query.text("cursor")?.map(read).transpose()?;
    // One more than the page has, so that no page leads to an empty one.
    let wanted = usize::from(limit) + 1;
    let mut known = match request.readable {
        Readable::Everything => all_after(request.context, after, wanted).await?,
        Readable::Claimed(claim) => {
            let named = claimed(claim).into_iter();
            let behind = named.filter(|tenant| after.as_ref().is_none_or(|after| tenant > after));
            with_versions(request.context, behind.collect(), wanted).await?
        }
    };
    let is_last = known.len() < wanted;
    known.truncate(limit.into());
    let last = known.last().filter(|_| !is_last);
    let body = Tenants {
        next_cursor: last.and_then(|last| cursor::write(EVERYBODY, LIST, 0, &last.tenant)),
        items: known.into_iter().map(Listed::new).collect::<Result<_, _>>()?,
    };
    Ok(Answer::json(&body)?.untagged().followed_by(body.next_cursor))
}

impl Listed {
    fn new(listed: ListedTenant) -> Result<Self, Problem> {
        Ok(Self {
            id: listed.tenant,
            display_name: listed.display_name,
            description: listed.description,
            newest: listed.newest.as_ref().map(NewestVersion::new).transpose()?,
        })
    }
}

impl NewestVersion {
    fn new(newest: &Newest) -> Result<Self, Problem> {
        Ok(Self {
            version: newest.version.get(),
            committed_at: rfc3339(newest.committed_at)?,
            cultures: newest.cultures.iter().map(ToString::to_string).collect(),
            totals: Totals {
                categories: newest.categories,
                terms: newest.terms,
            },
            changes: NewestChanges {
                added: newest.added,
                changed: newest.changed,
                removed: newest.removed,
            },
        })
    }
}

/// Returns the tenants after one, up to `wanted`. A request for some of them has fewer only at the end of the list, or where entries are damaged.
async fn all_after(
    context: &Context,
    after: Option<TenantId>,
    wanted: usize,
) -> Result<Vec<ListedTenant>, Problem> {
    let (mut found, mut after) = (Vec::with_capacity(wanted), after);
    while found.len() < wanted {
        let limit = i32::try_from(wanted - found.len()).map_err(Problem::internal)?;
        let page = context.tenants(after.as_ref(), limit).await?;
        after = page.tenants.last().map(|last| last.tenant.clone());
        found.extend(page.tenants);
        if page.is_last {
            break;
        }
    }
    Ok(found)
}

/// Returns the tenants out of those of a token that have had a version, up to `wanted`. A token seldom names more than one request reads.
async fn with_versions(
    context: &Context,
    named: Vec<TenantId>,
    wanted: usize,
) -> Result<Vec<ListedTenant>, Problem> {
    let mut known = Vec::with_capacity(wanted);
    for some in named.chunks(AT_ONCE) {
        known.extend(context.versioned(some).await?);
        if known.len() >= wanted {
            known.truncate(wanted);
            break;
        }
    }
    Ok(known)
}

fn read(text: &str) -> Result<TenantId, Problem> {
    let position = cursor::read(EVERYBODY, LIST, text, |tenant| tenant.parse().ok());
    let none = || {
        let detail = "The cursor is not one of this list, or was changed.";
        Problem::invalid_parameter(detail, "/query/cursor")
    };
    let (_, last) = position.ok_or_else(none)?;
    Ok(last)
}
