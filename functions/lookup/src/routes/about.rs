//! The health of the function and the description of its API, for every caller.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::openapi;
use crate::response::answer::Answer;
use crate::response::problem::Problem;
use crate::routes::route::Route;

pub(crate) const HEALTH: Route = Route::public("/v1/health", health);

/// The health of the function
///
/// Reads nothing.
#[utoipa::path(
    get, path = HEALTH.path, operation_id = "getHealth", tag = "about", security(()),
    responses((status = 200, description = "It runs", body = Health)),
)]
pub(crate) fn health() -> Result<Answer, Problem> {
    Answer::json(&Health { status: "ok" })
}

/// The health of the function.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`.
    status: &'static str,
}

pub(crate) const DESCRIPTION: Route = Route::public("/v1/openapi.json", description);

/// This description
///
/// Generated from the routes and the shapes of their responses.
#[utoipa::path(
    get, path = DESCRIPTION.path, operation_id = "getDescription", tag = "about", security(()),
    responses((status = 200, description = "OpenAPI 3.1", body = Object)),
)]
pub(crate) fn description() -> Result<Answer, Problem> {
    // Parsed, so that it is sent without its white space; it is too large to be kept for the few who ask for it.
    let document: Value = serde_json::from_str(openapi::WRITTEN).map_err(Problem::internal)?;
    Answer::json(&document)
}
