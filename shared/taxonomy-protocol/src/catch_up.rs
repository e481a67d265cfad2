//! The table brought from the version it is projected to, or anywhere on the way, to the head.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_model::writes::{self, Overlay, Write};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, Cursor, LogEntry, Progress, Stopped, StoreError, Written};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::taxonomies::Taxonomies;

/// How long the tombstone of a satellite stays: far longer than a request can be on its way, or a record in the stream.
const TOMBSTONE_SECONDS: u64 = 30 * 24 * 60 * 60;

/// How far the table was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaughtUp {
    /// It is at the head.
    Settled,
    /// Head or projection were moved meanwhile.
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
        let expires_at = head.committed_at / 1000 + TOMBSTONE_SECONDS;
        let before = head.done(u64::from(self.bounds.projection_format));
        let progress = match self.steps(tenant, head).await? {
            Steps::One(old) => {
                let new = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
                let writes = writes::between(tenant, old.as_ref(), &new, expires_at);
                self.write(head, writes, before, deadline).await
            }
            Steps::Several(overlay, last) => {
                let writes = overlay.into_writes(tenant, &last, expires_at);
                self.write(head, writes, before, deadline).await
            }
        };
        let Progress {
            written,
            done,
            stopped,
        } = progress;
        self.count_written(written);
        if let Some(stopped) = stopped {
            let done = before + done;
            let further = done > before && self.note(tenant, head, done).await?;
            return match stopped {
                Stopped::Told => {
                    info!(%tenant, version = head.version.get(), done, "out of time");
                    Ok(CaughtUp::Stopped { further })
                }
                Stopped::Failed(error) => Err(error.into()),
            };
        }
        let now = self.clock.now_ms();
        if self.heads.settle(tenant, head, now).await? {
            self.report(tenant, head, written, now.saturating_sub(began), now);
            Ok(CaughtUp::Settled)
        } else {
            self.count(Metric::ConditionalRetry, 1);
            info!(%tenant, version = head.version.get(), "head or projection were moved while the version was written");
            Ok(CaughtUp::Overtaken)
        }
    }

    async fn write(
        &self,
        head: &Committed,
        writes: impl Iterator<Item = Write>,
        done: u64,
        deadline: Deadline,
    ) -> Progress {
        // Making a write costs far less than sending it, so the ones that are done are made again and left out.
        let writes = writes.skip(usize::try_from(done).unwrap_or(usize::MAX));
        let go_on = || !deadline.is_over(&self.clock);
        self.projection.write(head.version, writes, go_on).await
    }

    /// What lies between the table and the head.
    async fn steps(&self, tenant: &TenantId, head: &Committed) -> Result<Steps, ProtocolError> {
        let next = head.projected.map_or(Version::FIRST, Version::next);
        if next == head.version && !(head.full && head.projected.is_some()) {
            let old = match head.projected {
                Some(projected) => Some(self.load(&self.logged(tenant, projected).await?).await?),
                None => None,
            };
            return Ok(Steps::One(old));
        }
        // A full version writes every key there ever was, so the steps begin at the first version.
        let full = head.full || self.any_full(tenant, next, head.version).await?;
        let mut version = if full { Version::FIRST } else { next };
        let mut old = match head.projected.filter(|_| !full) {
            Some(projected) => {
                let entry = self.logged(tenant, projected).await?;
                Some((entry.state.clone(), self.load(&entry).await?))
            }
            None => None,
        };
        let mut overlay = Overlay::default();
        loop {
            let entry = self.logged(tenant, version).await?;
            // Versions with equal content are no step.
            if old.as_ref().is_none_or(|(state, _)| *state != entry.state) {
                let new = self.load(&entry).await?;
                overlay.step(tenant, old.as_ref().map(|(_, taxonomy)| taxonomy), &new);
                old = Some((entry.state, new));
            }
            match old {
                Some((_, last)) if version == head.version => return Ok(Steps::Several(overlay, last)),
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
                return Err(missing(tenant, next).into());
            };
            next = last.version.next();
        }
        Ok(false)
    }

    pub(crate) async fn logged(
        &self,
        tenant: &TenantId,
        version: Version,
    ) -> Result<LogEntry, ProtocolError> {
        let entry = self.heads.entry(tenant, version).await?;
        entry.ok_or_else(|| missing(tenant, version).into())
    }

    pub(crate) async fn load(&self, entry: &LogEntry) -> Result<Taxonomy, ProtocolError> {
        Ok(self.archive.snapshot(&entry.snapshot_key, &entry.state).await?)
    }

    /// Notes how far the projection came. A cursor that cannot be noted costs time and nothing else.
    async fn note(&self, tenant: &TenantId, head: &Committed, done: u64) -> Result<bool, ProtocolError> {
        let cursor = Cursor {
            changeset: head.changeset.clone(),
            from: head.projected,
            format: u64::from(self.bounds.projection_format),
            done,
        };
        Ok(self.heads.save_cursor(tenant, head, &cursor).await?)
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
}

fn missing(tenant: &TenantId, version: Version) -> StoreError {
    StoreError::Damaged {
        what: format!("the log of {tenant}"),
        source: format!("version {version} is missing").into(),
    }
}
