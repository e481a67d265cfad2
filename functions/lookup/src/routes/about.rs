//! The health of the function, for every caller.

use serde::Serialize;
use utoipa::ToSchema;

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
