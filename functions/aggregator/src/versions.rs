//! Processing a change: a committed version is counted, then published; a refusal is published.

use taxonomy_keys::TenantId;
use taxonomy_store::{Publisher, StoreError};
use taxonomy_versioning::{AggregateUpdate, AggregateUpdater, UpdateLimits};
use tracing::info;

use crate::change::{CommittedVersion, HeadChange};
use crate::notification::{self, Notification, NotificationError, Origin};

/// The updater, the topic, and the names that notifications contain.
#[derive(Debug)]
pub(crate) struct Versions {
    pub(crate) updater: AggregateUpdater,
    pub(crate) publisher: Publisher,
    pub(crate) origin: Origin,
}

impl Versions {
    /// Updates the aggregates, then publishes, so that subscribers see complete data. Has no effect for a tenant that is gone or being purged. Returns
    /// `None`, with nothing published, if the update exceeds `limits`.
    pub(crate) async fn follow(
        &self,
        change: &HeadChange,
        limits: UpdateLimits,
    ) -> Result<Option<AggregateUpdate>, StoreError> {
        let (tenant, mut updated) = (&change.tenant, AggregateUpdate::default());
        if !self
            .updater
            .is_served(tenant, change.committed.map(|committed| committed.version))
            .await?
        {
            info!(%tenant, "the tenant is gone, or being purged; the record asks for nothing");
            return Ok(Some(updated));
        }
        if let Some(CommittedVersion { version, .. }) = change.committed {
            // Those before it that are not counted yet are counted too.
            match self.updater.advance_within(tenant, version, limits).await? {
                Some(counted) => updated = counted,
                None => return Ok(None),
            }
            let AggregateUpdate { written, already, .. } = updated;
            info!(%tenant, version = version.get(), written, already, "aggregated");
            let entry = match updated.entry.take() {
                Some(entry) if entry.version == version => entry,
                _ => self.updater.entry(tenant, version).await?,
            };
            let published = notification::published(&self.origin, tenant, &entry);
            self.publish(tenant, published).await?;
        }
        if let Some(refused) = &change.refused {
            let rejected = notification::rejected(&self.origin, tenant, refused);
            self.publish(tenant, rejected).await?;
        }
        Ok(Some(updated))
    }

    async fn publish(
        &self,
        tenant: &TenantId,
        notification: Result<Notification, NotificationError>,
    ) -> Result<(), StoreError> {
        let notification = notification.map_err(|error| StoreError::damaged("a notification", error));
        let Notification { kind, id, message } = notification?;
        self.publisher.publish(kind, tenant, message).await?;
        info!(%tenant, kind, id, "published");
        Ok(())
    }
}
