//! Projecting: the items of the table are brought from the projected version to the target of a load.

use std::cell::Cell;

use taxonomy_keys::{ItemKey, TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_model::writes::{self, Write};
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{Committed, LoadCursor, LoadState, Stopped, StoreError, WriteOutcomes};
use tracing::{error, info, warn};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::load::Load;
use crate::load::heartbeat::{Heartbeat, Signs};
use crate::load::progress::ProjectionProgress;
use crate::plan::TenantState;
use crate::reconcile::Round;
use crate::service::{Service, boxed};
use crate::verify::Mends;

/// The time to live of the tombstone of an item beside a term, in seconds: far longer than a request or a stream record can be delayed.
const TOMBSTONE_SECONDS: u64 = 30 * 24 * 60 * 60;

impl Service {
    /// Does the load that a tenant needs next.
    pub(crate) async fn project(
        &self,
        state: TenantState<'_>,
        head: &Committed,
    ) -> Result<Round, VersioningError> {
        let (tenant, version) = (state.tenant, head.version.get());
        match Load::next(head, self.format(), &self.process, self.clock.now_ms()) {
            Load::Claim(cursor) => {
                if let Some(claimed) = self.claim(state, head, cursor).await? {
                    return self.run(state, head, claimed).await;
                }
            }
            Load::Theirs => {
                info!(%tenant, version, "another process is loading the tenant");
                return Ok(Round::Left);
            }
            Load::Waits => {
                warn!(%tenant, version, "a load that cannot succeed is not yet given up");
                return Ok(Round::Left);
            }
            Load::GiveUp => {
                let given_up = self.heads.give_up(tenant, head).await?;
                warn!(%tenant, version, given_up, "a load that cannot succeed is given up");
            }
        }
        self.metrics.count(Metric::ConditionalRetry, 1);
        Ok(Round::Done(false))
    }

    /// Stores the cursor of a load, and returns it with the content of the projected version, unless the load is a full one. Returns `None` if another
    /// process was first.
    async fn claim(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        mut cursor: LoadCursor,
    ) -> Result<Option<(LoadCursor, Option<Taxonomy>)>, VersioningError> {
        let tenant = state.tenant;
        let old = match (head.projected, cursor.full) {
            (Some(projected), false) => self.projected_content(tenant, projected, state.deadline).await?,
            _ => None,
        };
        if old.is_none() && head.projected.is_some() && !cursor.full {
            // The writes of a full load differ from those that were counted.
            (cursor.full, cursor.done) = (true, 0);
        }
        let claimed = self.heads.claim(tenant, head, &cursor).await?;
        Ok(claimed.then_some((cursor, old)))
    }

    /// Does the load of a cursor that is stored.
    async fn run(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        (cursor, old): (LoadCursor, Option<Taxonomy>),
    ) -> Result<Round, VersioningError> {
        let tenant = state.tenant;
        let signs = Signs {
            done: Cell::new(cursor.done),
            ..Signs::default()
        };
        let heartbeat = Heartbeat {
            service: self,
            tenant,
            cursor: &cursor,
            signs: &signs,
        };
        let mut progress = ProjectionProgress::new(cursor.to, state.deadline, &signs);
        let load = async {
            let target = self.target(tenant, head, &cursor).await?;
            let stopped = self
                .load_all(tenant, &cursor, old, &target, &mut progress)
                .await?;
            Ok((target, stopped))
        };
        let ended = heartbeat.during(load).await;
        if let Err(error) = &ended {
            heartbeat.renew(state_after(error)).await;
        }
        let written = progress.written;
        self.count_written(&written);
        let unknown = self.count_unknown(tenant, &written.newer).await;
        let (target, stopped) = ended?;
        if let Some(stopped) = stopped {
            return self.load_stopped(&heartbeat, stopped).await;
        }
        if progress.to_skip > 0 {
            error!(%tenant, version = cursor.to.get(), done = cursor.done, "the cursor counts more writes than there are; the load begins anew");
            signs.done.set(0);
            heartbeat.renew(LoadState::OutOfTime).await;
            return Ok(Round::Done(false));
        }
        if !unknown.is_empty() && cursor.to == head.version {
            boxed(|| self.mend_unknown(state, head, unknown)).await?;
        }
        let now = self.clock.now_ms();
        let at = now.max(target.committed_at);
        if !self.end_load(state, head, &cursor, at).await? {
            self.metrics.count(Metric::ConditionalRetry, 1);
            return Ok(Round::Done(false));
        }
        self.report(tenant, &cursor, &target, &written, now);
        Ok(Round::Done(true))
    }

    /// Moves the projection to the target of a load whose writes are complete. Returns false if it was there before.
    async fn end_load(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        cursor: &LoadCursor,
        at: u64,
    ) -> Result<bool, VersioningError> {
        let (tenant, revision) = (state.tenant, state.configuration.revision);
        if cursor.to == head.version {
            let left = state.attention();
            let ended = self.heads.end_load(tenant, cursor, at, revision, left);
            if ended.await? {
                return Ok(true);
            }
        }
        Ok(self.heads.mark_projected(tenant, cursor.to, at).await?)
    }

    /// Returns the target of a load.
    async fn target(
        &self,
        tenant: &TenantId,
        head: &Committed,
        cursor: &LoadCursor,
    ) -> Result<StoredVersion, StoreError> {
        let target = match cursor.to == head.version {
            true => StoredVersion::from(head),
            false => (&self.heads.required_entry(tenant, cursor.to).await?).into(),
        };
        match target.changeset == cursor.changeset {
            true => Ok(target),
            false => {
                let what = format!("the log of {tenant} at version {}", cursor.to);
                Err(StoreError::damaged(what, "a load is of another changeset"))
            }
        }
    }

    /// Returns the content of the projected version; `None` where it is lost, so that the load must be a full one.
    async fn projected_content(
        &self,
        tenant: &TenantId,
        projected: Version,
        deadline: Deadline,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        let content = match self.heads.required_entry(tenant, projected).await {
            Ok(entry) => {
                self.content(tenant, &(&entry).into(), Mends::Nothing, deadline)
                    .await
            }
            Err(error) => Err(error.into()),
        };
        match content {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.is_damage() => {
                warn!(%tenant, version = projected.get(), error = causes(&error), "the snapshot of the projected version is lost; the load is a full one");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes all writes of a load. Returns `None` when they are complete.
    async fn load_all(
        &self,
        tenant: &TenantId,
        cursor: &LoadCursor,
        old: Option<Taxonomy>,
        target: &StoredVersion,
        progress: &mut ProjectionProgress<'_>,
    ) -> Result<Option<Stopped>, VersioningError> {
        let expires_at = cursor.at / 1000 + TOMBSTONE_SECONDS;
        let deadline = progress.deadline;
        let new = self.content(tenant, target, Mends::Everything, deadline).await?;
        if cursor.full {
            return self
                .rewrite_everything(tenant, progress, target, &new, expires_at)
                .await;
        }
        let writes = writes::between(tenant, old.as_ref(), &new, expires_at);
        if follows(cursor) {
            return Ok(self.write(progress, writes).await);
        }
        // A tombstone has the last state of a removed id. The projected version may have an older one, and has none of an id that was added and
        // removed since; the target's index file has them all.
        let is_own =
            |write: &Write| matches!(write.item().key, ItemKey::Category { .. } | ItemKey::Term { .. });
        let writes = writes.filter(|write| !(matches!(write, Write::Remove(_)) && is_own(write)));
        if let Some(stopped) = self.write(progress, writes).await {
            return Ok(Some(stopped));
        }
        let index = self.index(tenant, target, deadline).await?;
        let file = index.open(tenant)?;
        let removed = file.tombstones(cursor.from);
        let removed = removed.map(|removed| removed.map_err(|error| index.damaged(error)));
        Ok(self.write_tombstones(tenant, progress, removed).await?.err())
    }

    /// Saves the progress of a load that stopped.
    async fn load_stopped(
        &self,
        heartbeat: &Heartbeat<'_>,
        stopped: Stopped,
    ) -> Result<Round, VersioningError> {
        let done = heartbeat.signs.done.get();
        let further = done > heartbeat.cursor.done;
        let stopped = match stopped {
            Stopped::Ended if heartbeat.signs.lost.get() => {
                self.metrics.count(Metric::ConditionalRetry, 1);
                return Ok(Round::Done(false));
            }
            // A long throttle is no failure of the load as long as it makes progress.
            Stopped::Failed(error) if !(error.is_throttled() && further) => Err(error.into()),
            _ => Ok(Round::OutOfTime(further)),
        };
        let state = stopped
            .as_ref()
            .map_or_else(state_after, |_| LoadState::OutOfTime);
        let noted = heartbeat.renew(state).await;
        info!(tenant = %heartbeat.tenant, version = heartbeat.cursor.to.get(), done, noted, ?state, "the load stops");
        stopped
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
        let go_on = |done| progress.goes_on(done, &*self.clock);
        let written = self.projection.write(progress.version, left, go_on).await;
        progress.advance(length.get(), written)
    }

    fn count_written(&self, written: &WriteOutcomes) {
        self.metrics
            .count(Metric::ItemsWritten, written.put + written.removed);
        self.metrics.count(Metric::ItemsAlready, written.already);
        self.metrics.count(Metric::Throttled, written.throttled);
    }

    fn report(
        &self,
        tenant: &TenantId,
        cursor: &LoadCursor,
        target: &StoredVersion,
        written: &WriteOutcomes,
        now: u64,
    ) {
        let lag_ms = now.saturating_sub(target.committed_at);
        self.metrics.count(Metric::VersionProjected, 1);
        self.metrics.observe(Metric::ProjectionLag, lag_ms);
        info!(
            %tenant,
            version = cursor.to.get(),
            from_version = cursor.from.map_or(0, Version::get),
            full = cursor.full,
            items_put = written.put,
            items_removed = written.removed,
            items_already = written.already,
            throttled = written.throttled,
            write_units = written.units,
            duration_ms = now.saturating_sub(cursor.at),
            lag_ms,
            "projected"
        );
    }
}

/// Whether the target of a load is the version after the projected one.
fn follows(cursor: &LoadCursor) -> bool {
    cursor.from.map_or(Version::FIRST, Version::next) == cursor.to
}

/// Returns the state of a load after a failure.
fn state_after(error: &VersioningError) -> LoadState {
    match error {
        error if error.is_permanent() => LoadState::Impossible,
        _ => LoadState::Failed,
    }
}
