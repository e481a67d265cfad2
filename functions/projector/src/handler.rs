//! The handler: which tenants to look at, and what becomes of the event.

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse};
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_protocol::{Bounds, Deadline, Outcome, Taxonomies, causes};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{DeadLetters, RetryQueue, StoreError};
use tracing::{error, info};

use crate::config::Config;
use crate::downloads::Received;
use crate::error::ProjectorError;
use crate::event::{self, Message, Task, Tenants, Work};
use crate::redelivery::{self, Fate};

/// Everything the function works with.
#[derive(Debug)]
pub struct Projector<C> {
    source_bucket: String,
    pub(crate) taxonomies: Taxonomies<C>,
    pub(crate) retries: RetryQueue,
    pub(crate) audits: RetryQueue,
    pub(crate) downloads: RetryQueue,
    dead_letters: DeadLetters,
    audit_dead_letters: DeadLetters,
    pub(crate) download_dead_letters: DeadLetters,
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
            retries: RetryQueue::new(sqs.clone(), &config.retry_queue),
            audits: RetryQueue::new(sqs.clone(), &config.audit_queue),
            downloads: RetryQueue::new(sqs.clone(), &config.download_queue),
            dead_letters: DeadLetters::new(sqs.clone(), &config.dead_letters),
            audit_dead_letters: DeadLetters::new(sqs.clone(), &config.audit_dead_letters),
            download_dead_letters: DeadLetters::new(sqs, &config.download_dead_letters),
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
    /// - An audit that time did not suffice for goes on in the next invocation from the version that it verified. One that verified nothing
    ///   is *acknowledged*: it would not fit the next time either, and there is an alarm on it.
    /// - A failing store fails the event. From SNS, Lambda tries twice more and then hands it to the retry queue.
    /// - A message whose work fails is sent again with the number of its failures and a delay, and *acknowledged*; after
    ///   [`TRIES`](crate::TRIES) failures it is sent to the dead letters instead. Where that cannot be sent, the message stays, and comes again
    ///   when its visibility time-out ends. If the answer is lost or the process dies in between, the message is there twice, which costs a
    ///   second look.
    /// - A download is made once, and a message for one that is there is *acknowledged*. The message of one that fails on every try, runs
    ///   out of time twice, or was received more than [`DOWNLOAD_RECEIVES`](crate::DOWNLOAD_RECEIVES) times becomes a dead letter; then
    ///   the failure is recorded for callers, and messages that were sent before it are *acknowledged* without work.
    /// - A message of unknown form is sent to the dead letters at once, and an event of unknown form fails.
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
                for message in messages {
                    let id = message.id.clone();
                    if let Err(lost) = self.work_off_message(message, deadline).await {
                        error!(
                            message_id = id,
                            error = causes(&lost),
                            "the message stays in its queue"
                        );
                        let mut failure = BatchItemFailure::default();
                        failure.item_identifier = id;
                        response.batch_item_failures.push(failure);
                    }
                }
            }
        }
        Ok(response)
    }

    /// Does what a message asks for, or sends it again. An error says that neither was possible.
    async fn work_off_message(&self, message: Message, deadline: Deadline) -> Result<(), StoreError> {
        let Message {
            id,
            body,
            receives,
            sent,
            task,
        } = message;
        let Some(task) = task else {
            error!(message_id = id, "a message of unknown form");
            let fate = redelivery::without_hope(&body);
            return self
                .send_on(
                    &self.retries,
                    &self.dead_letters,
                    fate,
                    "a message of unknown form",
                )
                .await;
        };
        let task = match task {
            Task::Download(download) => {
                let received = Received {
                    body: &body,
                    receives,
                    sent,
                };
                return self.work_off_download(download, &received, deadline).await;
            }
            task => task,
        };
        let (queue, dead_letters, run) = match &task {
            Task::Audit(_, order) => (&self.audits, &self.audit_dead_letters, order.run),
            Task::Look(_) | Task::Sweep(_) | Task::Download(_) => (&self.retries, &self.dead_letters, None),
        };
        match self.perform(task, deadline).await {
            Ok(()) => Ok(()),
            Err(failure) => {
                let fate = redelivery::after_failure(&body, run);
                self.send_on(queue, dead_letters, fate, &causes(&failure)).await
            }
        }
    }

    pub(crate) async fn send_on(
        &self,
        queue: &RetryQueue,
        dead_letters: &DeadLetters,
        fate: Fate,
        cause: &str,
    ) -> Result<(), StoreError> {
        match fate {
            Fate::Again { body, delay } => queue.send_again(body, delay).await,
            Fate::Dead { body, tries } => {
                error!(tries, cause, "a message becomes a dead letter");
                dead_letters.bury(&body, cause, tries).await
            }
        }
    }

    async fn perform(&self, task: Task, deadline: Deadline) -> Result<(), ProjectorError> {
        match task {
            Task::Look(tenants) => self.look_at(tenants, deadline).await,
            Task::Sweep(sweep) => {
                let swept = self.sweep(sweep, deadline).await;
                if let Err(failure) = &swept {
                    self.taxonomies.count(Metric::Unfinished, 1);
                    error!(error = causes(failure), "a sweep is unfinished");
                }
                swept
            }
            Task::Audit(tenant, order) => {
                let audited = self.audit(&tenant, order, deadline).await;
                if let Err(failure) = &audited {
                    self.note_failure(&tenant, failure);
                }
                audited
            }
            Task::Download(download) => self.make(&download, deadline).await,
        }
    }

    /// Looks at tenants one after the other.
    pub(crate) async fn look_at(
        &self,
        Tenants { tenants, ignored }: Tenants,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        self.taxonomies.count(Metric::IgnoredObject, ignored);
        let (mut failed, mut first, mut further) = (0, None, false);
        for tenant in tenants {
            if let Err(error) = self.bring_to_rest(&tenant, deadline, &mut further).await {
                self.note_failure(&tenant, &error);
                failed += 1;
                first.get_or_insert_with(|| Box::new(error));
            }
        }
        first.map_or(Ok(()), |first| Err(ProjectorError::Unfinished { failed, first }))
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
