//! The route of a download.

use serde::Serialize;
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::{Form, Format};
use taxonomy_keys::Version;
use taxonomy_store::Download;
use utoipa::ToSchema;

use crate::request::Request;
use crate::request::parameters::{Parameters, path_version};
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::response::rfc3339::rfc3339;
use crate::routes::route::Route;
use crate::snapshot::downloads::DownloadStatus;

pub(crate) const DOWNLOAD: Route = Route::get("/v1/tenants/{tenant}/versions/{id}/download", |request| {
    Box::pin(download(request))
});

/// The seconds after which a caller retries while the download is being made.
const RETRY_AFTER: u32 = 5;

/// The format of a download.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a parameter and is never built")]
enum FormatName {
    Json,
    Ndjson,
    Csv,
    Skos,
    History,
}

/// The dialect of a table.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes a parameter and is never built")]
enum DialectName {
    Data,
    Spreadsheet,
}

/// A download of a version.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DownloadState {
    /// The version.
    version: u64,
    /// The format.
    #[schema(example = "csv")]
    format: &'static str,
    /// The dialect of `csv` and `history`: `data` or `spreadsheet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "data")]
    dialect: Option<&'static str>,
    /// `ready`, with a URL; or `pending`: retry later.
    #[schema(example = "ready")]
    status: &'static str,
    /// A URL for `GET` without authentication. It is a secret until it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    url: Option<String>,
    /// The expiry of the URL: 15 minutes after the response, or earlier with the credentials of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime, example = "2026-01-01T00:15:00Z")]
    expires_at: Option<String>,
    /// The media type of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "text/csv; charset=utf-8; header=present")]
    media_type: Option<&'static str>,
    /// The file name that browsers use.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "acme-3.csv")]
    file_name: Option<String>,
    /// The size of the file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 12345)]
    bytes: Option<u64>,
}

/// The download of a version
///
/// The whole version as a file. The first request starts its making, which takes seconds to minutes: 202 until then. The file is kept for 30 days and
/// never changes.
#[utoipa::path(
    get, path = DOWNLOAD.path, operation_id = "getDownload", tag = "versions",
    params(
        ("id" = u64, Path, description = "The number of the version", minimum = 1, maximum = 999999999999u64),
        ("format" = inline(FormatName), Query, description = "`json` (the input format), `ndjson`, `csv`, `skos` (Turtle), or `history`: FinalNames and lineages of all versions up to this one, as CSV", example = "csv"),
        ("dialect" = inline(Option<DialectName>), Query, description = "Of `csv` and `history`: `data` for programs, the default, or `spreadsheet`", example = "data"),
    ),
    responses(
        (status = 200, description = "The file can be read", body = DownloadState),
        (status = 202, description = "The file is being made", body = DownloadState),
    ),
)]
pub(crate) async fn download(request: &Request<'_>) -> Result<Answer, Problem> {
    let version = path_version(request.id)?;
    let form = form(request.query)?;
    let current = request.current(Some(version)).await?;
    if version > current.version() {
        return Err(Problem::version_not_found());
    }
    let file = request
        .context
        .file_name(current.tenant(), current.head(), version);
    let download = Download {
        tenant: request.tenant.id().clone(),
        version,
        changeset: file.await?.changeset,
        form,
    };
    answer_of(
        &download,
        version,
        request.context.downloads()?.state(&download).await?,
    )
}

fn answer_of(download: &Download, version: Version, state: DownloadStatus) -> Result<Answer, Problem> {
    let (format, dialect) = (download.form.format(), download.form.dialect());
    let mut body = DownloadState {
        version: version.get(),
        format: format.as_str(),
        dialect: has_dialect(format).then_some(dialect.as_str()),
        status: "pending",
        ..DownloadState::default()
    };
    match state {
        DownloadStatus::Pending => {
            let answer = Answer::json(&body)?.under_way(RETRY_AFTER);
            Ok(answer.unstored().of_version(version))
        }
        DownloadStatus::Ready {
            bytes,
            url,
            expires_at,
        } => {
            body.status = "ready";
            body.url = Some(url);
            body.expires_at = Some(rfc3339(expires_at)?);
            body.media_type = Some(format.media_type());
            body.file_name = Some(download.file_name());
            body.bytes = Some(bytes);
            Ok(Answer::json(&body)?.unstored().of_version(version))
        }
    }
}

/// Returns the form that `format=` and `dialect=` name.
fn form(query: &Parameters) -> Result<Form, Problem> {
    let detail = "format is required: json, ndjson, csv, skos or history.";
    let format: Format = query.required("format", detail, |text| text.parse().ok())?;
    let detail = "dialect is data or spreadsheet, and only for the formats csv and history.";
    let dialect = query.optional("dialect", detail, |text| {
        text.parse().ok().filter(|_| has_dialect(format))
    })?;
    let form = Form::new(format, dialect.unwrap_or(Dialect::Data));
    form.ok_or_else(|| Problem::internal("a format without a form"))
}

fn has_dialect(format: Format) -> bool {
    matches!(format, Format::Csv | Format::History)
}
