//! Rollback: a version with the content of an older one.

use std::sync::Arc;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance, Settings};
use taxonomy_runtime::Clock;
use taxonomy_store::Packed;

use crate::commit::{Content, NewVersion, Onto};
use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::history::unless_purging;
use crate::rebuild::next_of;
use crate::service::Service;

impl<C: Clock> Service<C> {
    /// Commits the content of version `to` as a new version and returns it; returns the head's version if its content is the same. The next upload is
    /// ingested again. The projection follows with the next [reconcile](Self::reconcile).
    ///
    /// # Errors
    /// [`VersioningError::UnknownVersion`]; [`VersioningError::Refused`] if the old content lacks names in the configured default culture;
    /// [`VersioningError::Overtaken`] if the head moved meanwhile.
    pub async fn roll_back(
        &self,
        tenant: &TenantId,
        to: Version,
        provenance: Provenance,
    ) -> Result<Version, VersioningError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        unless_purging(&configuration)?;
        let head = head.committed.ok_or(VersioningError::NoVersion)?;
        if to > head.version {
            return Err(VersioningError::UnknownVersion(to));
        }
        let revision = configuration.revision;
        let entry = self.heads.required_entry(tenant, to).await?;
        let restored = self.load(&entry).await?;
        let settings = Settings {
            default_culture: configuration
                .default_culture
                .unwrap_or_else(|| restored.settings().default_culture.clone()),
            fallback_chain: configuration.fallback_chain,
        };
        let new = restored.under(settings).map_err(VersioningError::Refused)?;
        let packed = Packed::snapshot(&new, self.config.projection_format)?;
        if packed.hash == head.state {
            return Ok(head.version);
        }
        let content = if packed.hash == entry.state {
            Content::TenantState(entry.state, entry.snapshot_key)
        } else {
            Content::New(packed)
        };
        let old = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        let proposal = NewVersion {
            onto: Onto {
                tenant,
                head: Some(&head),
                revision,
            },
            changes: Changes::between(Some(&old), &new),
            old: Some(Arc::new(old)),
            new: Arc::new(new),
            content,
            cause: Cause::Rollback { to: to.get() },
            provenance,
            uploaded: None,
            detached: true,
            deadline: Deadline::NONE,
        };
        let committed = self.commit(proposal).await?;
        next_of(&head, committed)
    }
}
