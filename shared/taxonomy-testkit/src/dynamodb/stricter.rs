//! What AWS refuses and the embedded engine lets pass.

use dynoxide::DynoxideError;
use serde_json::Value;

/// Key sizes in bytes: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>
const INDEX_KEYS: [(&str, usize); 2] = [("GSI1PK", 2048), ("GSI1SK", 1024)];

/// Refuses items whose index keys are too long. The engine checks the keys of the table alone. Of updates only the result could
/// tell, so they pass.
pub(super) fn check(operation: &str, request: &[u8]) -> Result<(), DynoxideError> {
    if !matches!(operation, "PutItem" | "TransactWriteItems") {
        return Ok(());
    }
    // A body that is no JSON is the engine's to refuse.
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    let items: Vec<&Value> = match operation {
        "PutItem" => vec![&request["Item"]],
        "TransactWriteItems" => {
            let actions = request["TransactItems"].as_array();
            actions
                .into_iter()
                .flatten()
                .map(|action| &action["Put"]["Item"])
                .collect()
        }
        _ => return Ok(()),
    };
    for item in items {
        for (name, limit) in INDEX_KEYS {
            let length = item[name]["S"].as_str().map_or(0, str::len);
            if length > limit {
                let message = format!(
                    "One or more parameter values were invalid: Size of {name} is {length} bytes, more than the {limit} of an index key"
                );
                return Err(DynoxideError::ValidationException(message));
            }
        }
    }
    Ok(())
}
