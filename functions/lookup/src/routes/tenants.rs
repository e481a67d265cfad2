//! The head of a tenant: its committed and its served version.

use taxonomy_api::{Head, Totals};

use crate::request::Request;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::details::provenance;
use crate::routes::route::Route;
use crate::snapshot::context::Context;
use crate::snapshot::version_tag::VersionTag;

pub(crate) const TENANT: Route = Route::get("/v1/tenants/{tenant}", |context, request| {
    Box::pin(tenant(context, request))
});

/// The head of a tenant
///
/// The newest version and its size. At most two seconds old. With `version` or `asOf` the head at the time when that version was the newest one.
#[utoipa::path(
    get, path = TENANT.path, operation_id = "getTenant", tag = "tenants",
    params(("version" = Option<u64>, Query), ("asOf" = Option<String>, Query)),
    responses((status = 200, description = "The head", body = Head<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn tenant(context: &Context, request: &Request<'_>) -> Result<Answer, Problem> {
    if request.query.names_a_version()? {
        return of_version(context, request).await;
    }
    let current = context.current(request.tenant, None).await?;
    if let Some(unchanged) = request.known(&VersionTag::new(&current)) {
        return Ok(unchanged);
    }
    let head = current.head();
    let body = Head {
        tenant: current.tenant().clone(),
        version: head.version,
        committed_at: rfc3339(head.committed_at)?,
        provenance: provenance(&head.provenance),
        default_culture: head.settings.default_culture.clone(),
        fallback_chain: head.settings.fallback_chain.clone(),
        cultures: head.cultures.to_vec(),
        totals: Totals {
            categories: head.categories,
            terms: head.terms,
        },
    };
    Ok(Answer::json(&body)?.tagged(&VersionTag::new(&current)))
}

/// Returns the head at the time when a version was the newest one.
async fn of_version(context: &Context, request: &Request<'_>) -> Result<Answer, Problem> {
    let snapshot = request.snapshot_without_names(context, None).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let version = snapshot.version();
    let entry = context.entry(snapshot.tenant(), version).await?;
    let settings = snapshot.settings();
    let body = Head {
        tenant: snapshot.tenant().clone(),
        version,
        committed_at: rfc3339(entry.committed_at)?,
        provenance: provenance(&entry.provenance),
        default_culture: settings.default_culture.clone(),
        fallback_chain: settings.fallback_chain.clone(),
        cultures: snapshot.cultures().to_vec(),
        totals: Totals {
            categories: entry.totals.categories,
            terms: entry.totals.terms,
        },
    };
    Ok(Answer::json(&body)?.tagged(&snapshot.tag()))
}
