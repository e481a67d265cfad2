//! Bringing the table from the version it is projected to, or anywhere on the way, to the head.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_model::writes::{self, Overlay};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, LogEntry, StoreError, Written};
use tracing::info;

use crate::error::ProjectorError;
use crate::handler::Projector;

/// How long the tombstone of a satellite stays: far longer than a request can be on its way, or a record in the stream.
const TOMBSTONE_SECONDS: u64 = 30 * 24 * 60 * 60;

impl<C: Clock> Projector<C> {
    /// Writes everything that any version after the projected one changed, as the head's version has it, then moves the
    /// projection there. If the head has moved on meanwhile, the projection stays, and the next round writes on.
    pub(crate) async fn catch_up(&self, tenant: &TenantId, head: &Committed) -> Result<(), ProjectorError> {
        let began = self.clock.now_ms();
        let to = head.version;
        let expires_at = head.committed_at / 1000 + TOMBSTONE_SECONDS;
        let mut old = match head.projected {
            Some(projected) => Some(self.load(tenant, projected).await?),
            None => None,
        };
        let next = head.projected.map_or(Version::FIRST, Version::next);
        let written = if next == to {
            let new = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
            self.projection
                .write(to, writes::between(tenant, old.as_ref(), &new, expires_at))
                .await?
        } else {
            let mut overlay = Overlay::default();
            let mut version = next;
            let last = loop {
                let new = self.load(tenant, version).await?;
                overlay.step(tenant, old.as_ref(), &new);
                if version == to {
                    break new;
                }
                old = Some(new);
                version = version.next();
            };
            drop(old);
            self.projection
                .write(to, overlay.into_writes(tenant, &last, expires_at))
                .await?
        };
        let now = self.clock.now_ms();
        if self.heads.settle(tenant, head, now).await? {
            self.report(
                tenant,
                head,
                written,
                now.saturating_sub(began),
                now.saturating_sub(head.committed_at),
            );
        } else {
            self.count(Metric::ConditionalRetry, 1);
            info!(%tenant, version = to.get(), "head or projection were moved while the version was written");
        }
        Ok(())
    }

    async fn load(&self, tenant: &TenantId, version: Version) -> Result<Taxonomy, ProjectorError> {
        let entry = self.heads.entry(tenant, version).await?;
        let LogEntry {
            snapshot_key, state, ..
        } = entry.ok_or_else(|| StoreError::Damaged {
            what: format!("the log of {tenant}"),
            source: format!("version {version} is missing").into(),
        })?;
        Ok(self.archive.snapshot(&snapshot_key, &state).await?)
    }

    fn report(&self, tenant: &TenantId, head: &Committed, written: Written, duration_ms: u64, lag_ms: u64) {
        let Written {
            put,
            removed,
            already,
            throttled,
        } = written;
        self.count(Metric::VersionProjected, 1);
        self.count(Metric::ItemsWritten, put + removed);
        self.count(Metric::ItemsAlready, already);
        self.count(Metric::Throttled, throttled);
        self.observe(Metric::ProjectionLag, lag_ms);
        info!(
            %tenant,
            version = head.version.get(),
            from_version = head.projected.map_or(0, Version::get),
            items_put = put,
            items_removed = removed,
            items_already = already,
            throttled,
            duration_ms,
            lag_ms,
            "projected"
        );
    }
}
