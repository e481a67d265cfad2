//! Topics and published messages.

use std::collections::BTreeMap;

/// A message that SNS accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The message id, counted over all topics.
    pub id: String,
    /// The topic's ARN.
    pub topic_arn: String,
    /// The text.
    pub message: String,
    /// The subject, if it has one.
    pub subject: Option<String>,
    /// Attributes by name; binary ones in base64.
    pub attributes: BTreeMap<String, Attribute>,
}

/// An attribute of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// `String`, `Number`, `String.Array` or `Binary`.
    pub data_type: String,
    /// The value as it was sent.
    pub value: String,
}

#[derive(Debug, Default)]
pub(super) struct Topics {
    pub(super) arns: Vec<String>,
    pub(super) published: Vec<Published>,
    pub(super) sent: u64,
    pub(super) check: Option<fn(&Published)>,
}
