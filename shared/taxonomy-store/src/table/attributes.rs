//! Conversions between plain attributes and those of the SDK.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{ItemKey, Key};
use taxonomy_model::attribute::{Attributes, Malformed, Value};

use crate::error::StoreError;

pub(crate) type SdkItem = HashMap<String, AttributeValue>;

pub(crate) fn to_sdk(attributes: Attributes) -> SdkItem {
    attributes
        .into_iter()
        .map(|(name, value)| (name, to_sdk_value(value)))
        .collect()
}

pub(crate) fn to_sdk_value(value: Value) -> AttributeValue {
    match value {
        Value::String(text) => AttributeValue::S(text),
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::Bool(up) => AttributeValue::Bool(up),
        Value::Array(values) => AttributeValue::L(values.into_iter().map(to_sdk_value).collect()),
        Value::Object(map) => AttributeValue::M(to_sdk(map)),
        // No stored shape contains one.
        Value::Null => AttributeValue::Null(true),
    }
}

pub(crate) fn from_sdk(item: SdkItem) -> Result<Attributes, Malformed> {
    let mut attributes = Attributes::new();
    for (name, value) in item {
        let value = from_sdk_value(value)
            .ok_or_else(|| Malformed("a type that is not stored".to_owned(), name.clone()))?;
        attributes.insert(name, value);
    }
    Ok(attributes)
}

/// Converts the types that this service stores; a number with a fraction is none of them.
fn from_sdk_value(value: AttributeValue) -> Option<Value> {
    Some(match value {
        AttributeValue::S(text) => Value::String(text),
        AttributeValue::N(number) => number.parse::<u64>().ok()?.into(),
        AttributeValue::Bool(up) => Value::Bool(up),
        AttributeValue::L(values) => {
            Value::Array(values.into_iter().map(from_sdk_value).collect::<Option<_>>()?)
        }
        AttributeValue::M(map) => Value::Object(from_sdk(map).ok()?),
        _ => return None,
    })
}

/// Reads an item by `read`; an error names the item.
pub(crate) fn read_by<T>(
    item: Attributes,
    read: impl FnOnce(Attributes) -> Result<T, Malformed>,
) -> Result<T, StoreError> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default();
    let what = format!("the item {} {}", text("PK"), text("SK"));
    read(item).map_err(|malformed| StoreError::damaged(what, malformed))
}

pub(crate) fn sdk_key(key: Key) -> SdkItem {
    HashMap::from([
        ("PK".to_owned(), AttributeValue::S(key.pk)),
        ("SK".to_owned(), AttributeValue::S(key.sk)),
    ])
}

pub(crate) fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Builds a whole item: primary key, entity type, version, attributes.
pub(crate) fn sdk_item(key: &ItemKey, version: u64, attributes: Attributes) -> SdkItem {
    let mut item = to_sdk(attributes);
    item.extend(sdk_key(key.key()));
    item.insert(
        "EntityType".to_owned(),
        AttributeValue::S(key.entity_type().to_owned()),
    );
    item.insert("V".to_owned(), number(version));
    item
}
