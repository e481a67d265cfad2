//! The content of a version, from its snapshot or from what is left.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Taxonomy, apply};
use taxonomy_store::{Packed, StoreError, UnlessLost as _};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::service::Service;

impl Service {
    /// Returns the content of a version, and writes nothing.
    ///
    /// # Errors
    /// The loss of its snapshot, where nothing is left to restore it from.
    pub(crate) async fn content(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<Taxonomy, VersioningError> {
        match self
            .archive
            .snapshot(&of.snapshot_key, &of.state)
            .await
            .unless_lost()?
        {
            Ok(content) => Ok(content),
            Err(lost) => match self.derived_content(tenant, of, deadline).await? {
                Some(content) => Ok(content),
                None => Err(self.unrestorable(tenant, lost)),
            },
        }
    }

    /// The same; a snapshot that is lost is stored again.
    ///
    /// # Errors
    /// As [`Self::content`].
    pub(crate) async fn restored_content(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<Taxonomy, VersioningError> {
        let lost = match self
            .archive
            .snapshot(&of.snapshot_key, &of.state)
            .await
            .unless_lost()?
        {
            Ok(content) => return Ok(content),
            Err(lost) => lost,
        };
        match self.derived_content(tenant, of, deadline).await? {
            Some(content) => {
                self.restore_snapshot(of, &content).await?;
                self.note_restored(tenant, &lost);
                Ok(content)
            }
            None => Err(self.unrestorable(tenant, lost)),
        }
    }

    /// Stores the snapshot of a version again, given its content.
    pub(crate) async fn restore_snapshot(
        &self,
        of: &StoredVersion,
        content: &Taxonomy,
    ) -> Result<(), StoreError> {
        let format = self.format_of(content, &of.state);
        let packed = Packed::snapshot(content, format.unwrap_or(self.config.projection_format))?;
        self.archive
            .put_snapshot(&of.snapshot_key, &packed)
            .await
            .map(drop)
    }

    /// Returns the content of a version without its own snapshot: from its index file, or from the nearest version before that has a snapshot or an index
    /// file, and the changesets after that. `None` where too little is left.
    pub(crate) async fn derived_content(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        // On the heap, as it is rare and its state is large.
        Box::pin(self.derive_content(tenant, of, deadline)).await
    }

    async fn derive_content(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        if let Some(content) = self.content_of_index(tenant, of).await? {
            return Ok(Some(content));
        }
        // Those without a content of their own, the newest first.
        let mut missing = vec![of.clone()];
        let mut content = None;
        while let Some(before) = missing
            .last()
            .and_then(|last| Version::new(last.version.get() - 1))
        {
            deadline.in_time(&*self.clock)?;
            let Ok(entry) = self.heads.required_entry(tenant, before).await.unless_lost()? else {
                return Ok(None);
            };
            let before = StoredVersion::from(&entry);
            content = match self
                .archive
                .snapshot(&before.snapshot_key, &before.state)
                .await
                .unless_lost()?
            {
                Ok(content) => Some(content),
                Err(_) => self.content_of_index(tenant, &before).await?,
            };
            if content.is_some() {
                break;
            }
            missing.push(before);
        }
        for of in missing.iter().rev() {
            deadline.in_time(&*self.clock)?;
            let changeset = self.archive.changeset(tenant, of.version, &of.changeset).await;
            let Ok(changeset) = changeset.unless_lost()? else {
                return Ok(None);
            };
            content = apply(content.as_ref(), &changeset.facts).ok();
            if content
                .as_ref()
                .is_none_or(|content| self.format_of(content, &of.state).is_none())
            {
                return Ok(None);
            }
        }
        Ok(content)
    }

    /// Returns the content of a version from its index file; `None` where that is lost too.
    pub(crate) async fn content_of_index(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
    ) -> Result<Option<Taxonomy>, VersioningError> {
        let read = self.stored_index(of.clone()).await.unless_lost()?;
        let content = read.and_then(|index| {
            let content = index.open(tenant)?.taxonomy();
            content.map_err(|error| index.damaged(error))
        });
        Ok(content
            .ok()
            .filter(|content| self.format_of(content, &of.state).is_some()))
    }
}
