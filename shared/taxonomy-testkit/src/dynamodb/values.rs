//! Items by hand.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

/// An item as the SDK has it.
pub type Item = HashMap<String, AttributeValue>;

/// A text.
pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number.
pub fn n(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// The two parts of a key.
pub fn key(partition: &str, sort: &str) -> Item {
    HashMap::from([("PK".to_owned(), s(partition)), ("SK".to_owned(), s(sort))])
}

/// A key with further attributes.
pub fn item<const N: usize>(partition: &str, sort: &str, attributes: [(&str, AttributeValue); N]) -> Item {
    let mut item = key(partition, sort);
    item.extend(attributes.map(|(name, value)| (name.to_owned(), value)));
    item
}
