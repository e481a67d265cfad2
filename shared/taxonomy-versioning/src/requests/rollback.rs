//! Rollback: a version with the content of an older one.

use std::sync::Arc;

use taxonomy_keys::Version;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Settings};
use taxonomy_store::{Asked, Committed, Packed};

use crate::error::VersioningError;
use crate::ingest::commit::{Content, NewVersion};
use crate::plan::TenantState;
use crate::service::Service;
use crate::verify::Mends;

impl Service {
    /// Commits the content of version `to` as a new version, and returns whether it was committed; `None` where the head has the content already. The
    /// next upload is ingested again.
    ///
    /// # Errors
    /// [`VersioningError::Refused`] if the old content lacks names in the configured default culture.
    pub(crate) async fn roll_back(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        to: Version,
        asked: &Asked,
    ) -> Result<Option<bool>, VersioningError> {
        let configuration = state.configuration;
        let entry = self.heads.required_entry(state.tenant, to).await?;
        let restored = self
            .content(state.tenant, &(&entry).into(), Mends::Everything, state.deadline)
            .await?;
        let own = &restored.settings().default_culture;
        let settings = Settings {
            default_culture: configuration.default_culture.as_ref().unwrap_or(own).clone(),
            fallback_chain: configuration.fallback_chain.clone(),
        };
        let new = restored.under(settings).map_err(VersioningError::Refused)?;
        let packed = Packed::snapshot(&new, self.config.projection_format)?;
        if packed.hash == head.state {
            return Ok(None);
        }
        let old = self
            .content(state.tenant, &head.into(), Mends::Everything, state.deadline)
            .await?;
        let committed = self.commit(NewVersion {
            state,
            changes: Changes::between(Some(&old), &new),
            old: Some(Arc::new(old)),
            new: Arc::new(new),
            content: Content::new(packed, &entry.state, &entry.snapshot_key),
            cause: Cause::Rollback { to: to.get() },
            provenance: asked.provenance.clone(),
            asked: Some(asked),
            uploaded: None,
            detached: true,
        });
        committed.await.map(Some)
    }
}
