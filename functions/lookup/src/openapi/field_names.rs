//! The names of the fields that a response has, for the parameter `fields`: by the schemas of the description.

use serde_json::Value;

/// The maximum number of references and nullable wrappers around a schema.
const MAX_WRAPPERS: usize = 8;

/// The deepest nesting of members in the description.
const MAX_DEPTH: usize = 4;

/// Returns the names of all fields of an operation, including nested members.
pub(crate) fn of_operation(document: &Value, path: &str, method: &str) -> Vec<String> {
    let schema = selected_from(document, answer(document, path, method));
    let mut names = Vec::new();
    add(document, schema, "", MAX_DEPTH, &mut names);
    names
}

/// Returns whether the response of an operation is a list, so that the fields are those of its items.
pub(crate) fn are_of_items(document: &Value, path: &str, method: &str) -> bool {
    !answer(document, path, method)["properties"]["items"].is_null()
}

/// Returns the schema of the response of an operation.
fn answer<'d>(document: &'d Value, path: &str, method: &str) -> &'d Value {
    let answer = &document["paths"][path][method]["responses"]["200"];
    unwrapped(document, &answer["content"]["application/json"]["schema"])
}

fn add(document: &Value, schema: &Value, above: &str, depth: usize, names: &mut Vec<String>) {
    let members = schema["properties"].as_object().into_iter().flatten();
    for (name, member) in members {
        let name = format!("{above}{name}");
        if depth > 1 {
            let member = unwrapped(document, member);
            add(document, member, &format!("{name}."), depth - 1, names);
        }
        names.push(name);
    }
}

/// Returns the schema of the object with the fields: the response; of a list its item; of a batch, whose items have a status, what is beside it.
fn selected_from<'d>(document: &'d Value, answer: &'d Value) -> &'d Value {
    let items = &answer["properties"]["items"];
    if items.is_null() {
        return answer;
    }
    let item = unwrapped(document, items);
    let members = item["properties"].as_object();
    let members = members.filter(|members| members.contains_key("status") && members.contains_key("problem"));
    let mut members = members.into_iter().flatten();
    let beside = members.find(|(name, _)| !["id", "status", "problem"].contains(&name.as_str()));
    beside.map_or(item, |(_, schema)| unwrapped(document, schema))
}

/// Returns the schema of one value, behind references, nullable wrappers and lists.
fn unwrapped<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    let mut schema = schema;
    for _ in 0..MAX_WRAPPERS {
        let mut choices = schema["oneOf"].as_array().into_iter().flatten();
        let choice = choices.find(|choice| choice["type"] != "null");
        let reference = schema["$ref"].as_str().map(|text| text.trim_start_matches('#'));
        let next = match (reference, choice) {
            (Some(pointer), _) => document.pointer(pointer),
            (None, Some(choice)) => Some(choice),
            (None, None) => schema.get("items"),
        };
        match next {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}
