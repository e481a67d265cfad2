//! Rebuild: a full version with the content of the newest one.

use std::sync::Arc;

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance};
use taxonomy_store::{Asked, Committed, Packed};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::commit::{Content, NewVersion, Onto};
use crate::service::Service;

/// The reason to commit the content of the head once more.
pub(crate) struct Again<'a> {
    pub(crate) cause: Cause,
    pub(crate) provenance: Provenance,
    pub(crate) asked: Option<&'a Asked>,
}

impl Service {
    /// Commits the head's content in this build's projection format. Returns whether it was committed.
    pub(crate) async fn again(
        &self,
        tenant: &TenantId,
        (head, revision): (&Committed, u64),
        Again {
            cause,
            provenance,
            asked,
        }: Again<'_>,
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
            asked,
            uploaded: None,
            detached: head.detached,
            deadline,
        })
        .await
    }
}
