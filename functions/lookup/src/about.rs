//! The description and the health of the function, for every caller.

use std::sync::LazyLock;

use utoipa::OpenApi;

use crate::answers::Health;
use crate::openapi::Description;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::routes::Route;

pub(crate) const DESCRIPTION: Route = Route::public("/v1/openapi.json", description);
pub(crate) const HEALTH: Route = Route::public("/v1/health", health);

/// This description
///
/// Generated from the routes and the shapes of their responses.
#[utoipa::path(
    get, path = DESCRIPTION.path, operation_id = "getDescription", tag = "about", security(()),
    responses((status = 200, description = "OpenAPI 3.1", body = Object)),
)]
pub(crate) fn description() -> Result<Reply, Problem> {
    static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(Description::openapi);
    Reply::json(&*DOCUMENT)
}

/// The health of the function
///
/// Reads nothing.
#[utoipa::path(
    get, path = HEALTH.path, operation_id = "getHealth", tag = "about", security(()),
    responses((status = 200, description = "It runs", body = Health)),
)]
pub(crate) fn health() -> Result<Reply, Problem> {
    Reply::json(&Health { status: "ok" })
}
