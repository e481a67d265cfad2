//! The table brought from the version it is projected to, or anywhere on the way, to the head.

use std::cell::Cell;

use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_model::writes::{self, Overlay, Write};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, Index, LoadState, LogEntry, Stopped, Written};
use tracing::info;

use crate::course::Course;
use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::heartbeat::{Heartbeat, Signs};
use crate::indexing::Indexing;
use crate::taxonomies::Taxonomies;

/// How long the tombstone of a satellite stays: far longer than a request can be on its way, or a record in the stream.
const TOMBSTONE_SECONDS: u64 = 30 * 24 * 60 * 60;

/// How far the table was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaughtUp {
    /// It is at the head.
    Settled,
    /// Head or projection were moved meanwhile, or another process came further.
    Overtaken,
    /// Time is up; the next begins behind the cursor.
    Stopped { further: bool },
}

impl<C: Clock> Taxonomies<C> {
    /// Writes everything that any version after the projected one changed, as the head's version has it, then moves the
    /// projection there. If the head has moved on meanwhile, the projection stays, and the next round writes on.
    pub(crate) async fn catch_up(
        &self,
        tenant: &TenantId,
        head: &Committed,
        deadline: Deadline,
    ) -> Result<CaughtUp, ProtocolError> {
        let began = self.clock.now_ms();
        #[cfg(feature = "sabotage")]
        if taxonomy_store::Sabotage::LeaseOnly.is_on() && !self.heads.lease(tenant, began).await? {
            return Ok(CaughtUp::Stopped { further: true });
        }
        let before = head.resumes(self.format()).map_or(0, |cursor| cursor.done);
        let signs = Signs {
            done: Cell::new(before),
            ..Signs::default()
        };
        let heartbeat = Heartbeat::new(self, tenant, head, &signs);
        if !heartbeat.begin(began).await {
            self.count(Metric::ConditionalRetry, 1);
            return Ok(CaughtUp::Overtaken);
        }
        let mut course = Course::new(head.version, deadline, &signs);
        let load = async {
            match self.load_all(tenant, head, &mut course).await? {
                Some(stopped) => Ok((Some(stopped), Indexing::Failed)),
                // Under the heartbeat as well: a large file takes as long as a load.
                None => Ok((None, self.index(tenant, head, deadline).await)),
            }
        };
        let ended = heartbeat.during(load).await;
        let (stopped, indexing) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                heartbeat.end(LoadState::Failed, false).await;
                return Err(error);
            }
        };
        let written = course.written;
        self.count_written(written);
        if let Some(stopped) = stopped {
            return self.load_stopped(&heartbeat, stopped, before).await;
        }
        let now = self.clock.now_ms();
        let index = match indexing {
            Indexing::Nothing => Index::Noted,
            Indexing::Done => Index::Stored { format: INDEX_FORMAT },
            Indexing::OutOfTime { .. } | Indexing::Failed => Index::Missing,
        };
        if self.heads.settle(tenant, head, now, index).await? {
            self.report(tenant, head, written, now.saturating_sub(began), now);
            Ok(CaughtUp::Settled)
        } else {
            self.count(Metric::ConditionalRetry, 1);
            info!(%tenant, version = head.version.get(), "head or projection were moved while the version was written");
            Ok(CaughtUp::Overtaken)
        }
    }

    /// Writes everything between the table and the head; none when it came to its end.
    async fn load_all(
        &self,
        tenant: &TenantId,
        head: &Committed,
        course: &mut Course<'_>,
    ) -> Result<Option<Stopped>, ProtocolError> {
        let expires_at = head.committed_at / 1000 + TOMBSTONE_SECONDS;
        match self.steps(tenant, head).await? {
            Steps::One(old) => {
                let new = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
                let writes = || writes::between(tenant, old.as_ref(), &new, expires_at);
                Ok(self.write_stretch(course, head, writes).await)
            }
            Steps::Several(overlay, last) => {
                let writes = || overlay.writes(tenant, &last, expires_at);
                Ok(self.write_stretch(course, head, writes).await)
            }
            Steps::Everything(overlay, last) => {
                self.write_everything(tenant, head, course, &overlay, &last, expires_at)
                    .await
            }
        }
    }

    /// Notes how far a load came that did not come to its end.
    async fn load_stopped(
        &self,
        heartbeat: &Heartbeat<'_, C>,
        stopped: Stopped,
        before: u64,
    ) -> Result<CaughtUp, ProtocolError> {
        let (tenant, version) = (heartbeat.tenant, heartbeat.head.version.get());
        let done = heartbeat.signs.done.get();
        let further = done > before;
        let out_of_time = match &stopped {
            Stopped::Told if heartbeat.signs.overtaken.get() => {
                self.count(Metric::ConditionalRetry, 1);
                return Ok(CaughtUp::Overtaken);
            }
            Stopped::Told => true,
            // Being throttled for long is no fault of the load, as long as it gets further.
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
                Ok(CaughtUp::Stopped { further })
            }
        }
    }

    /// Makes the writes of one stretch of the course, from where it was left off.
    pub(crate) async fn write(
        &self,
        course: &mut Course<'_>,
        writes: impl Iterator<Item = Write>,
    ) -> Option<Stopped> {
        let length = Cell::new(0);
        // Making a write costs far less than sending it, so the ones that are done are made again and left out.
        let left = writes
            .inspect(|_| length.set(length.get() + 1))
            .skip(usize::try_from(course.to_skip).unwrap_or(usize::MAX));
        let go_on = |done| course.goes_on(done, &self.clock);
        let progress = self.projection.write(course.version, left, go_on).await;
        course.advance(length.get(), progress)
    }

    /// What lies between the table and the head.
    async fn steps(&self, tenant: &TenantId, head: &Committed) -> Result<Steps, ProtocolError> {
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
            // Versions with equal content are no step.
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

    async fn any_full(&self, tenant: &TenantId, from: Version, to: Version) -> Result<bool, ProtocolError> {
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

    pub(crate) async fn load(&self, entry: &LogEntry) -> Result<Taxonomy, ProtocolError> {
        Ok(self.archive.snapshot(&entry.snapshot_key, &entry.state).await?)
    }

    fn count_written(&self, written: Written) {
        self.count(Metric::ItemsWritten, written.put + written.removed);
        self.count(Metric::ItemsAlready, written.already);
        self.count(Metric::Throttled, written.throttled);
    }

    fn report(&self, tenant: &TenantId, head: &Committed, written: Written, duration_ms: u64, now: u64) {
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
            duration_ms,
            lag_ms,
            "projected"
        );
    }
}

enum Steps {
    /// From a version (none: nothing) to the head.
    One(Option<Taxonomy>),
    /// Over several versions, the last of which is the head's.
    Several(Overlay, Taxonomy),
    /// The same, and everything else that ever was.
    Everything(Overlay, Taxonomy),
}
