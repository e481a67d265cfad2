//! What follows a record for everyone: the version is counted, then published; a refusal is published.

use taxonomy_keys::TenantId;
use taxonomy_protocol::{Tallied, Tally, TallyLimits};
use taxonomy_store::{LogEntry, Publisher, StoreError};
use tracing::info;

use crate::change::{HeadChange, Projected};
use crate::notification::{self, Notification, NotificationError, Origin};

/// The counter, the topic, and the places that notifications name.
#[derive(Debug)]
pub(crate) struct Versions {
    pub(crate) tally: Tally,
    pub(crate) publisher: Publisher,
    pub(crate) origin: Origin,
}

impl Versions {
    /// Does nothing for a tenant that is gone or being purged. Writes the aggregates before publishing, so that subscribers see complete data. Returns `None`, with nothing published, where
    /// counting takes more than `limits` allow.
    pub(crate) async fn follow(
        &self,
        change: &HeadChange,
        limits: TallyLimits,
    ) -> Result<Option<Tallied>, StoreError> {
        let (tenant, mut tallied) = (&change.tenant, Tallied::default());
        if !self
            .tally
            .is_served(tenant, change.projected.map(|projected| projected.to))
            .await?
        {
            info!(%tenant, "the tenant is gone, or being purged; the record asks for nothing");
            return Ok(Some(tallied));
        }
        if let Some(projected) = change.projected {
            match self.count(tenant, projected, limits).await? {
                Some(counted) => tallied = counted,
                None => return Ok(None),
            }
            let entry = match tallied.entry.take() {
                Some(entry) => entry,
                None => self.tally.entry(tenant, projected.to).await?,
            };
            self.publish_version(tenant, projected, &entry).await?;
        }
        if let Some(refused) = &change.refused {
            let rejected = notification::rejected(&self.origin, tenant, refused);
            self.publish(tenant, rejected).await?;
        }
        Ok(Some(tallied))
    }

    /// Counts a version that the table holds, and those that it overtook.
    async fn count(
        &self,
        tenant: &TenantId,
        projected: Projected,
        limits: TallyLimits,
    ) -> Result<Option<Tallied>, StoreError> {
        let tallied = self.tally.advance_within(tenant, projected.to, limits).await?;
        if let Some(Tallied { written, already, .. }) = tallied {
            info!(%tenant, version = projected.to.get(), written, already, "aggregated");
        }
        Ok(tallied)
    }

    async fn publish_version(
        &self,
        tenant: &TenantId,
        projected: Projected,
        entry: &LogEntry,
    ) -> Result<(), StoreError> {
        let published = notification::published(&self.origin, tenant, projected, entry);
        self.publish(tenant, published).await
    }

    async fn publish(
        &self,
        tenant: &TenantId,
        notification: Result<Notification, NotificationError>,
    ) -> Result<(), StoreError> {
        let Notification { kind, id, message } = notification.map_err(|error| StoreError::Damaged {
            what: "a notification".to_owned(),
            source: error.into(),
        })?;
        self.publisher.publish(kind, tenant, message).await?;
        info!(%tenant, kind, id, "published");
        Ok(())
    }
}
