//! Versions that operators make: older content once more, or the same content written again.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Provenance, Settings};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Packed};

use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::history::unless_purging;
use crate::propose::{Content, Proposal};
use crate::taxonomies::Taxonomies;

impl<C: Clock> Taxonomies<C> {
    /// Commits what version `to` had as a new version, and returns it; where the head has just that, the head's. The next upload counts again.
    /// The table follows when the tenant is next [reconciled](Self::reconcile).
    ///
    /// # Errors
    /// [`ProtocolError::UnknownVersion`]; [`ProtocolError::Refused`] when the old content lacks names in the culture that is configured
    /// now; [`ProtocolError::Overtaken`] when the head moved meanwhile.
    pub async fn roll_back(
        &self,
        tenant: &TenantId,
        to: Version,
        provenance: Provenance,
    ) -> Result<Version, ProtocolError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        unless_purging(&configuration)?;
        let head = head.committed.ok_or(ProtocolError::NoVersion)?;
        if to > head.version {
            return Err(ProtocolError::UnknownVersion(to));
        }
        let entry = self.heads.required_entry(tenant, to).await?;
        let restored = self.load(&entry).await?;
        let settings = Settings {
            default_culture: configuration
                .default_culture
                .unwrap_or_else(|| restored.settings().default_culture.clone()),
            fallback_chain: configuration.fallback_chain,
        };
        let new = restored.under(settings).map_err(ProtocolError::Refused)?;
        let packed = Packed::snapshot(&new, self.bounds.projection_format)?;
        if packed.hash == head.state {
            return Ok(head.version);
        }
        let content = if packed.hash == entry.state {
            Content::Known(entry.state, entry.snapshot_key)
        } else {
            Content::New(packed)
        };
        let old = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        let proposal = Proposal {
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
        let committed = self.propose(proposal).await?;
        next_of(&head, committed)
    }

    /// Commits the head's content once more, as a version that writes every item again that ever was, and returns it. The table
    /// follows when the tenant is next [reconciled](Self::reconcile).
    ///
    /// # Errors
    /// [`ProtocolError::NoVersion`], or [`ProtocolError::Overtaken`] when the head moved meanwhile.
    pub async fn rebuild(&self, tenant: &TenantId, provenance: Provenance) -> Result<Version, ProtocolError> {
        let head = self.committed(tenant).await?;
        let why = (Cause::Rebuild, provenance);
        let committed = self.again(tenant, &head, why, Deadline::NONE).await?;
        next_of(&head, committed)
    }

    /// Commits the head's content once more, in this build's format.
    pub(crate) async fn again(
        &self,
        tenant: &TenantId,
        head: &Committed,
        (cause, provenance): (Cause, Provenance),
        deadline: Deadline,
    ) -> Result<bool, ProtocolError> {
        let same = self.archive.snapshot(&head.snapshot_key, &head.state).await?;
        let packed = Packed::snapshot(&same, self.bounds.projection_format)?;
        let content = if packed.hash == head.state {
            Content::Known(head.state.clone(), head.snapshot_key.clone())
        } else {
            Content::New(packed)
        };
        self.propose(Proposal {
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

fn next_of(head: &Committed, committed: bool) -> Result<Version, ProtocolError> {
    if committed {
        Ok(head.version.next())
    } else {
        Err(ProtocolError::Overtaken)
    }
}
