//! Short constructors of items.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

/// An item in the SDK's type.
pub type Item = HashMap<String, AttributeValue>;

/// Returns a text value.
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Returns a number value.
pub fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Returns an item of the two key attributes.
pub fn key(partition: &str, sort: &str) -> Item {
    HashMap::from([("PK".to_owned(), s(partition)), ("SK".to_owned(), s(sort))])
}

/// Returns an item of the two key attributes and others.
pub fn item<const N: usize>(partition: &str, sort: &str, attributes: [(&str, AttributeValue); N]) -> Item {
    let mut item = key(partition, sort);
    item.extend(attributes.map(|(name, value)| (name.to_owned(), value)));
    item
}
