//! What follows for everybody: a version counted, then told of.

use taxonomy_keys::TenantId;
use taxonomy_protocol::{Tallied, Tally};
use taxonomy_store::{LogEntry, Publisher, StoreError};
use tracing::info;

use crate::change::{Projected, Refused};
use crate::notification::{self, Notification};

/// What is counted, and the topic.
#[derive(Debug)]
pub(crate) struct Versions {
    pub(crate) tally: Tally,
    pub(crate) publisher: Publisher,
    pub(crate) changesets_bucket: String,
}

impl Versions {
    /// Counts before it tells: who is told of a version finds everything of it.
    pub(crate) async fn follow(
        &self,
        tenant: &TenantId,
        projected: Option<Projected>,
        refused: Option<Refused>,
    ) -> Result<Tallied, StoreError> {
        let mut tallied = Tallied::default();
        if let Some(projected) = projected {
            tallied = self.count(tenant, projected).await?;
            let entry = match tallied.entry.take() {
                Some(entry) => entry,
                None => self.tally.entry(tenant, projected.to).await?,
            };
            self.tell_of_version(tenant, projected, &entry).await?;
        }
        if let Some(refused) = refused {
            let told = notification::rejected(&self.changesets_bucket, tenant, &refused);
            self.tell(tenant, told).await?;
        }
        Ok(tallied)
    }

    /// Counts a version that the table holds now, and those that it overtook.
    async fn count(&self, tenant: &TenantId, projected: Projected) -> Result<Tallied, StoreError> {
        let tallied = self.tally.advance(tenant, projected.to).await?;
        let (version, written, already) = (projected.to.get(), tallied.written, tallied.already);
        info!(%tenant, version, written, already, "aggregated");
        Ok(tallied)
    }

    async fn tell_of_version(
        &self,
        tenant: &TenantId,
        projected: Projected,
        entry: &LogEntry,
    ) -> Result<(), StoreError> {
        let told = notification::published(&self.changesets_bucket, tenant, projected, entry);
        self.tell(tenant, told).await
    }

    async fn tell(
        &self,
        tenant: &TenantId,
        told: Result<Notification, serde_json::Error>,
    ) -> Result<(), StoreError> {
        let Notification { kind, id, message } = told.map_err(|error| StoreError::Damaged {
            what: "a notification".to_owned(),
            source: error.into(),
        })?;
        self.publisher.publish(kind, tenant, message).await?;
        info!(%tenant, kind, id, "told");
        Ok(())
    }
}
