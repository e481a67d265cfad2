//! The handler: which tenants to look at, and what becomes of the event.

use std::collections::BTreeSet;
use std::sync::Mutex;

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse};
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_store::{Archive, Heads, Projection, Sources, Table};
use tracing::error;

use crate::config::Config;
use crate::error::ProjectorError;
use crate::event::{self, Message, Tenants, Work};

/// Items in flight at once: each needs a connection, and a table takes no more from one process anyway.
const CONCURRENCY: usize = 32;

/// The function's time-out. A version that was committed less than this ago may still be on its way, and writing it a second time at
/// the same moment would only slow both down.
const LONGEST_RUN_MS: u64 = 900_000;

/// Tenants one sweep looks at; the rest is still behind at the next.
const SWEEP: i32 = 100;

/// Everything the function works with.
#[derive(Debug)]
pub struct Projector<C> {
    pub(crate) config: Config,
    pub(crate) heads: Heads,
    pub(crate) sources: Sources,
    pub(crate) archive: Archive,
    pub(crate) projection: Projection,
    pub(crate) clock: C,
    metrics: Mutex<Metrics>,
}

impl<C: Clock> Projector<C> {
    /// Builds the world from its clients.
    #[must_use]
    pub fn new(config: Config, dynamodb: aws_sdk_dynamodb::Client, s3: aws_sdk_s3::Client, clock: C) -> Self {
        let table = Table::new(dynamodb, &config.table);
        Self {
            heads: Heads::new(table.clone()),
            sources: Sources::new(s3.clone(), &config.source_bucket, config.max_file_bytes),
            archive: Archive::new(s3, &config.changesets_bucket),
            projection: Projection::new(table, CONCURRENCY),
            metrics: Mutex::new(Metrics::new(&config.function)),
            config,
            clock,
        }
    }

    /// Works off one event.
    ///
    /// Delivery policy:
    /// - A refused file, a foreign key or a missing object is *acknowledged*: coming again would change nothing.
    /// - A failing store fails the event. From SNS, Lambda tries twice more and then hands it to the retry queue; there only
    ///   the messages that failed come again, until the queue gives them to the dead letters.
    /// - An event or message of unknown form fails too, so that it ends among the dead letters, where somebody sees it.
    /// - One tenant's failure does not keep the others of the event from being looked at.
    ///
    /// # Errors
    /// [`ProjectorError`] when the whole event has to come again.
    pub async fn handle(&self, event: Value) -> Result<SqsBatchResponse, ProjectorError> {
        let outcome = match event::parse(&event, &self.config.source_bucket) {
            Ok(work) => self.work_off(work).await,
            Err(error) => {
                error!(error = %error, "an event of unknown form");
                Err(error)
            }
        };
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.emit(&self.clock);
        }
        outcome
    }

    async fn work_off(&self, work: Work) -> Result<SqsBatchResponse, ProjectorError> {
        let mut response = SqsBatchResponse::default();
        let unfinished = match work {
            Work::Tenants(tenants) => self.look_at(tenants).await,
            Work::Sweep => {
                let tenants = self.left_behind().await?;
                self.look_at(Tenants { tenants, ignored: 0 }).await
            }
            Work::Messages(messages) => {
                for Message { id, tenants } in messages {
                    let finished = match tenants {
                        Some(tenants) => self.look_at(tenants).await == 0,
                        None => {
                            error!(message_id = id, "a message of unknown form");
                            false
                        }
                    };
                    if !finished {
                        let mut failure = BatchItemFailure::default();
                        failure.item_identifier = id;
                        response.batch_item_failures.push(failure);
                    }
                }
                0
            }
        };
        if unfinished > 0 {
            Err(ProjectorError::Unfinished(unfinished))
        } else {
            Ok(response)
        }
    }

    /// The tenants that are behind and that nobody can be working on any more.
    async fn left_behind(&self) -> Result<BTreeSet<TenantId>, ProjectorError> {
        let mut left = BTreeSet::new();
        for tenant in self.heads.behind(SWEEP).await? {
            let committed = self.heads.read(&tenant).await?.0.committed;
            if committed
                .is_some_and(|head| head.committed_at.saturating_add(LONGEST_RUN_MS) < self.clock.now_ms())
            {
                left.insert(tenant);
            }
        }
        Ok(left)
    }

    /// Looks at tenants one after the other, and returns how many failed.
    async fn look_at(&self, Tenants { tenants, ignored }: Tenants) -> usize {
        self.count(Metric::IgnoredObject, ignored);
        let mut unfinished = 0;
        for tenant in tenants {
            // Boxed, because the state of everything below is large and would be copied on its way up.
            if let Err(error) = Box::pin(self.reconcile(&tenant)).await {
                log_failure(&tenant, &error);
                self.count(Metric::Unfinished, 1);
                unfinished += 1;
            }
        }
        unfinished
    }

    pub(crate) fn count(&self, metric: Metric, by: u64) {
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.count(metric, by);
        }
    }

    pub(crate) fn observe(&self, metric: Metric, value: u64) {
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.observe(metric, value);
        }
    }
}

/// The whole chain of causes, once, where the failure is handled.
fn log_failure(tenant: &TenantId, failure: &ProjectorError) {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(failure);
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    error!(%tenant, error = %failure, causes = causes.join(": "), "unfinished");
}
