//! The head of a tenant: its committed and its served version.

use taxonomy_api::{Head, Totals};

use crate::request::Request;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::details::provenance;
use crate::routes::route::Route;
use crate::snapshot::Snapshot;

pub(crate) const TENANT: Route = Route::get("/v1/tenants/{tenant}", |request| Box::pin(tenant(request)));

/// The head of a tenant
///
/// The newest version and its size. At most two seconds old. With `version` or `asOf` the head at the time when that version was the newest one.
#[utoipa::path(
    get, path = TENANT.path, operation_id = "getTenant", tag = "tenants",
    params(("version" = Option<u64>, Query), ("asOf" = Option<String>, Query)),
    responses((status = 200, description = "The head", body = Head<'static>), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn tenant(request: &Request<'_>) -> Result<Answer, Problem> {
    let is_newest = !request.query.names_a_version()?;
    let snapshot = match is_newest {
        true => Snapshot::current(request.context, request.current(None).await?, request.files_until),
        false => request.snapshot_without_names(None).await?,
    };
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let entry;
    let (committed_at, stated, categories, terms) = match is_newest {
        true => {
            let head = snapshot.head();
            (head.committed_at, &head.provenance, head.categories, head.terms)
        }
        false => {
            entry = snapshot.entry(snapshot.version()).await?;
            let totals = entry.totals;
            (
                entry.committed_at,
                &entry.provenance,
                totals.categories,
                totals.terms,
            )
        }
    };
    let settings = snapshot.settings();
    let body = Head {
        tenant: snapshot.tenant().clone(),
        version: snapshot.version(),
        committed_at: rfc3339(committed_at)?,
        provenance: provenance(stated),
        default_culture: settings.default_culture.clone(),
        fallback_chain: settings.fallback_chain.clone(),
        cultures: snapshot.cultures().to_vec(),
        totals: Totals { categories, terms },
    };
    Ok(Answer::json(&body)?.tagged(&snapshot.tag()))
}
