//! The tenants that a caller may read, page by page.

use serde::Serialize;
use taxonomy_keys::TenantId;
use utoipa::ToSchema;

use crate::request::Listing;
use crate::request::authorise::tenant::{Readable, claimed};
use crate::request::cursor;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::route::Route;
use crate::snapshot::context::Context;

pub(crate) const TENANTS: Route = Route::listing("/v1/tenants", |request| Box::pin(tenants(request)));

/// The owner and the name of the list in its cursors; no tenant has this id.
const EVERYBODY: &str = "*";
const LIST: &str = "tenants";

/// A page of tenants, by their ids.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tenants {
    /// The tenants of this page.
    items: Vec<ListedTenant>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A tenant; its head has more.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedTenant {
    /// The tenant.
    #[schema(value_type = String, pattern = r"^[A-Za-z0-9._~-]{1,64}$")]
    id: TenantId,
}

/// The tenants that the caller may read
///
/// By their ids, page by page. A caller who may read all tenants gets those that have had a version or a configuration; a caller whose token names
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
            with_versions(request.context, behind, wanted).await?
        }
    };
    let is_last = known.len() < wanted;
    known.truncate(limit.into());
    let last = known.last().filter(|_| !is_last);
    let body = Tenants {
        next_cursor: last.and_then(|last| cursor::write(EVERYBODY, LIST, 0, last)),
        items: known.into_iter().map(|id| ListedTenant { id }).collect(),
    };
    Ok(Answer::json(&body)?.untagged().followed_by(body.next_cursor))
}

/// Returns the tenants after one, up to `wanted`. A request for some of them has fewer only at the end of the list, or where entries are damaged.
async fn all_after(
    context: &Context,
    after: Option<TenantId>,
    wanted: usize,
) -> Result<Vec<TenantId>, Problem> {
    let (mut found, mut after) = (Vec::with_capacity(wanted), after);
    while found.len() < wanted {
        let limit = i32::try_from(wanted - found.len()).map_err(Problem::internal)?;
        let page = context.tenants(after.as_ref(), limit).await?;
        after = page.tenants.last().cloned();
        found.extend(page.tenants);
        if page.is_last {
            break;
        }
    }
    Ok(found)
}

/// Returns the tenants out of those of a token that have had a version, up to `wanted`.
async fn with_versions(
    context: &Context,
    named: impl Iterator<Item = TenantId>,
    wanted: usize,
) -> Result<Vec<TenantId>, Problem> {
    let mut known = Vec::with_capacity(wanted);
    for tenant in named {
        // Heads are cached, so one that was read a moment ago costs no request.
        if context.current(&tenant, None).await?.is_some() {
            known.push(tenant);
        }
        if known.len() == wanted {
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
