//! The versions of a tenant, with their provenance and their counts.

use serde::Serialize;
use taxonomy_api::Provenance as ProvenanceSchema;
use taxonomy_keys::Version;
use taxonomy_model::Provenance;
use taxonomy_model::changeset::Cause;
use taxonomy_store::LogEntry;
use utoipa::ToSchema;

use crate::request::Request;
use crate::request::parameters::path_version;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::route::Route;
use crate::snapshot::Snapshot;

pub(crate) const VERSIONS: Route = Route::get("/v1/tenants/{tenant}/versions", |request| {
    Box::pin(versions(request))
});
pub(crate) const VERSION: Route = Route::get("/v1/tenants/{tenant}/versions/{id}", |request| {
    Box::pin(version(request))
});

/// A page of versions, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Versions {
    /// The versions of this page.
    items: Vec<VersionEntry>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// A version. It never changes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Version)]
pub(crate) struct VersionEntry {
    /// Its number: 1, 2, 3 and so on, without gaps.
    version: u64,
    /// The id of its changeset, a hash of its content and its whole history.
    changeset: String,
    /// The time at which it was committed. `asOf` selects it from this time until the next version was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    committed_at: String,
    /// The cause: `upload`, `configuration`, `format`, `rebuild` or `rollback`.
    cause: &'static str,
    /// For a rollback the version whose content it restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rolled_back_to: Option<u64>,
    /// Its provenance, if its uploader or operator gave any.
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    #[schema(value_type = Option<ProvenanceSchema<'static>>)]
    provenance: Provenance,
    /// Its size.
    totals: VersionTotals,
    /// Its changes to the terms of the version before.
    changes: VersionChanges,
}

/// Counts of a version.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionTotals {
    /// Categories.
    categories: u64,
    /// Terms of all depths.
    terms: u64,
    /// Terms without children.
    leaves: u64,
    /// Deprecated terms.
    deprecated: u64,
}

/// Terms that a version changed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VersionChanges {
    /// Terms that the version before did not have.
    added: u64,
    /// Terms with another name, place or property.
    changed: u64,
    /// Terms that the version before had and this one does not.
    removed: u64,
    /// Of the changed ones, those with another name in any culture.
    renamed: u64,
    /// Of the changed ones, those with another parent or category.
    moved: u64,
    /// Of the changed ones, those that became deprecated.
    deprecated: u64,
    /// Of the changed ones, those that are no longer deprecated.
    restored: u64,
    /// Terms with another FinalName, for whatever reason.
    final_names: u64,
}

/// The versions
///
/// Those that are or were served, the newest first, with their changes and their provenance.
#[utoipa::path(
    get, path = VERSIONS.path, operation_id = "getVersions", tag = "versions",
    params(("limit" = Option<u16>, Query), ("cursor" = Option<String>, Query)),
    responses((status = 200, description = "A page", body = Versions), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn versions(request: &Request<'_>) -> Result<Answer, Problem> {
    const LIST: &str = "versions";
    let limit = u64::from(request.query.limit()?);
    let (before, newest) = request.position(LIST, |text| text.parse().ok().and_then(Version::new))?;
    let snapshot = request.snapshot_without_names(before).await?;
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let served = snapshot.version();
    let newest = newest.map_or(served, |newest: Version| newest.min(served));
    let oldest = Version::new(newest.get().saturating_sub(limit - 1).max(1)).unwrap_or(Version::FIRST);
    let entries = request.context.entries(snapshot.tenant(), oldest, newest).await?;
    let next = Version::new(oldest.get() - 1);
    let body = Versions {
        items: entries
            .into_iter()
            .rev()
            .map(VersionEntry::new)
            .collect::<Result<_, _>>()?,
        next_cursor: request.next_cursor(LIST, &snapshot, next),
    };
    Ok(Answer::json(&body)?
        .tagged(&snapshot.tag())
        .followed_by(body.next_cursor))
}

/// A version
///
/// The content of a version never changes, nor does this response.
#[utoipa::path(
    get, path = VERSION.path, operation_id = "getVersion", tag = "versions",
    params(("id" = u64, Path, description = "The number of the version", minimum = 1, maximum = 999999999999u64)),
    responses((status = 200, description = "The version", body = VersionEntry), (status = 304, description = "As the caller has it")),
)]
pub(crate) async fn version(request: &Request<'_>) -> Result<Answer, Problem> {
    let number = path_version(request.id)?;
    let current = request.current(Some(number)).await?;
    if number > current.version() {
        return Err(Problem::version_not_found());
    }
    let snapshot = Snapshot::current(request.context, current, request.files_until);
    if let Some(unchanged) = request.known(&snapshot.tag()) {
        return Ok(unchanged);
    }
    let entry = snapshot.entry(number).await?;
    Ok(Answer::json(&VersionEntry::new(entry)?)?.tagged(&snapshot.tag()))
}

impl VersionEntry {
    fn new(entry: LogEntry) -> Result<Self, Problem> {
        Ok(Self {
            version: entry.version.get(),
            changeset: entry.changeset.to_string(),
            committed_at: rfc3339(entry.committed_at)?,
            cause: entry.cause.kind(),
            rolled_back_to: match entry.cause {
                Cause::Rollback { to } => Some(to),
                _ => None,
            },
            provenance: entry.provenance,
            totals: VersionTotals {
                categories: entry.totals.categories,
                terms: entry.totals.terms,
                leaves: entry.totals.leaves,
                deprecated: entry.totals.deprecated,
            },
            changes: VersionChanges {
                added: entry.changes.added,
                changed: entry.changes.changed,
                removed: entry.changes.removed,
                renamed: entry.changes.renamed,
                moved: entry.changes.moved,
                deprecated: entry.changes.deprecated,
                restored: entry.changes.restored,
                final_names: entry.changes.final_names,
            },
        })
    }
}
