//! Metadata in responses.

use serde_json::value::RawValue;
use taxonomy_store::StoreError;

use crate::problem::Problem;

/// Returns stored metadata as JSON; an empty object where there are none.
///
/// # Errors
/// `internal-error` where the stored text is not JSON.
pub(crate) fn metadata(stored: Option<&str>) -> Result<&RawValue, Problem> {
    let json = serde_json::from_str(stored.unwrap_or("{}"));
    let damaged = |error: serde_json::Error| StoreError::Damaged {
        what: "metadata".to_owned(),
        source: error.into(),
    };
    json.map_err(|error| damaged(error).into())
}
