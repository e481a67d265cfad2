//! Limits of AWS that the embedded engine does not enforce.

use dynoxide::DynoxideError;
use serde_json::Value;

/// The largest size of each index key, in bytes: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>
const INDEX_KEYS: [(&str, usize); 2] = [("GSI1PK", 2048), ("GSI1SK", 1024)];

/// Refuses writes whose index keys are too long, because the engine checks only the keys of the table. Of an update it reads assignments of
/// the form `path = :value`, the only form in which the functions write index keys.
pub(super) fn check(operation: &str, request: &[u8]) -> Result<(), DynoxideError> {
    let is_write = matches!(operation, "PutItem" | "UpdateItem" | "TransactWriteItems");
    // Most requests need no second reading: a key is never longer than its JSON, so never longer than its request.
    let is_short = INDEX_KEYS.iter().all(|(_, limit)| request.len() <= *limit);
    if !is_write || is_short {
        return Ok(());
    }
    // The engine itself refuses a body that is not JSON.
    let request: Value = serde_json::from_slice(request).unwrap_or_default();
    match operation {
        "PutItem" => check_item(&request["Item"]),
        "UpdateItem" => check_update(&request),
        _ => {
            let actions = request["TransactItems"].as_array().into_iter().flatten();
            actions.into_iter().try_for_each(|action| {
                check_item(&action["Put"]["Item"])?;
                check_update(&action["Update"])
            })
        }
    }
}

fn check_item(item: &Value) -> Result<(), DynoxideError> {
    let mut keys = INDEX_KEYS.iter();
    keys.try_for_each(|(name, _)| check_key(name, &item[name]))
}

fn check_update(update: &Value) -> Result<(), DynoxideError> {
    let expression = update["UpdateExpression"].as_str().unwrap_or_default();
    let assignments = expression.split(',').filter_map(|clause| clause.split_once('='));
    for (path, value) in assignments {
        // `SET GSI1PK = :pk REMOVE …`: the path is the last word before the equals sign, the value the first word after it.
        let (Some(path), Some(value)) = (path.split_whitespace().last(), value.split_whitespace().next())
        else {
            continue;
        };
        let name = update["ExpressionAttributeNames"][path].as_str().unwrap_or(path);
        check_key(name, &update["ExpressionAttributeValues"][value])?;
    }
    Ok(())
}

fn check_key(name: &str, value: &Value) -> Result<(), DynoxideError> {
    let length = value["S"].as_str().map_or(0, str::len);
    let limit = INDEX_KEYS.iter().find(|(key, _)| *key == name);
    match limit {
        Some((_, limit)) if length > *limit => {
            let message = format!(
                "One or more parameter values were invalid: Size of {name} is {length} bytes, more than the {limit} of an index key"
            );
            Err(DynoxideError::ValidationException(message))
        }
        _ => Ok(()),
    }
}
