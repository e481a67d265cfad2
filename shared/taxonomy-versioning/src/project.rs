//! Projecting a version: the items of the table are brought from the projected version, or any state on the way, to the head's version.

use std::cell::Cell;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_model::writes::{self, Overlay, Write};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, LoadState, LogEntry, Stopped, WriteOutcomes};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::heartbeat::{Heartbeat, Signs};
use crate::progress::ProjectionProgress;
use crate::service::Service;

/// The time to live of the tombstone of an item beside a term, in seconds: far longer than a request or a stream record can be delayed.
const TOMBSTONE_SECONDS: u64 = 30 * 24 * 60 * 60;

/// The outcome of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectionOutcome {
    /// The table is at the head.
    Settled,
    /// The head or the projection moved meanwhile, or another process is further.
    Overtaken,
    /// The time is over; the next invocation continues behind the cursor.
    Stopped { further: bool },
}

impl<C: Clock> Service<C> {
    /// Writes every item that a version after the projected one changed, in its state at the head's version, then moves the projection there. If
    /// the head moved meanwhile, the projection stays, and the next round continues.
    pub(crate) async fn project(
        &self,
        tenant: &TenantId,
        head: &Committed,
        deadline: Deadline,
    ) -> Result<ProjectionOutcome, VersioningError> {
        let began = self.clock.now_ms();
        let before = head.resumes(self.format()).map_or(0, |cursor| cursor.done);
        let signs = Signs {
            done: Cell::new(before),
            ..Signs::default()
        };
        let heartbeat = Heartbeat::new(self, tenant, head, &signs);
        if !heartbeat.begin(began).await {
            self.count(Metric::ConditionalRetry, 1);
            return Ok(ProjectionOutcome::Overtaken);
        }
        let mut progress = ProjectionProgress::new(head.version, deadline, &signs);
        let load = self.load_all(tenant, head, &mut progress);
        let stopped = match heartbeat.during(load).await {
            Ok(stopped) => stopped,
            Err(error) => {
                heartbeat.end(LoadState::Failed, false).await;
                return Err(error);
            }
        };
        let written = progress.written;
        self.count_written(written);
        if let Some(stopped) = stopped {
            return self.load_stopped(&heartbeat, stopped, before).await;
        }
        let now = self.clock.now_ms();
        if self.heads.mark_projected(tenant, head, now).await? {
            self.report(tenant, head, written, now.saturating_sub(began), now);
            Ok(ProjectionOutcome::Settled)
        } else {
            self.count(Metric::ConditionalRetry, 1);
            info!(%tenant, version = head.version.get(), "head or projection were moved while the version was written");
            Ok(ProjectionOutcome::Overtaken)
        }
    }

    /// Makes all writes between the table and the head. Returns `None` when they are complete.
    async fn load_all(
        &self,
        tenant: &TenantId,
        head: &Committed,
        progress: &mut ProjectionProgress<'_>,
    ) -> Result<Option<Stopped>, VersioningError> {
        let expires_at = head.committed_at / 1000 + TOMBSTONE_SECONDS;
        match self.steps(tenant, head).await? {
            Steps::One(old) => {
                let new = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
                let writes = writes::between(tenant, old.as_ref(), &new, expires_at);
                Ok(self.write(progress, writes).await)
            }
            Steps::Several(overlay, last) => {
                let writes = overlay.writes(tenant, &last, expires_at);
                Ok(self.write(progress, writes).await)
            }
            Steps::Everything(overlay, last) => {
                self.rewrite_everything(tenant, progress, &overlay, &last, expires_at)
                    .await
            }
        }
    }

    /// Saves the progress of a projection that stopped.
    async fn load_stopped(
        &self,
        heartbeat: &Heartbeat<'_, C>,
        stopped: Stopped,
        before: u64,
    ) -> Result<ProjectionOutcome, VersioningError> {
        let (tenant, version) = (heartbeat.tenant, heartbeat.head.version.get());
        let done = heartbeat.signs.done.get();
        let further = done > before;
        let out_of_time = match &stopped {
            Stopped::Ended if heartbeat.signs.overtaken.get() => {
                self.count(Metric::ConditionalRetry, 1);
                return Ok(ProjectionOutcome::Overtaken);
            }
            Stopped::Ended => true,
            // A long throttle is no failure of the projection as long as it makes progress.
            Stopped::Failed(error) => error.is_throttled() && further,
        };
        let state = match out_of_time {
            true => LoadState::OutOfTime,
            false => LoadState::Failed,
        };
        let noted = heartbeat.end(state, further).await;
        match stopped {
            Stopped::Failed(error) if !out_of_time => Err(error.into()),
            _ => {
                info!(%tenant, version, done, noted, "out of time");
                Ok(ProjectionOutcome::Stopped { further })
            }
        }
    }

