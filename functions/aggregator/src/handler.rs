//! The handler: what follows a projected version, and what becomes of the batch.

use std::sync::Mutex;

use aws_lambda_events::event::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use taxonomy_keys::{TenantId, Version};
use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_store::{Aggregates, Heads, StoreError, Table};
use tracing::{error, info};

use crate::change::{Change, change};
use crate::config::Config;
use crate::record::Batch;

/// Everything the function works with.
#[derive(Debug)]
pub struct Aggregator<C> {
    heads: Heads,
    aggregates: Aggregates,
    clock: C,
    metrics: Mutex<Metrics>,
}

impl<C: Clock> Aggregator<C> {
    /// Builds the world from its client.
    #[must_use]
    pub fn new(config: &Config, dynamodb: aws_sdk_dynamodb::Client, clock: C) -> Self {
        let table = Table::new(dynamodb, &config.table);
        Self {
            heads: Heads::new(table.clone()),
            aggregates: Aggregates::new(table),
            clock,
            metrics: Mutex::new(Metrics::new(&config.function)),
        }
    }

    /// Works off a batch of stream records, in order.
    ///
    /// Delivery policy: records may come twice, again in other batches, and out of order. Every write is the absolute value of
    /// a version, on condition that no newer version wrote it, so none of that changes the outcome. The first record that
    /// fails ends the batch; its sequence number is the answer, and the stream comes again from there. Records that ask
    /// for nothing never fail. What is lost altogether, the next version of the tenant heals.
    pub async fn handle(&self, batch: Batch) -> DynamoDbEventResponse {
        let mut response = DynamoDbEventResponse::default();
        for record in batch.records {
            let Change::Projected { tenant, version } = change(&record) else {
                continue;
            };
            if let Err(failure) = self.follow(&tenant, version).await {
                let cause = std::error::Error::source(&failure)
                    .map(ToString::to_string)
                    .unwrap_or_default();
                error!(%tenant, version = version.get(), error = %failure, cause, "not aggregated");
                let mut first = DynamoDbBatchItemFailure::default();
                first.item_identifier = Some(record.dynamodb.sequence_number);
                response.batch_item_failures.push(first);
                break;
            }
        }
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.emit(&self.clock);
        }
        response
    }

    /// Writes what is counted of a version that the table holds now.
    async fn follow(&self, tenant: &TenantId, version: Version) -> Result<(), StoreError> {
        let entry = self
            .heads
            .entry(tenant, version)
            .await?
            .ok_or_else(|| StoreError::Damaged {
                what: format!("the log of {tenant}"),
                source: format!("version {version} is missing").into(),
            })?;
        let written = self.aggregates.write_tenant(tenant, &entry).await?;
        let metric = if written {
            Metric::AggregateWritten
        } else {
            Metric::AggregateAlready
        };
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.count(metric, 1);
        }
        info!(%tenant, version = version.get(), written, "aggregated");
        Ok(())
    }
}
