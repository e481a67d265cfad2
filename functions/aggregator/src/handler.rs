//! The handler: the routing of an event's records, and the response to the event.

use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use taxonomy_versioning::Deadline;
use tracing::{error, info};

use crate::caches::Caches;
use crate::change::HeadRecord;
use crate::isolation::Isolation;
use crate::record::{Batch, DeferredMessage, RecordKind};

/// The function, with its configuration and clients.
#[derive(Debug)]
pub struct Aggregator {
    pub(crate) role: Role,
}

/// The task of this deployment.
#[derive(Debug)]
pub(crate) enum Role {
    Versions(Isolation),
    Caches(Caches),
}

impl Aggregator {
    /// Processes a batch of stream records or of deferred ones, before the deadline.
    ///
    /// Delivery policy: records may arrive twice, in other batches, and out of order. Every write is the absolute value of a version,
    /// on condition that no newer version wrote it, or a counter with its proof, so none of that changes the outcome; a message that is
    /// published twice has the same id. A record that fails is deferred or parked (`isolation`), so that the batch succeeds whatever
    /// a record of one tenant does. Only if neither is possible, or a cache refuses an update, the response names the first unfinished record,
    /// and the stream delivers again from there. Ignored records never fail. The next version of the tenant, or an audit, repairs the aggregates
    /// of a record that is lost altogether; its message is missing, which subscribers see by `from`.
    pub async fn handle(&self, batch: Batch, deadline: Deadline) -> DynamoDbEventResponse {
        let records = batch.records.len();
        let (heads, messages) = by_kind(batch);
        let failed = match &self.role {
            Role::Versions(isolation) => isolation.follow(&heads, deadline).await,
            Role::Caches(caches) => caches.follow(&heads).await,
        };
        let first = failed.into_iter().min();
        let again = first.map(|first| heads[first].sequence_number.clone());
        let mut again: Vec<String> = again.into_iter().collect();
        for message in messages {
            if !self.try_again(&message, deadline).await {
                again.push(message.id);
            }
        }
        let (metrics, clock) = match &self.role {
            Role::Versions(isolation) => (&isolation.metrics, &isolation.clock),
            Role::Caches(caches) => (&caches.metrics, &caches.clock),
        };
        metrics.emit(&**clock);
        info!(records, again = again.len(), "followed");
        response(again)
    }

    async fn try_again(&self, message: &DeferredMessage, deadline: Deadline) -> bool {
        match &self.role {
            Role::Versions(isolation) => isolation.try_again(message, deadline).await,
            Role::Caches(_) => {
                error!(message_id = message.id, "no queue feeds this deployment");
                false
            }
        }
    }
}

fn by_kind(batch: Batch) -> (Vec<HeadRecord>, Vec<DeferredMessage>) {
    let (mut heads, mut messages) = (Vec::new(), Vec::new());
    for record in batch.records {
        match record.kind() {
            RecordKind::Stream(head) => heads.extend(head),
            RecordKind::Message(message) => messages.push(message),
            RecordKind::Unknown => error!("a record that is neither the stream's nor the queue's"),
        }
    }
    (heads, messages)
}

/// The response has the same form for both kinds of records.
fn response(again: Vec<String>) -> DynamoDbEventResponse {
    let mut response = DynamoDbEventResponse::default();
    let failures = again.into_iter().map(|identifier| {
        let mut failure = DynamoDbBatchItemFailure::default();
        failure.item_identifier = Some(identifier);
        failure
    });
    response.batch_item_failures = failures.collect();
    response
}
