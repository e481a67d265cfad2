//! Items as text, one line each.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use super::values::Item;

/// Returns an item as one line: `PK | SK | EntityType V=1 `, then the other attributes by name. A text is quoted only if it would be
/// ambiguous without quotes; maps print as `{k: v}`, lists as `[v, v]`.
pub fn line(item: &Item) -> String {
    let (partition, sort) = key(item);
    let mut rest: Vec<String> = item
        .get("EntityType")
        .and_then(|entity| entity.as_s().ok())
        .cloned()
        .into_iter()
        .collect();
    rest.extend(item.get("V").map(|version| format!("V={}", text(version))));
    let mut names: Vec<_> = item.keys().collect();
    names.sort();
    names.retain(|name| !matches!(name.as_str(), "PK" | "SK" | "EntityType" | "V"));
    rest.extend(names.iter().map(|name| format!("{name}={}", text(&item[*name]))));
    match rest.is_empty() {
        true => format!("{partition} | {sort}"),
        false => format!("{partition} | {sort} | {}", rest.join(" ")),
    }
}

/// Returns PK and SK, each empty if the item does not have it.
pub(super) fn key(item: &Item) -> (String, String) {
    let part = |name| {
        item.get(name)
            .and_then(|value| value.as_s().ok())
            .cloned()
            .unwrap_or_default()
    };
    (part("PK"), part("SK"))
}

fn text(value: &AttributeValue) -> String {
    let list = |values: Vec<String>| format!("[{}]", values.join(", "));
    match value {
        AttributeValue::S(text) => quoted(text),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(flag) => flag.to_string(),
        AttributeValue::Null(_) => "null".to_owned(),
        AttributeValue::L(values) => list(values.iter().map(text).collect()),
        AttributeValue::M(map) => {
            let mut names: Vec<_> = map.keys().collect();
            names.sort();
            let pairs: Vec<_> = names
                .into_iter()
                .map(|name| format!("{name}: {}", text(&map[name])))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        AttributeValue::B(blob) => format!("<{} bytes>", blob.as_ref().len()),
        other => format!("{other:?}"),
    }
}

fn quoted(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "=|,[]{}\"".contains(c));
    if plain {
        text.to_owned()
    } else {
        format!("{text:?}")
    }
}

/// Converts an item from DynamoDB's JSON to the SDK's type.
pub(super) fn item_from_json(item: &Value) -> Item {
    let attributes = item.as_object().expect("an item is an object");
    attributes
        .iter()
        .map(|(name, value)| (name.clone(), value_from_json(value)))
        .collect()
}

fn value_from_json(value: &Value) -> AttributeValue {
    let (kind, value) = value
        .as_object()
        .and_then(|typed| typed.iter().next())
        .expect("a value has a type");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let values = |value: &Value| value.as_array().expect("a list").clone();
    match kind.as_str() {
        "S" => AttributeValue::S(text(value)),
        "N" => AttributeValue::N(text(value)),
        "BOOL" => AttributeValue::Bool(value.as_bool().expect("a flag")),
        "NULL" => AttributeValue::Null(true),
        "L" => AttributeValue::L(values(value).iter().map(value_from_json).collect()),
        "M" => AttributeValue::M(item_from_json(value)),
        "B" => {
            let bytes = aws_smithy_types::base64::decode(text(value)).expect("binary values are base64");
            AttributeValue::B(Blob::new(bytes))
        }
        other => panic!("the testkit does not read values of type {other}"),
    }
}
