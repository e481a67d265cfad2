//! Rollback and rebuild: a version with older content, or a full version with the same content.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance, Settings};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Packed};

use crate::commit::{Content, NewVersion};
use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::history::unless_purging;
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
            tenant,
            onto: Some(&head),
            old: Some(&old),
            new: &new,
            content,
            changes: Changes::between(Some(&old), &new),
            cause: Cause::Rollback { to: to.get() },
            provenance,
            uploaded: None,
            detached: true,
            deadline: Deadline::NONE,
        };
        let committed = self.commit(proposal).await?;
        next_of(&head, committed)
    }

    /// Commits the head's content as a full version, which writes every item of every node that ever existed, and returns it. The projection follows
    /// with the next [reconcile](Self::reconcile).
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`]; [`VersioningError::Overtaken`] if the head moved meanwhile.
    pub async fn rebuild(
        &self,
        tenant: &TenantId,
        provenance: Provenance,
    ) -> Result<Version, VersioningError> {
        let head = self.committed(tenant).await?;
        let why = (Cause::Rebuild, provenance);
        let committed = self.again(tenant, &head, why, Deadline::NONE).await?;
        next_of(&head, committed)
    }

    /// Commits the head's content in this build's projection format.
    pub(crate) async fn again(
        &self,
        tenant: &TenantId,
        head: &Committed,
        (cause, provenance): (Cause, Provenance),
        deadline: Deadline,
    ) -> Result<bool, VersioningError> {
        let same = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        let packed = Packed::snapshot(&same, self.config.projection_format)?;
        let content = if packed.hash == head.state {
            Content::TenantState(head.state.clone(), head.snapshot_key.clone())
        } else {
            Content::New(packed)
        };
        self.commit(NewVersion {
            tenant,
            onto: Some(head),
            old: Some(&same),
            new: &same,
            content,
            changes: Changes::default(),
            cause,
            provenance,
            uploaded: None,
            detached: head.detached,
            deadline,
        })
        .await
    }
}

fn next_of(head: &Committed, committed: bool) -> Result<Version, VersioningError> {
    if committed {
        Ok(head.version.next())
    } else {
        Err(VersioningError::Overtaken)
    }
}
