//! Moving messages from a dead-letter queue back to the queue that feeds the function.
//!
//! SQS itself moves messages only from a queue's own dead-letter queue; here some dead letters come from SNS, and some from the
//! function.

use aws_sdk_sqs::Client;

use crate::error::{StoreError, sent};

/// The maximum number of messages of one request, as SQS limits it.
const BATCH: i32 = 10;

/// Seconds for which SQS waits for messages, so that it polls all of its servers.
const WAIT: i32 = 1;

/// Seconds for which a message that is being moved is invisible to others.
const HIDDEN: i32 = 60;

/// Moves at most `most` messages, and returns their number. Each is sent before it is deleted: an interruption in between leaves it in both
/// queues, and a message that is delivered twice changes nothing. Attributes are left out: they describe the failure.
///
/// # Errors
/// [`StoreError`] if a request fails; messages moved until then stay moved.
pub async fn redrive(client: &Client, from: &str, to: &str, most: u64) -> Result<u64, StoreError> {
    let mut moved = 0;
    while moved < most {
        let request = client
            .receive_message()
            .queue_url(from)
            .max_number_of_messages(BATCH.min(i32::try_from(most - moved).unwrap_or(BATCH)))
            .wait_time_seconds(WAIT)
            .visibility_timeout(HIDDEN);
        let answer = sent("ReceiveMessage", request.send()).await?;
        let messages = answer.messages.unwrap_or_default();
        if messages.is_empty() {
            break;
        }
        for message in messages {
            let body = message.body.unwrap_or_default();
            let request = client.send_message().queue_url(to).message_body(body);
            sent("SendMessage", request.send()).await?;
            let receipt = message.receipt_handle.unwrap_or_default();
            let request = client.delete_message().queue_url(from).receipt_handle(receipt);
            sent("DeleteMessage", request.send()).await?;
            moved += 1;
        }
    }
    Ok(moved)
}
