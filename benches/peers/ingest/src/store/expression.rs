//! Update expressions, as far as the service writes them: `SET #A = :A, #B = if_not_exists(#B, :B) REMOVE #C`.

use serde_json::{Map, Value};

use crate::failure::Failure;

/// Applies the update of a request to an item.
pub(super) fn apply(item: &mut Map<String, Value>, update: &Value) -> Result<(), Failure> {
    let expression = update["UpdateExpression"]
        .as_str()
        .ok_or("an update without an expression")?;
    let name = |placeholder: &str| -> Result<String, Failure> {
        let name = update["ExpressionAttributeNames"][placeholder.trim()].as_str();
        Ok(name.ok_or_else(|| format!("no name {placeholder}"))?.to_owned())
    };
    let value = |placeholder: &str| -> Result<Value, Failure> {
        let value = update["ExpressionAttributeValues"].get(placeholder.trim());
        Ok(value.ok_or_else(|| format!("no value {placeholder}"))?.clone())
    };
    let (sets, removes) = match expression.split_once(" REMOVE ") {
        Some((sets, removes)) => (sets, removes),
        None => (expression, ""),
    };
    let sets = sets.strip_prefix("SET ").ok_or("an expression without SET")?;
    for set in commas(sets) {
        let Some((attribute, to)) = set.split_once('=') else {
            continue;
        };
        let attribute = name(attribute)?;
        match to.trim().strip_prefix("if_not_exists(") {
            None => drop(item.insert(attribute, value(to)?)),
            Some(arguments) => {
                let (_, absent) = arguments.split_once(',').ok_or("one argument")?;
                let absent = value(absent.trim_end_matches(')'))?;
                item.entry(attribute).or_insert(absent);
            }
        }
    }
    for attribute in removes
        .split(',')
        .filter(|attribute| !attribute.trim().is_empty())
    {
        item.remove(&name(attribute)?);
    }
    Ok(())
}

/// Splits at the commas outside parentheses.
fn commas(sets: &str) -> Vec<&str> {
    let (mut parts, mut from, mut open) = (Vec::new(), 0, 0);
    for (place, character) in sets.char_indices() {
        match character {
            '(' => open += 1,
            ')' => open -= 1,
            ',' if open == 0 => {
                parts.push(&sets[from..place]);
                from = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&sets[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn attributes_are_set_kept_and_removed() {
        let mut item = json!({"V": {"N": "1"}, "Old": {"S": "x"}, "Kept": {"S": "k"}});
        let update = json!({
            "UpdateExpression": "SET #A = :A, #V = if_not_exists(#V, :V), #W = if_not_exists(#W, :V) REMOVE #Old",
            "ExpressionAttributeNames": {"#A": "A", "#V": "V", "#W": "W", "#Old": "Old"},
            "ExpressionAttributeValues": {":A": {"S": "a"}, ":V": {"N": "0"}},
        });
        apply(item.as_object_mut().unwrap(), &update).unwrap();
        let expected = json!({"V": {"N": "1"}, "Kept": {"S": "k"}, "A": {"S": "a"}, "W": {"N": "0"}});
        assert_eq!(item, expected);
    }
}
