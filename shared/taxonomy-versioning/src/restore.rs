//! Restoring what uploads, loads and requests need of the versions before: the walk of a repair over these versions alone
//! (docs/decisions/0035-losses.md).

pub(crate) mod tenant;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Taxonomy, snapshot};
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{Object, PutOutcome, StoreError, UnlessLost as _};
use tracing::{error, warn};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::{StoredIndex, StoredVersion};
use crate::service::{Service, boxed};
use crate::verify::walk::{Walk, Walked};
use crate::verify::{Examination, Mends};

impl Service {
    /// Returns the content of a version. Where its snapshot is lost, it follows from what is left, and `mends` says whether that is stored again.
    ///
    /// # Errors
    /// [`VersioningError::OutOfTime`]: what was stored stays, and another call goes on there. The loss, where too little is left.
    pub(crate) async fn content(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        mends: Mends,
        deadline: Deadline,
    ) -> Result<Taxonomy, VersioningError> {
        match self
            .archive
            .snapshot(&of.snapshot_key, &of.state)
            .await
            .unless_lost()?
        {
            Ok(content) => Ok(content),
            Err(lost) => {
                let walked = boxed(|| self.walk_to(tenant, of.version, mends, deadline)).await?;
                let content = walked.and_then(|walked| walked.content);
                content.ok_or_else(|| self.unrestorable(tenant, lost))
            }
        }
    }

    /// Returns the index file of a version, whole. One that is lost is stored again, and so is what else is lost of the versions on which it is built.
    ///
    /// # Errors
    /// As [`Self::content`].
    pub(crate) async fn index(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<StoredIndex, VersioningError> {
        match self.whole_index(tenant, of).await.unless_lost()? {
            Ok(index) => Ok(index),
            Err(lost) => {
                let mends = Mends::Everything;
                let walked = boxed(|| self.walk_to(tenant, of.version, mends, deadline)).await?;
                let index = walked.and_then(|walked| walked.index);
                index.ok_or_else(|| self.unrestorable(tenant, lost))
            }
        }
    }

    /// Walks from the nearest sound version before a version to that one, and returns it; `None` where nothing of it is left.
    async fn walk_to(
        &self,
        tenant: &TenantId,
        version: Version,
        mends: Mends,
        deadline: Deadline,
    ) -> Result<Option<Walked>, VersioningError> {
        let head = &self.committed(tenant).await?;
        let examination = Examination::new(self, tenant, head, mends, deadline);
        let (mut walk, mut before) = (Walk::default(), version.before());
        while let Some(older) = before {
            deadline.in_time(&*self.clock)?;
            if let Some(sound) = self.sound_version(tenant, older).await? {
                walk = Walk::behind(sound);
                break;
            }
            before = older.before();
        }
        let walked = examination.walk(&mut walk, version).await;
        if mends == Mends::Everything {
            for difference in &walk.findings.listed {
                self.metrics.count(Metric::AuditDifferences, 1);
                warn!(%tenant, %difference, "met what was lost");
            }
        }
        walked?;
        Ok(walk.last)
    }

    /// Returns a version whose entry, snapshot and index file are there.
    async fn sound_version(&self, tenant: &TenantId, version: Version) -> Result<Option<Walked>, StoreError> {
        let Some(entry) = self.heads.readable_entry(tenant, version).await? else {
            return Ok(None);
        };
        let of = StoredVersion::from(&entry);
        let Ok(index) = self.whole_index(tenant, &of).await.unless_lost()? else {
            return Ok(None);
        };
        let content = self.archive.snapshot(&of.snapshot_key, &of.state).await;
        Ok(content.unless_lost()?.ok().map(|content| Walked {
            index: Some(index),
            ..Walked::new(entry, Some(content))
        }))
    }

    /// Returns the content of a version from its index file; `None` where that is lost too.
    pub(crate) async fn content_of_index(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
    ) -> Result<Option<Taxonomy>, StoreError> {
        let read = self.whole_index(tenant, of).await.unless_lost()?;
        let content = read.and_then(|index| {
            let content = index.open(tenant)?.taxonomy();
            content.map_err(|error| index.damaged(error))
        });
        Ok(content.ok())
    }

    /// Reads an index file, and decodes every part of it.
    pub(crate) async fn whole_index(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
    ) -> Result<StoredIndex, StoreError> {
        let index = self.stored_index(of.clone()).await?;
        let digest = index.open(tenant)?.digest();
        let digest = digest.map_err(|error| index.damaged(error))?;
        match of.index_key.ends_with(&format!("-{digest}.index")) {
            true => Ok(index),
            false => Err(index.damaged("it has other content than its name")),
        }
    }

    /// Stores an object of a new version. One of other content under its name is replaced, which is counted and logged.
    pub(crate) async fn put(&self, tenant: &TenantId, object: &Object) -> Result<(), StoreError> {
        if self.archive.put(object).await? == PutOutcome::Replaced {
            self.metrics.count(Metric::AuditDifferences, 1);
            warn!(%tenant, key = object.key, "replaced what had another content");
        }
        Ok(())
    }

    /// Returns a loss, counted and logged as one that nothing is left to restore from.
    pub(crate) fn unrestorable(&self, tenant: &TenantId, lost: StoreError) -> VersioningError {
        self.metrics.count(Metric::AuditDifferences, 1);
        error!(%tenant, lost = causes(&lost), "nothing is left to restore it from");
        lost.into()
    }

    /// Returns the projection format in which a content has this state hash; `None` for another content.
    pub(crate) fn format_of(&self, content: &Taxonomy, state: &taxonomy_model::Hash) -> Option<u32> {
        let mut formats = (1..=self.config.projection_format).rev();
        formats.find(|format| snapshot::hash_as(content, *format) == *state)
    }
}
