//! The handler: the tasks of an event, and its delivery policy.

use aws_lambda_events::event::sqs::{BatchItemFailure, SqsBatchResponse};
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{Queue, StoreError};
use taxonomy_versioning::{Deadline, Outcome, Service};
use tracing::{error, info, warn};

use crate::downloads;
use crate::error::ProjectorError;
use crate::event::{self, ChangedTenants, IgnoredObject, MalformedRecord, QueueMessage, Task, Work};
use crate::redelivery::{self, Redelivery};

/// The clients and the configuration of the function.
#[derive(Debug)]
pub struct Projector {
    pub(crate) source_bucket: String,
    pub(crate) service: Service,
    pub(crate) retries: WorkQueue,
    pub(crate) audits: WorkQueue,
    pub(crate) downloads: WorkQueue,
}

/// A queue of messages for this function.
#[derive(Debug)]
pub(crate) struct WorkQueue {
    pub(crate) queue: Queue,
    pub(crate) dead_letters: Queue,
}

impl WorkQueue {
    pub(crate) async fn redeliver(&self, redelivery: Redelivery, cause: &str) -> Result<(), StoreError> {
        match redelivery {
            Redelivery::Retry { body, delay } => self.queue.send(body, delay).await,
            Redelivery::DeadLetter { body, tries } => {
                error!(tries, cause, "a message becomes a dead letter");
                self.dead_letters.send_dead_letter(body, cause, tries).await
            }
        }
    }
}

impl Projector {
    /// Processes one event, until the deadline.
    ///
    /// Delivery policy:
    /// - A refused file, a foreign key or a missing object is *acknowledged*: a retry would change nothing.
    /// - Work that the time did not suffice for is sent to the retry queue and *acknowledged*, but only by an invocation that made progress:
    ///   without progress it would request itself for ever, so it fails.
    /// - A tenant that another process loads is left to that process, and *acknowledged*: that process reads the head once more after its load,
    ///   and if it dies, the next sweep finds the tenant.
    /// - An audit that the time did not suffice for continues in the next invocation at the verified version. One that verified nothing
    ///   is *acknowledged*: it would not fit the next time either, and an alarm reports it.
    /// - A failing store fails the event. For an event from SNS, Lambda tries twice more and then sends it to the retry queue.
    /// - A message whose work fails is sent again with the number of its failures and a delay, and *acknowledged*; after
    ///   [`TRIES`](crate::TRIES) failures it is sent to the dead-letter queue instead. If that cannot be sent, the message stays, and is delivered
    ///   again after its visibility time-out. If the response is lost or the process dies in between, the message exists twice, which costs a
    ///   second reconcile.
    /// - A download is written once, and a message for one that exists is *acknowledged*. The message of one that fails on every try, runs
    ///   out of time twice, or was received more than [`DOWNLOAD_RECEIVES`](crate::DOWNLOAD_RECEIVES) times becomes a dead letter; then
    ///   the failure is recorded for callers, and messages that were sent before it are *acknowledged* without work.
    /// - A message of unknown form is sent to the dead-letter queue at once, and an event of unknown form fails. One with a record of unknown form
    ///   ends in the same way, after the tenants of its other records; the log names message id, bucket and key.
    /// - The failure of one tenant does not prevent the reconcile of the other tenants of the event.
    ///
    /// # Errors
    /// [`ProjectorError`] if the whole event must be delivered again.
    pub async fn handle(&self, event: Value, deadline: Deadline) -> Result<SqsBatchResponse, ProjectorError> {
        let outcome = match event::parse(&event, &self.source_bucket) {
            Ok(work) => self.process(work, deadline).await,
            Err(error) => {
                error!(error = %error, "an event of unknown form");
                Err(error)
            }
        };
        self.service.metrics.emit(&*self.service.clock);
        outcome
    }

    async fn process(&self, work: Work, deadline: Deadline) -> Result<SqsBatchResponse, ProjectorError> {
        let mut response = SqsBatchResponse::default();
        match work {
            Work::One(task) => self.perform(&task, deadline).await?,
            Work::Messages(messages) => {
                for message in messages {
                    if let Err(lost) = self.process_message(&message, deadline).await {
                        error!(
                            message_id = message.id,
                            error = causes(&lost),
                            "the message stays in its queue"
                        );
                        let mut failure = BatchItemFailure::default();
                        failure.item_identifier = message.id;
                        response.batch_item_failures.push(failure);
                    }
                }
            }
        }
        Ok(response)
    }

