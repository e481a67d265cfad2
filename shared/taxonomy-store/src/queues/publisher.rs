//! The events topic.

use std::sync::Arc;

use aws_sdk_sns::Client;
use aws_sdk_sns::types::MessageAttributeValue;
use taxonomy_keys::TenantId;

use crate::error::{StoreError, sent};

/// The events topic.
#[derive(Debug, Clone)]
pub struct Publisher {
    client: Client,
    topic: Arc<str>,
}

impl Publisher {
    /// Returns the topic with this ARN.
    pub fn new(client: Client, topic: &str) -> Self {
        Self {
            client,
            topic: topic.into(),
        }
    }

    /// Publishes a message, with its type and tenant as attributes, so that a subscription can filter without parsing it. A subscriber
    /// recognises a second delivery by the message's own id.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn publish(&self, kind: &str, tenant: &TenantId, message: String) -> Result<(), StoreError> {
        let request = self
            .client
            .publish()
            .topic_arn(&*self.topic)
            .message(message)
            .message_attributes("type", text(kind)?)
            .message_attributes("tenant", text(tenant.as_str())?);
        sent("Publish", request.send()).await.map(drop)
    }
}

fn text(value: &str) -> Result<MessageAttributeValue, StoreError> {
    let attribute = MessageAttributeValue::builder()
        .data_type("String")
        .string_value(value);
    Ok(attribute.build()?)
}
