//! The aggregates of a tenant and of its categories.

use taxonomy_api::{CategoryStats, Counts, Month, TenantStats};
use taxonomy_keys::{CategoryId, Month as MonthKey, Version};
use taxonomy_model::Counts as StoredCounts;
use taxonomy_model::stats::Activity;
use taxonomy_store::Versioned;

use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::{Problem, ProblemCode};
use crate::response::rfc3339::rfc3339;
use crate::routes::route::Route;

pub(crate) const TENANT: Route =
    Route::get("/v1/tenants/{tenant}/stats", |request| Box::pin(tenant(request)));
pub(crate) const CATEGORY: Route = Route::get("/v1/tenants/{tenant}/categories/{id}/stats", |request| {
    Box::pin(category(request))
});

/// The aggregates of a tenant
///
/// Those of a version that was served, which the response names. A version has its aggregates moments after it is served. With `version` or `asOf`
/// the aggregates of that version, without `months`.
#[utoipa::path(
    get, path = TENANT.path, operation_id = "getTenantStats", tag = "stats",
    params(("version" = Option<u64>, Query), ("asOf" = Option<String>, Query)),
    responses((status = 200, description = "The counts, and what happened month by month", body = TenantStats<'static>)),
)]
pub(crate) async fn tenant(request: &Request<'_>) -> Result<Answer, Problem> {
    if request.query.names_a_version()? || request.context.reads_files {
        return tenant_at(request).await;
    }
    let current = request.current(None).await?;
    let tenant = current.tenant();
    let (stats, months) = request.context.table()?.aggregates.with_activity(tenant).await?;
    let found = stats.ok_or_else(not_counted)?;
    let (stats, version) = (found.value, version_of(found.modified_in)?);
    let body = TenantStats {
        tenant: tenant.clone(),
        version,
        changed_at: rfc3339(stats.changed_at)?,
        categories: stats.counts.categories,
        counts: counted(&stats.counts.counts),
        added: stats.added,
        changed: stats.changed,
        removed: stats.removed,
        months: Some(months.iter().map(month).collect::<Result<_, Problem>>()?),
    };
    Ok(Answer::json(&body)?.untagged().of_version(version))
}

fn month((month, found): &(MonthKey, Versioned<Activity>)) -> Result<Month, Problem> {
    let Activity { versions, changes } = &found.value;
    Ok(Month {
        month: month.to_string(),
        version: version_of(found.modified_in)?,
        versions: *versions,
        added: changes.added,
        changed: changes.changed,
        removed: changes.removed,
        renamed: changes.renamed,
        moved: changes.moved,
        deprecated: changes.deprecated,
        restored: changes.restored,
        final_names: changes.final_names,
    })
}

/// The aggregates of a category
///
/// Those of the last version that changed it, which the response names; they hold for every later version that has aggregates. With `version` or
/// `asOf` those of the last version up to that one.
#[utoipa::path(
    get, path = CATEGORY.path, operation_id = "getCategoryStats", tag = "stats",
    params(
        ("id" = u64, Path, description = "The category", maximum = 9007199254740991u64),
        ("version" = Option<u64>, Query), ("asOf" = Option<String>, Query),
    ),
    responses((status = 200, description = "The counts", body = CategoryStats<'static>)),
)]
pub(crate) async fn category(request: &Request<'_>) -> Result<Answer, Problem> {
    let id = path_id(request.id)?;
    if request.query.names_a_version()? || request.context.reads_files {
        return category_at(request, id).await;
    }
    let current = request.current(None).await?;
    let tenant = current.tenant();
    let stats = request.context.table()?.aggregates.category(tenant, id).await?;
    let found = stats.ok_or_else(not_counted)?;
    let (stats, version) = (found.value, version_of(found.modified_in)?);
    let body = CategoryStats {
        tenant: tenant.clone(),
        version,
        changed_at: rfc3339(stats.changed_at)?,
        id: stats.id,
        counts: counted(&stats.counts),
        removed: stats.removed,
    };
    Ok(Answer::json(&body)?.untagged().of_version(version))
}

/// Returns the aggregates of a tenant in a version, from its index file and its entry in the log.
async fn tenant_at(request: &Request<'_>) -> Result<Answer, Problem> {
    let snapshot = request.snapshot_without_names(None).await?;
    let entry = snapshot.entry(snapshot.version()).await?;
    let footer = snapshot.file().await?.footer();
    let body = TenantStats {
        tenant: snapshot.tenant().clone(),
        version: snapshot.version(),
        changed_at: rfc3339(entry.committed_at)?,
        categories: entry.totals.categories,
        counts: counted(footer.counts()),
        added: entry.changes.added,
        changed: entry.changes.changed,
        removed: entry.changes.removed,
        months: None,
    };
    Ok(Answer::json(&body)?.untagged().of_version(snapshot.version()))
}

/// Returns the aggregates of a category in a version, from its index file and the log entry of the version that changed it last.
async fn category_at(request: &Request<'_>, id: CategoryId) -> Result<Answer, Problem> {
    let snapshot = request.snapshot_without_names(None).await?;
    let found = snapshot
        .file()
        .await?
        .counted(id)
        .await?
        .ok_or_else(not_counted)?;
    let entry = snapshot.entry(found.touched_in).await?;
    let none = StoredCounts::default();
    let body = CategoryStats {
        tenant: snapshot.tenant().clone(),
        version: found.touched_in,
        changed_at: rfc3339(entry.committed_at)?,
        id,
        counts: counted(found.counts.as_ref().unwrap_or(&none)),
        removed: found.counts.is_none(),
    };
    Ok(Answer::json(&body)?.untagged().of_version(snapshot.version()))
}

fn counted(counts: &StoredCounts) -> Counts<'_> {
    Counts {
        terms: counts.terms,
        leaves: counts.leaves,
        deprecated: counts.deprecated,
        depths: (&*counts.depths).into(),
        names: counts
            .names
            .iter()
            .map(|(culture, terms)| (culture.clone(), terms))
            .collect(),
    }
}

fn version_of(number: u64) -> Result<Version, Problem> {
    Version::new(number).ok_or_else(|| Problem::internal("aggregates of a version that is none"))
}

pub(crate) fn not_counted() -> Problem {
    let detail =
        "Nothing is counted under this id, or not yet: a version is counted moments after it is served.";
    Problem::new(ProblemCode::StatsNotFound, detail)
}
