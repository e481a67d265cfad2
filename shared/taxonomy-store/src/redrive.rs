//! Moving messages from one queue to another: dead letters whose cause is gone, back to the queue that feeds the function.
//!
//! SQS moves messages by itself only between a queue and its own dead letters; here some dead letters came from SNS, and some from the
//! function.

use aws_sdk_sqs::Client;

use crate::error::StoreError;

/// The most messages of one request, as SQS limits it.
const BATCH: i32 = 10;

/// Seconds for which SQS waits for messages, so that it asks all of its servers.
const WAIT: i32 = 1;

/// Seconds for which others do not see a message that is being moved.
const HIDDEN: i32 = 60;

/// Moves at most `most` messages, and returns how many. Each is sent before it is deleted: an interruption in between leaves it in both
/// queues, and a message that is delivered twice changes nothing. Attributes are left out: they tell of the failure.
///
/// # Errors
/// [`StoreError`] when SQS fails; what was moved until then is moved.
pub async fn redrive(client: &Client, from: &str, to: &str, most: u64) -> Result<u64, StoreError> {
    let mut moved = 0;
    while moved < most {
        let answer = client
            .receive_message()
            .queue_url(from)
            .max_number_of_messages(BATCH.min(i32::try_from(most - moved).unwrap_or(BATCH)))
            .wait_time_seconds(WAIT)
            .visibility_timeout(HIDDEN)
            .send()
            .await
            .map_err(|error| StoreError::request("ReceiveMessage", error))?;
        let messages = answer.messages.unwrap_or_default();
        if messages.is_empty() {
            break;
        }
        for message in messages {
            let body = message.body.unwrap_or_default();
            let sent = client
                .send_message()
                .queue_url(to)
                .message_body(body)
                .send()
                .await;
            sent.map_err(|error| StoreError::request("SendMessage", error))?;
            let receipt = message.receipt_handle.unwrap_or_default();
            let deleted = client
                .delete_message()
                .queue_url(from)
                .receipt_handle(receipt)
                .send()
                .await;
            deleted.map_err(|error| StoreError::request("DeleteMessage", error))?;
            moved += 1;
        }
    }
    Ok(moved)
}
