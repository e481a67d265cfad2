//! The handler: what follows a projected version or a refused upload, and what becomes of the batch.

use std::sync::Mutex;

use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use taxonomy_keys::TenantId;
use taxonomy_protocol::causes;
use taxonomy_runtime::{Clock, Metric, Metrics};
use tracing::{error, info};

use crate::caches::Caches;
use crate::change::{Change, Projected, Refused, change};
use crate::error::FollowError;
use crate::record::Batch;
use crate::versions::Versions;

/// Everything the function works with.
#[derive(Debug)]
pub struct Aggregator<C> {
    errand: Errand,
    clock: C,
    metrics: Mutex<Metrics>,
}

/// What this deployment of the function is for.
#[derive(Debug)]
pub(crate) enum Errand {
    Versions(Versions),
    Caches(Caches),
}

impl<C: Clock> Aggregator<C> {
    pub(crate) fn new(errand: Errand, function: &str, clock: C) -> Self {
        Self {
            errand,
            clock,
            metrics: Mutex::new(Metrics::new(function)),
        }
    }

    /// Works off a batch of stream records, in order, so a tenant's versions are told of in theirs.
    ///
    /// Delivery policy: records may come twice, again in other batches, and out of order. Every write is the absolute value of
    /// a version, on condition that no newer version wrote it, or a counter with its proof, so none of that changes the outcome; what is
    /// told twice has the same id. The first record that fails ends the batch, whatever it was that failed; its sequence number is the
    /// answer, and the stream comes again from there. Records that ask for nothing never fail. What is lost altogether, the next version of
    /// the tenant heals, or an audit, but for its notification: subscribers see from `from` that they missed one.
    pub async fn handle(&self, batch: Batch) -> DynamoDbEventResponse {
        let mut response = DynamoDbEventResponse::default();
        let records = batch.records.len();
        for record in batch.records {
            let Change::Head {
                tenant,
                projected,
                refused,
            } = change(&record)
            else {
                continue;
            };
            if let Err(failure) = self.follow(&tenant, projected, refused).await {
                error!(%tenant, error = causes(&failure), "what follows is not done");
                let mut first = DynamoDbBatchItemFailure::default();
                first.item_identifier = Some(record.dynamodb.sequence_number);
                response.batch_item_failures.push(first);
                break;
            }
        }
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.emit(&self.clock);
        }
        info!(records, "followed");
        response
    }

    async fn follow(
        &self,
        tenant: &TenantId,
        projected: Option<Projected>,
        refused: Option<Refused>,
    ) -> Result<(), FollowError> {
        match &self.errand {
            Errand::Versions(versions) => {
                let tallied = versions.follow(tenant, projected, refused).await?;
                if let Ok(mut metrics) = self.metrics.lock() {
                    metrics.count(Metric::AggregateWritten, tallied.written);
                    metrics.count(Metric::AggregateAlready, tallied.already);
                }
            }
            Errand::Caches(caches) => {
                if let Some(projected) = projected {
                    caches.follow(tenant, projected, &self.clock).await?;
                }
            }
        }
        Ok(())
    }
}
