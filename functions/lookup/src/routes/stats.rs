//! The aggregates of a tenant and of its categories.

use taxonomy_api::{CategoryStats, Counts, Month, TenantStats};
use taxonomy_keys::{CategoryId, Version};
use taxonomy_model::stats::{
    Activity, CategoryStats as StoredCategoryStats, TenantStats as StoredTenantStats,
};
use taxonomy_model::{Changes, Counts as StoredCounts};
use taxonomy_store::Versioned;

use crate::request::Request;
use crate::request::parameters::path_id;
use crate::response::answer::Answer;
use crate::response::problem::{Problem, ProblemCode};
use crate::response::rfc3339::rfc3339;
use crate::routes::route::Route;
use crate::snapshot::context::Context;

pub(crate) const TENANT: Route = Route::get("/v1/tenants/{tenant}/stats", |context, request| {
    Box::pin(tenant(context, request))
});
pub(crate) const CATEGORY: Route = Route::get(
    "/v1/tenants/{tenant}/categories/{id}/stats",
    |context, request| Box::pin(category(context, request)),
);

/// The aggregates of a tenant
///
/// Those of a version that was served, which the response names. A version has its aggregates moments after it is served. With `version` or `asOf`
/// the aggregates of that version, without `months`.
#[utoipa::path(
    get, path = TENANT.path, operation_id = "getTenantStats", tag = "stats",
    params(("version" = Option<u64>, Query), ("asOf" = Option<String>, Query)),
    responses((status = 200, description = "The counts, and what happened month by month", body = TenantStats<'static>)),
)]
pub(crate) async fn tenant(context: &Context, request: &Request<'_>) -> Result<Answer, Problem> {
    if request.query.names_a_version()? || context.reads_files {
        return tenant_at(context, request).await;
    }
    let current = context.current(request.tenant, None).await?;
    let tenant = current.tenant();
    let (stats, months) = context.source.table()?.aggregates.with_activity(tenant).await?;
    let Versioned { value, modified_in } = stats.ok_or_else(not_counted)?;
    let StoredTenantStats {
        counts,
        changed_at,
        added,
        changed,
        removed,
    } = &value;
    let months = months.iter().map(|(month, found)| {
        let Activity { versions, changes } = &found.value;
        let Changes {
            added,
            changed,
            removed,
            renamed,
            moved,
            deprecated,
            restored,
            final_names,
        } = *changes;
        Ok(Month {
            month: month.to_string(),
            version: version_of(found.modified_in)?,
            versions: *versions,
            added,
            changed,
            removed,
            renamed,
            moved,
            deprecated,
            restored,
            final_names,
        })
    });
    let body = TenantStats {
        tenant: tenant.clone(),
        version: version_of(modified_in)?,
        changed_at: rfc3339(*changed_at)?,
        categories: counts.categories,
        counts: counted(&counts.counts),
        added: *added,
        changed: *changed,
        removed: *removed,
        months: Some(months.collect::<Result<_, Problem>>()?),
    };
    Ok(Answer::json(&body)?
        .untagged()
        .of_version(version_of(modified_in)?))
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
pub(crate) async fn category(context: &Context, request: &Request<'_>) -> Result<Answer, Problem> {
    let id = path_id(request.id)?;
    if request.query.names_a_version()? || context.reads_files {
        return category_at(context, request, id).await;
    }
    let current = context.current(request.tenant, None).await?;
    let tenant = current.tenant();
    let stats = context.source.table()?.aggregates.category(tenant, id).await?;
    let Versioned { value, modified_in } = stats.ok_or_else(not_counted)?;
    let StoredCategoryStats {
        id,
        counts,
        changed_at,
        removed,
    } = &value;
    let body = CategoryStats {
        tenant: tenant.clone(),
        version: version_of(modified_in)?,
        changed_at: rfc3339(*changed_at)?,
        id: *id,
        counts: counted(counts),
        removed: *removed,
    };
    Ok(Answer::json(&body)?
        .untagged()
        .of_version(version_of(modified_in)?))
}

/// Returns the aggregates of a tenant in a version, from its index file and its entry in the log.
async fn tenant_at(context: &Context, request: &Request<'_>) -> Result<Answer, Problem> {
    let snapshot = request.snapshot_without_names(context, None).await?;
    let entry = context.entry(snapshot.tenant(), snapshot.version()).await?;
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
async fn category_at(context: &Context, request: &Request<'_>, id: CategoryId) -> Result<Answer, Problem> {
    let snapshot = request.snapshot_without_names(context, None).await?;
    let found = snapshot
        .file()
        .await?
        .counted(id)
        .await?
        .ok_or_else(not_counted)?;
    let entry = context.entry(snapshot.tenant(), found.touched_in).await?;
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

fn not_counted() -> Problem {
    let detail =
        "Nothing is counted under this id, or not yet: a version is counted moments after it is served.";
    Problem::new(ProblemCode::StatsNotFound, detail)
}
