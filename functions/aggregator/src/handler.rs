//! The handler: what follows a projected version or a refused upload, and what becomes of the batch.

use std::sync::Mutex;

use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use taxonomy_keys::TenantId;
use taxonomy_protocol::{Tallied, Tally};
use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_store::{Archive, LogEntry, Publisher, StoreError, Table};
use tracing::{error, info};

use crate::change::{Change, Projected, Refused, change};
use crate::config::Config;
use crate::notification::{self, Notification};
use crate::record::Batch;

/// Everything the function works with.
#[derive(Debug)]
pub struct Aggregator<C> {
    tally: Tally,
    publisher: Publisher,
    changesets_bucket: String,
    clock: C,
    metrics: Mutex<Metrics>,
}

impl<C: Clock> Aggregator<C> {
    /// Builds the world from its clients.
    #[must_use]
    pub fn new(
        config: &Config,
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        sns: aws_sdk_sns::Client,
        clock: C,
    ) -> Self {
        let table = Table::new(dynamodb, &config.table);
        Self {
            tally: Tally::new(table, Archive::new(s3, &config.changesets_bucket)),
            publisher: Publisher::new(sns, &config.events_topic),
            changesets_bucket: config.changesets_bucket.clone(),
            clock,
            metrics: Mutex::new(Metrics::new(&config.function)),
        }
    }

    /// Works off a batch of stream records, in order, so a tenant's versions are told of in theirs.
    ///
    /// Delivery policy: records may come twice, again in other batches, and out of order. Every write is the absolute value of
    /// a version, on condition that no newer version wrote it, so none of that changes the outcome; what is told twice has the same id.
    /// The first record that fails ends the batch, be it DynamoDB or SNS that failed; its sequence number is the answer, and the
    /// stream comes again from there. Records that ask for nothing never fail. What is lost altogether, the next version of the
    /// tenant heals, but for its notification: subscribers see from `from` that they missed one.
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
                let cause = std::error::Error::source(&failure)
                    .map(ToString::to_string)
                    .unwrap_or_default();
                error!(%tenant, error = %failure, cause, "what follows is not done");
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
    ) -> Result<(), StoreError> {
        if let Some(projected) = projected {
            let entry = self.aggregate(tenant, projected).await?;
            // After what is counted: who is told of a version finds everything of it.
            let told = notification::published(&self.changesets_bucket, tenant, projected, &entry);
            self.tell(tenant, told).await?;
        }
        if let Some(refused) = refused {
            let told = notification::rejected(&self.changesets_bucket, tenant, &refused);
            self.tell(tenant, told).await?;
        }
        Ok(())
    }

    /// Writes what is counted of a version that the table holds now, and of those it overtook; returns its entry in the log.
    async fn aggregate(&self, tenant: &TenantId, projected: Projected) -> Result<LogEntry, StoreError> {
        let version = projected.to;
        let Tallied {
            written,
            already,
            entry,
        } = self.tally.advance(tenant, version).await?;
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.count(Metric::AggregateWritten, written);
            metrics.count(Metric::AggregateAlready, already);
        }
        info!(%tenant, version = version.get(), written, already, "aggregated");
        match entry {
            Some(entry) => Ok(entry),
            None => self.tally.entry(tenant, version).await,
        }
    }

    async fn tell(
        &self,
        tenant: &TenantId,
        told: Result<Notification, serde_json::Error>,
    ) -> Result<(), StoreError> {
        let Notification { kind, id, message } = told.map_err(|error| StoreError::Damaged {
            what: "a notification".to_owned(),
            source: error.into(),
        })?;
        self.publisher.publish(kind, tenant, message).await?;
        info!(%tenant, kind, id, "told");
        Ok(())
    }
}