    /// Makes the writes of one stretch, from its progress on.
    pub(crate) async fn write(
        &self,
        progress: &mut ProjectionProgress<'_>,
        writes: impl Iterator<Item = Write>,
    ) -> Option<Stopped> {
        let length = Cell::new(0);
        // Building a write costs far less than sending it, so the completed ones are built again and skipped.
        let left = writes
            .inspect(|_| length.set(length.get() + 1))
            .skip(usize::try_from(progress.to_skip).unwrap_or(usize::MAX));
        let go_on = |done| progress.goes_on(done, &self.clock);
        let written = self.projection.write(progress.version, left, go_on).await;
        progress.advance(length.get(), written)
    }

    /// Returns the difference between the table and the head.
    async fn steps(&self, tenant: &TenantId, head: &Committed) -> Result<Steps, VersioningError> {
        let next = head.projected.map_or(Version::FIRST, Version::next);
        let mut old = match head.projected {
            Some(projected) => {
                let entry = self.heads.required_entry(tenant, projected).await?;
                Some((entry.state.clone(), self.load(&entry).await?))
            }
            None => None,
        };
        if next == head.version && !head.full {
            return Ok(Steps::One(old.map(|(_, taxonomy)| taxonomy)));
        }
        let full = head.full || self.any_full(tenant, next, head.version).await?;
        let (mut overlay, mut version) = (Overlay::default(), next);
        loop {
            let entry = self.heads.required_entry(tenant, version).await?;
            // Versions with equal content need no step.
            if old.as_ref().is_none_or(|(state, _)| *state != entry.state) {
                let new = self.load(&entry).await?;
                overlay.step(tenant, old.as_ref().map(|(_, taxonomy)| taxonomy), &new);
                old = Some((entry.state, new));
            }
            match old {
                Some((_, last)) if version == head.version => {
                    return Ok(match full {
                        true => Steps::Everything(overlay, last),
                        false => Steps::Several(overlay, last),
                    });
                }
                _ => version = version.next(),
            }
        }
    }

    async fn any_full(&self, tenant: &TenantId, from: Version, to: Version) -> Result<bool, VersioningError> {
        let mut next = from;
        while next <= to {
            let entries = self.heads.entries(tenant, next, to).await?;
            if entries.iter().any(|entry| entry.full) {
                return Ok(true);
            }
            let Some(last) = entries.last() else {
                self.heads.required_entry(tenant, next).await?;
                break;
            };
            next = last.version.next();
        }
        Ok(false)
    }

    pub(crate) async fn load(&self, entry: &LogEntry) -> Result<Taxonomy, VersioningError> {
        Ok(self.archive.snapshot(&entry.snapshot_key, &entry.state).await?)
    }

    fn count_written(&self, written: WriteOutcomes) {
        self.count(Metric::ItemsWritten, written.put + written.removed);
        self.count(Metric::ItemsAlready, written.already);
        self.count(Metric::Throttled, written.throttled);
    }

    fn report(
        &self,
        tenant: &TenantId,
        head: &Committed,
        written: WriteOutcomes,
        duration_ms: u64,
        now: u64,
    ) {
        let lag_ms = now.saturating_sub(head.committed_at);
        self.count(Metric::VersionProjected, 1);
        self.observe(Metric::ProjectionLag, lag_ms);
        info!(
            %tenant,
            version = head.version.get(),
            from_version = head.projected.map_or(0, Version::get),
            items_put = written.put,
            items_removed = written.removed,
            items_already = written.already,
            throttled = written.throttled,
            write_units = written.units,
            duration_ms,
            lag_ms,
            "projected"
        );
    }
}

enum Steps {
    /// From a version (`None`: from nothing) to the head.
    One(Option<Taxonomy>),
    /// Over several versions, the last of which is the head's.
    Several(Overlay, Taxonomy),
    /// The same for a full version: every item of every node that ever existed.
    Everything(Overlay, Taxonomy),
}
