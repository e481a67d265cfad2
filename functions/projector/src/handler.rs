//! The handler: which tenants to look at, and what becomes of the event.

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse};
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_protocol::{Bounds, Deadline, Outcome, ProtocolError, Taxonomies, causes};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::RetryQueue;
use tracing::{error, info};

use crate::config::Config;
use crate::error::ProjectorError;
use crate::event::{self, Message, Task, Tenants, Work};

/// Everything the function works with.
#[derive(Debug)]
pub struct Projector<C> {
    source_bucket: String,
    pub(crate) taxonomies: Taxonomies<C>,
    pub(crate) retries: RetryQueue,
}

impl<C: Clock> Projector<C> {
    /// Builds the world from its clients.
    #[must_use]
    pub fn new(
        config: Config,
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        sqs: aws_sdk_sqs::Client,
        clock: C,
    ) -> Self {
        let bounds = Bounds {
            table: config.table,
            source_bucket: config.source_bucket.clone(),
            changesets_bucket: config.changesets_bucket,
            default_culture: config.default_culture,
            max_file_bytes: config.max_file_bytes,
            projection_format: Bounds::PROJECTION_FORMAT,
        };
        Self {
            source_bucket: config.source_bucket,
            taxonomies: Taxonomies::new(&config.function, bounds, dynamodb, s3, clock),
            retries: RetryQueue::new(sqs, &config.retry_queue),
        }
    }

    /// Works off one event, until the deadline.
    ///
    /// Delivery policy:
    /// - A refused file, a foreign key or a missing object is *acknowledged*: coming again would change nothing.
    /// - What time did not suffice for is put into the retry queue and *acknowledged*, but only by an invocation that got further: one that
    ///   did not would ask for itself for ever, so it fails.
    /// - A tenant that another process is loading is left to that process, and *acknowledged* once the retry queue holds a message that
    ///   becomes visible after the other process's heartbeat has ended; where the message cannot be sent, the event fails.
    /// - An audit that time did not suffice for is *acknowledged*: it cannot be continued, and there is an alarm on it.
    /// - A failing store fails the event. From SNS, Lambda tries twice more and then hands it to the retry queue; there only
    ///   the messages that failed come again, until the queue gives them to the dead letters.
    /// - An event or message of unknown form fails too, so that it ends among the dead letters, where somebody sees it.
    /// - One tenant's failure does not keep the others of the event from being looked at.
    ///
    /// # Errors
    /// [`ProjectorError`] when the whole event has to come again.
    pub async fn handle(&self, event: Value, deadline: Deadline) -> Result<SqsBatchResponse, ProjectorError> {
        let outcome = match event::parse(&event, &self.source_bucket) {
            Ok(work) => self.work_off(work, deadline).await,
            Err(error) => {
                error!(error = %error, "an event of unknown form");
                Err(error)
            }
        };
        self.taxonomies.emit_metrics();
        outcome
    }

    async fn work_off(&self, work: Work, deadline: Deadline) -> Result<SqsBatchResponse, ProjectorError> {
        let mut response = SqsBatchResponse::default();
        match work {
            Work::One(task) => self.perform(task, deadline).await?,
            Work::Messages(messages) => {
                for Message { id, task } in messages {
                    let finished = match task {
                        Some(task) => self.perform(task, deadline).await.is_ok(),
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
            }
        }
        Ok(response)
    }

    async fn perform(&self, task: Task, deadline: Deadline) -> Result<(), ProjectorError> {
        match task {
            Task::Look(tenants) => self.look_at(tenants, deadline).await,
            Task::Sweep(sweep) => self.sweep(sweep, deadline).await,
            Task::Audit(tenant) => self.audit(&tenant, deadline).await,
        }
    }

    /// Audits a tenant. One that has no version, or that is changing right now, is left to the next time. So is one that does not fit into
    /// an invocation: it would not fit into the next one either.
    async fn audit(&self, tenant: &TenantId, deadline: Deadline) -> Result<(), ProjectorError> {
        match Box::pin(self.taxonomies.audit(tenant, deadline)).await {
            Ok(_) => Ok(()),
            Err(ProtocolError::NoVersion | ProtocolError::Overtaken) => {
                info!(%tenant, "not audited this time");
                Ok(())
            }
            Err(ProtocolError::OutOfTime) => {
                error!(%tenant, "an audit does not fit into an invocation");
                Ok(())
            }
            Err(failure) => {
                let failure = ProjectorError::from(failure);
                self.note_failure(tenant, &failure);
                Err(failure)
            }
        }
    }

    /// Looks at tenants one after the other.
    pub(crate) async fn look_at(
        &self,
        Tenants { tenants, ignored }: Tenants,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        self.taxonomies.count(Metric::IgnoredObject, ignored);
        let (mut failed, mut further) = (0, false);
        for tenant in tenants {
            match self.bring_to_rest(&tenant, deadline, &mut further).await {
                Ok(()) => {}
                Err(error) => {
                    self.note_failure(&tenant, &error);
                    failed += 1;
                }
            }
        }
        if failed > 0 {
            return Err(ProjectorError::Unfinished(failed));
        }
        Ok(())
    }

    /// Brings a tenant to rest, or has it looked at again where time does not suffice. `further` says whether this invocation got
    /// anything done yet.
    pub(crate) async fn bring_to_rest(
        &self,
        tenant: &TenantId,
        deadline: Deadline,
        further: &mut bool,
    ) -> Result<(), ProjectorError> {
        // Boxed, because the state of everything below is large and would be copied on its way up.
        match Box::pin(self.taxonomies.reconcile(tenant, deadline)).await? {
            Outcome::AtRest => *further = true,
            Outcome::Deferred(deferral) => {
                *further = true;
                if !deferral.is_covered {
                    self.retries.ask_for_tenant_later(tenant, deferral.delay).await?;
                    self.taxonomies.deferred(tenant, &deferral).await;
                }
            }
            Outcome::Unfinished { further: more } => {
                *further |= more;
                if !*further {
                    return Err(ProjectorError::Stuck);
                }
                self.retries.ask_for_tenant(tenant).await?;
                info!(%tenant, "to be continued");
            }
        }
        Ok(())
    }

    /// The whole chain of causes, once, where the failure is handled.
    pub(crate) fn note_failure(&self, tenant: &TenantId, failure: &ProjectorError) {
        self.taxonomies.count(Metric::Unfinished, 1);
        error!(%tenant, error = causes(failure), "unfinished");
    }
}