    /// Executes the task of a message, or sends the message again. Returns an error if neither was possible.
    async fn process_message(&self, message: &QueueMessage, deadline: Deadline) -> Result<(), StoreError> {
        let Some(task) = &message.task else {
            let cause = "a message of unknown form";
            error!(message_id = message.id, "{cause}");
            let redelivery = redelivery::unparseable(&message.body);
            return self.retries.redeliver(redelivery, cause).await;
        };
        let (queue, run, download) = match task {
            Task::Download(requested) => (&self.downloads, None, Some(&requested.download)),
            Task::Audit(_, order) => (&self.audits, order.run, None),
            Task::Reconcile(_) | Task::Sweep(_) => (&self.retries, None, None),
        };
        let Err(failure) = self.perform(task, deadline).await else {
            return Ok(());
        };
        // What has an unknown form has it on every try.
        let is_unknown = matches!(failure, ProjectorError::UnknownEvent(_));
        let is_hopeless =
            |tries| is_unknown || (download.is_some() && downloads::is_hopeless(&failure, tries));
        let redelivery = redelivery::after_failure(&message.body, run, is_hopeless);
        let is_dead = matches!(redelivery, Redelivery::DeadLetter { .. });
        queue.redeliver(redelivery, &causes(&failure)).await?;
        // Last: a recorded failure also ends this message, which must not be lost if the dead letter could not be sent.
        if let Some(download) = download.filter(|_| is_dead) {
            let now = self.service.clock.now_ms();
            self.service.archive.note_failed_download(download, now).await?;
        }
        Ok(())
    }

    async fn perform(&self, task: &Task, deadline: Deadline) -> Result<(), ProjectorError> {
        match task {
            Task::Reconcile(changed) => self.reconcile_all(changed, deadline).await,
            Task::Sweep(sweep) => self.sweep(sweep, deadline).await.inspect_err(|failure| {
                self.service.metrics.count(Metric::Unfinished, 1);
                error!(error = causes(failure), "a sweep is unfinished");
            }),
            Task::Audit(tenant, order) => {
                let audited = self.audit(tenant, *order, deadline).await;
                audited.inspect_err(|failure| self.note_failure(tenant, failure))
            }
            Task::Download(requested) => {
                let made = self.make(requested, deadline).await;
                made.inspect_err(|failure| self.note_failure(&requested.download.tenant, failure))
            }
        }
    }

    /// Reconciles tenants one after the other. Malformed records of the event fail it when the tenants of all others are done, so that a dead letter keeps
    /// them.
    async fn reconcile_all(
        &self,
        changed: &ChangedTenants,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        let metrics = &self.service.metrics;
        metrics.count(Metric::IgnoredObject, changed.ignored.len() as u64);
        for IgnoredObject { bucket, key } in &changed.ignored {
            warn!(
                bucket,
                key, "ignored: no upload of taxonomies/TENANT.json to the source bucket"
            );
        }
        for malformed in &changed.malformed {
            let MalformedRecord {
                message_id,
                bucket,
                key,
                text,
            } = malformed;
            error!(?message_id, ?bucket, ?key, text, "a record of unknown form");
        }
        let (mut failed, mut first, mut further) = (0, None, false);
        for tenant in &changed.tenants {
            if let Err(error) = self.reconcile(tenant, deadline, &mut further).await {
                self.note_failure(tenant, &error);
                failed += 1;
                first.get_or_insert_with(|| Box::new(error));
            }
        }
        match first {
            Some(first) => Err(ProjectorError::Unfinished { failed, first }),
            None if changed.malformed.is_empty() => Ok(()),
            None => Err(event::INCOMPLETE),
        }
    }

    /// Reconciles a tenant, or sends it to the retry queue if the time does not suffice. `further` is whether this invocation has made progress.
    pub(crate) async fn reconcile(
        &self,
        tenant: &TenantId,
        deadline: Deadline,
        further: &mut bool,
    ) -> Result<(), ProjectorError> {
        // Boxed, because the state of everything below is large and would be copied on its way up.
        match Box::pin(self.service.reconcile(tenant, deadline)).await? {
            Outcome::AtRest => *further = true,
            Outcome::Unfinished { further: more } => {
                *further |= more;
                if !*further {
                    return Err(ProjectorError::Stuck);
                }
                self.retries.queue.ask_for_tenant(tenant).await?;
                info!(%tenant, "to be continued");
            }
        }
        Ok(())
    }

    /// Logs the whole chain of causes, once, where the failure is handled.
    pub(crate) fn note_failure(&self, tenant: &TenantId, failure: &ProjectorError) {
        self.service.metrics.count(Metric::Unfinished, 1);
        error!(%tenant, error = causes(failure), "unfinished");
    }
}
