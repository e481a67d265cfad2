//! Rebuild: a full version with the content of the newest one.

use std::sync::Arc;

use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance};
use taxonomy_store::{Asked, Committed, Packed};

use crate::error::VersioningError;
use crate::ingest::commit::{Content, NewVersion};
use crate::plan::TenantState;
use crate::service::Service;
use crate::verify::Mends;

impl Service {
    /// Commits the head's content in this build's projection format, because an operator `asked` for a rebuild, or because the format is another.
    /// Returns whether it was committed.
    pub(crate) async fn commit_again(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        asked: Option<&Asked>,
    ) -> Result<bool, VersioningError> {
        let same = self
            .content(state.tenant, &head.into(), Mends::Everything, state.deadline)
            .await?;
        let same = Arc::new(same);
        let packed = Packed::snapshot(&same, self.config.projection_format)?;
        self.commit(NewVersion {
            state,
            old: Some(same.clone()),
            new: same,
            content: Content::new(packed, &head.state, &head.snapshot_key),
            changes: Changes::default(),
            cause: asked.map_or(Cause::Format, |_| Cause::Rebuild),
            provenance: asked.map_or_else(Provenance::default, |asked| asked.provenance.clone()),
            asked,
            uploaded: None,
            detached: head.detached,
        })
        .await
    }
}
