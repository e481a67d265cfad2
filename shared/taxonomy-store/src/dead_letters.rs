//! The dead-letter queues.

use std::sync::Arc;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::MessageAttributeValue;

use crate::error::StoreError;

/// The maximum number of bytes of the cause in a dead letter.
const LONGEST_CAUSE: usize = 1000;

/// A dead-letter queue that the function itself fills.
#[derive(Debug, Clone)]
pub struct DeadLetters {
    client: Client,
    url: Arc<str>,
}

impl DeadLetters {
    /// Returns the queue with this URL.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends the body of a message that failed `tries` times, with the last cause as message attribute `Cause`. A second call makes a second dead
    /// letter with the same body.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn bury(&self, body: &str, cause: &str, tries: u64) -> Result<(), StoreError> {
        let answer = self
            .client
            .send_message()
            .queue_url(&*self.url)
            .message_body(body)
            .message_attributes("Cause", attribute("String", &sendable(cause))?)
            .message_attributes("Tries", attribute("Number", &tries.to_string())?)
            .send()
            .await;
        answer
            .map(drop)
            .map_err(|error| StoreError::request("SendMessage", error))
    }
}

/// Cleans a text for SQS, which refuses empty attributes and most control characters.
fn sendable(cause: &str) -> String {
    let printable = cause.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut text = String::new();
    for c in printable.filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')) {
        if text.len() + c.len_utf8() > LONGEST_CAUSE {
            break;
        }
        text.push(c);
    }
    if text.is_empty() {
        "unknown".to_owned()
    } else {
        text
    }
}

fn attribute(kind: &str, value: &str) -> Result<MessageAttributeValue, StoreError> {
    let attribute = MessageAttributeValue::builder()
        .data_type(kind)
        .string_value(value);
    attribute
        .build()
        .map_err(|error| StoreError::damaged("a request", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_never_longer_or_stranger_than_sqs_takes() {
        assert_eq!(sendable(""), "unknown");
        assert_eq!(sendable("a\nb\u{0}c\u{ffff}"), "a b c");
        let long = "é".repeat(2000);
        assert_eq!(sendable(&long).len(), LONGEST_CAUSE);
    }
}
