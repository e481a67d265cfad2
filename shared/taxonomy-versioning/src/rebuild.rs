//! Rebuild: a full version with the content of the newest one.

use std::sync::Arc;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Packed};

use crate::commit::{Content, NewVersion, Onto};
use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::Service;

impl<C: Clock> Service<C> {
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
        let (head, configuration) = self.committed_and_configuration(tenant).await?;
        let why = (Cause::Rebuild, provenance);
        let of = (&head, configuration.revision);
        let committed = self.again(tenant, of, why, Deadline::NONE).await?;
        next_of(&head, committed)
    }

    /// Commits the head's content in this build's projection format.
    pub(crate) async fn again(
        &self,
        tenant: &TenantId,
        (head, revision): (&Committed, u64),
        (cause, provenance): (Cause, Provenance),
        deadline: Deadline,
    ) -> Result<bool, VersioningError> {
        let same = Arc::new(self.archive.snapshot(&head.snapshot_key, &head.state).await?);
        let packed = Packed::snapshot(&same, self.config.projection_format)?;
        let content = if packed.hash == head.state {
            Content::TenantState(head.state.clone(), head.snapshot_key.clone())
        } else {
            Content::New(packed)
        };
        self.commit(NewVersion {
            onto: Onto {
                tenant,
                head: Some(head),
                revision,
            },
            old: Some(same.clone()),
            new: same,
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

/// Returns the version that a commit onto `head` made.
pub(crate) fn next_of(head: &Committed, committed: bool) -> Result<Version, VersioningError> {
    if committed {
        Ok(head.version.next())
    } else {
        Err(VersioningError::Overtaken)
    }
}
