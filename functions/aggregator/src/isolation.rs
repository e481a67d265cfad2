//! The delivery policy of the stream and of the deferred queue: the failure of one tenant delays no other tenant
//! (docs/decisions/0011-isolation.md).
//!
//! A record ends as *done*, *deferred* to a queue of its own, *parked* in the failures bucket, or, if both refuse it, as failed.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use taxonomy_runtime::{Clock, Metric, Metrics, causes};
use taxonomy_store::{FailureBucket, Queue, StoreError};
use taxonomy_versioning::{Deadline, UpdateLimits};
use tokio::time::{Instant, timeout};
use tracing::{error, info, warn};

use crate::change::{HeadChange, HeadRecord, by_tenant};
use crate::message::{self, Deferred};
use crate::record::DeferredMessage;
use crate::versions::Versions;

/// The maximum number of tenants of a batch in progress.
const TENANTS_AT_ONCE: usize = 8;

/// The time of a batch of the stream; then the next batch of the shard follows.
const BATCH_TIME: Duration = Duration::from_secs(60);

/// The most work for one tenant while its shard waits. Eight headers of this size fit into the function's memory many times.
const WHILE_OTHERS_WAIT: UpdateLimits = UpdateLimits {
    categories: 2_000,
    header_bytes: 8 << 20,
};

/// The time for which a record of an unknown format is retried: a deployment may be about to bring a build that knows it.
const DEPLOYMENTS_OVERLAP_MS: u64 = 3_600_000;

/// The time of transient failures after which a deferred record is parked.
pub const GIVE_UP_MS: u64 = 24 * 3_600_000;

/// The delay before the second try of a deferred record; it doubles with each try, up to [`Queue::LONGEST_DELAY`].
const FIRST_DELAY: Duration = Duration::from_secs(15);

/// Processes records so that each failure stays with its tenant.
#[derive(Debug)]
pub(crate) struct Isolation {
    pub(crate) versions: Versions,
    pub(crate) queue: Queue,
    pub(crate) failures: FailureBucket,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
}

/// The outcome of a try.
enum TryOutcome {
    Done,
    /// The work exceeds the limits or the time of this invocation.
    Unfinished(&'static str),
    Transient(StoreError),
    Permanent(StoreError),
}

impl Isolation {
    /// Processes the changes of a batch. Returns the positions from which tenants must be delivered again: there the record could be neither
    /// deferred nor parked.
    pub(crate) async fn follow(&self, heads: &[HeadRecord], deadline: Deadline) -> Vec<usize> {
        let until = Instant::now() + BATCH_TIME.min(deadline.left(&*self.clock));
        let failed = stream::iter(by_tenant(heads))
            // Boxed, because the state of the calls below is large and would be copied.
            .map(async |records| Box::pin(self.follow_tenant(&records, until)).await)
            .buffer_unordered(TENANTS_AT_ONCE);
        failed.filter_map(async |failed| failed).collect().await
    }

    /// Processes the changes of one tenant in their order. Those behind a deferred one are deferred too.
    async fn follow_tenant(&self, records: &[(usize, &HeadRecord)], until: Instant) -> Option<usize> {
        let mut is_deferred = false;
        for (position, HeadRecord { change, .. }) in records {
            let outcome = match is_deferred {
                true => TryOutcome::Unfinished("an earlier record of the tenant is deferred"),
                false => {
                    let time = until.duration_since(Instant::now());
                    self.attempt(change, WHILE_OTHERS_WAIT, time).await
                }
            };
            let taken = match outcome {
                TryOutcome::Done => continue,
                TryOutcome::Permanent(cause) => self.park(change, &causes(&cause)).await,
                TryOutcome::Unfinished(cause) => {
                    is_deferred = true;
                    self.defer(change, cause, Duration::ZERO).await
                }
                TryOutcome::Transient(cause) => {
                    is_deferred = true;
                    self.defer(change, &causes(&cause), FIRST_DELAY).await
                }
            };
            if let Err(lost) = taken {
                error!(tenant = %change.tenant, error = causes(&lost), "neither deferred nor parked; the stream delivers it again");
                return Some(*position);
            }
        }
        None
    }

    /// Tries a message of the deferred queue again. Returns whether to acknowledge it: it is done, sent again, or parked.
    pub(crate) async fn try_again(&self, message: &DeferredMessage, deadline: Deadline) -> bool {
        let taken = match Deferred::read(&message.body, self.clock.now_ms()) {
            Ok(Some(deferred)) => Box::pin(self.retry(deferred, deadline)).await,
            Ok(None) => Ok(()),
            Err(_) => self.park_unknown(message).await,
        };
        taken
            .inspect_err(|lost| {
                error!(
                    message_id = message.id,
                    error = causes(lost),
                    "neither deferred nor parked; the queue delivers it again"
                );
            })
            .is_ok()
    }

    async fn retry(&self, deferred: Deferred, deadline: Deadline) -> Result<(), StoreError> {
        let change = &deferred.change;
        let time = deadline.left(&*self.clock);
        let outcome = self.attempt(change, UpdateLimits::NONE, time).await;
        let age_ms = self.clock.now_ms().abs_diff(deferred.since);
        self.metrics.observe(Metric::DeferredAge, age_ms);
        let (cause, delay) = match outcome {
            TryOutcome::Done => {
                info!(tenant = %change.tenant, age_ms, tries = deferred.tries, "a deferred record is done");
                return Ok(());
            }
            TryOutcome::Permanent(cause) => return self.park(change, &causes(&cause)).await,
            TryOutcome::Unfinished(cause) => (cause.to_owned(), Duration::ZERO),
            TryOutcome::Transient(cause) => (causes(&cause), delay(deferred.tries)),
        };
        if age_ms > GIVE_UP_MS {
            return self.park(change, &cause).await;
        }
        let tries = deferred.tries;
        warn!(tenant = %change.tenant, age_ms, tries, cause, "a deferred record is not done yet");
        self.send(&deferred.tried(), delay).await
    }

    /// Tries a change for at most this time, and counts what was written.
    async fn attempt(&self, change: &HeadChange, limits: UpdateLimits, time: Duration) -> TryOutcome {
        match timeout(time, self.versions.follow(change, limits)).await {
            Err(_) => TryOutcome::Unfinished("out of time"),
            Ok(Ok(Some(updated))) => {
                self.metrics.count(Metric::AggregateWritten, updated.written);
                self.metrics.count(Metric::AggregateAlready, updated.already);
                TryOutcome::Done
            }
            Ok(Ok(None)) => TryOutcome::Unfinished("too much to count while others wait"),
            Ok(Err(error)) if is_permanent(&error, change, &*self.clock) => TryOutcome::Permanent(error),
            Ok(Err(error)) => TryOutcome::Transient(error),
        }
    }

    async fn defer(&self, change: &HeadChange, cause: &str, delay: Duration) -> Result<(), StoreError> {
        self.send(&Deferred::new(change.clone(), self.clock.now_ms()), delay)
            .await?;
        self.metrics.count(Metric::Deferred, 1);
        let version = change.committed.map(|committed| committed.version.get());
        warn!(tenant = %change.tenant, version, cause, "deferred");
        Ok(())
    }

    async fn send(&self, deferred: &Deferred, delay: Duration) -> Result<(), StoreError> {
        let body = deferred.body().map_err(unwritable)?;
        self.queue.send(body, delay).await
    }

    /// Stores a failed record with its cause. A record that arrives twice is stored, logged and counted once.
    async fn park(&self, change: &HeadChange, cause: &str) -> Result<(), StoreError> {
        let (key, body) = message::parked(change, cause, self.clock.now_ms()).map_err(unwritable)?;
        if self.failures.put_once(&key, body).await? {
            self.metrics.count(Metric::Parked, 1);
            let version = change.committed.map(|committed| committed.version.get());
            error!(tenant = %change.tenant, version, key, error = cause, "parked");
        }
        Ok(())
    }

    async fn park_unknown(&self, message: &DeferredMessage) -> Result<(), StoreError> {
        let (key, body) = (message::unknown(&message.body), message.body.as_bytes());
        if self.failures.put_once(&key, body.to_vec()).await? {
            self.metrics.count(Metric::Parked, 1);
            error!(message_id = message.id, key, "parked a message of unknown form");
        }
        Ok(())
    }
}

fn is_permanent(error: &StoreError, change: &HeadChange, clock: &dyn Clock) -> bool {
    let committed_at = change.committed.map_or(0, |committed| committed.at);
    let is_old = || clock.now_ms().saturating_sub(committed_at) > DEPLOYMENTS_OVERLAP_MS;
    error.is_permanent() || (error.is_unknown_format() && is_old())
}

/// Returns the delay before the next try of a deferred record.
pub fn delay(tries: u32) -> Duration {
    let delay = FIRST_DELAY.saturating_mul(1 << tries.min(10));
    delay.min(Queue::LONGEST_DELAY)
}

fn unwritable(error: serde_json::Error) -> StoreError {
    StoreError::damaged("a deferred record", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_up_to_the_longest() {
        let seconds = [0, 1, 2, 5, 6, 100].map(|tries| delay(tries).as_secs());
        assert_eq!(seconds, [15, 30, 60, 480, 900, 900]);
    }

    #[test]
    fn an_unknown_format_becomes_permanent_after_an_hour() {
        let change = Deferred::read(
            r#"{"formatVersion":1,"tenant":"acme","committed":{"version":1,"at":1000}}"#,
            0,
        );
        let change = change.unwrap().unwrap().change;
        let unknown = StoreError::UnknownFormat {
            what: "a changeset".to_owned(),
            format: 9,
        };
        assert!(!is_permanent(&unknown, &change, &|| 1000 + DEPLOYMENTS_OVERLAP_MS));
        assert!(is_permanent(&unknown, &change, &|| 1001 + DEPLOYMENTS_OVERLAP_MS));
    }
}
