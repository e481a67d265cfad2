//! The index file of a version, from its object or built again with its search objects.

use taxonomy_index::{Digest, Preorder};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Changeset;
use taxonomy_runtime::causes;
use taxonomy_store::{LogEntry, StoreError, UnlessLost as _, extra_time};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, StoredIndex, StoredVersion, changed_by, identity};
use crate::restore::changeset::Pair;
use crate::service::Service;

impl Service {
    /// Returns the index file of a version, whole. One that is lost is built again and stored, and so is each before it that is lost as well.
    ///
    /// # Errors
    /// [`VersioningError::OutOfTime`]: the files that were stored stay, and another call continues with the next. The loss, where nothing is left to
    /// restore it from.
    pub(crate) async fn restored_index(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        deadline: Deadline,
    ) -> Result<StoredIndex, VersioningError> {
        match self.whole_index(tenant, of).await.unless_lost()? {
            Ok(index) => Ok(index),
            // On the heap, as it is rare and its state is large.
            Err(lost) => Box::pin(self.restore_indexes(tenant, of, lost, deadline)).await,
        }
    }

    /// Builds the index file of a version again, and each before it that is lost as well.
    async fn restore_indexes(
        &self,
        tenant: &TenantId,
        of: &StoredVersion,
        lost: StoreError,
        deadline: Deadline,
    ) -> Result<StoredIndex, VersioningError> {
        let (mut lost, mut before) = (vec![(of.version, lost)], None);
        while let Some(version) = lost
            .last()
            .and_then(|(version, _)| Version::new(version.get() - 1))
        {
            deadline.in_time(&*self.clock)?;
            let entry = self.heads.required_entry(tenant, version).await?;
            match self.whole_index(tenant, &(&entry).into()).await.unless_lost()? {
                Ok(index) => {
                    before = Some(index);
                    break;
                }
                Err(error) => lost.push((version, error)),
            }
        }
        while let Some((version, error)) = lost.pop() {
            deadline.in_time(&*self.clock)?;
            let built = self
                .rebuilt_index(tenant, version, before.as_ref(), deadline)
                .await;
            match built {
                Ok(index) => {
                    self.note_restored(tenant, &error);
                    before = Some(index);
                }
                Err(VersioningError::Store(missing)) if missing.is_lost() => {
                    info!(%tenant, missing = causes(&missing), "an index file cannot be built again");
                    return Err(self.unrestorable(tenant, error));
                }
                Err(error) => return Err(error),
            }
        }
        let of = self.heads.required_entry(tenant, of.version).await?;
        before.ok_or_else(|| self.unrestorable(tenant, StoreError::damaged(of.index_key, "it was not built")))
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

    /// Builds the files of a version again and stores them, given the index file before.
    async fn rebuilt_index(
        &self,
        tenant: &TenantId,
        version: Version,
        before: Option<&StoredIndex>,
        deadline: Deadline,
    ) -> Result<StoredIndex, VersioningError> {
        let entry = self.heads.required_entry(tenant, version).await?;
        let content = self.restored_content(tenant, &(&entry).into(), deadline).await?;
        let old = self.version_before(tenant, version, deadline).await?;
        let pair = Pair {
            entry: &entry,
            content: &content,
            before: old.as_ref().map(|(before, old)| (before, old)),
        };
        let changeset = self.restored_changeset(tenant, pair).await?;
        let settings = old.as_ref().map(|(_, old)| old.settings().clone());
        drop(old);
        let mut changed = changed_by(&changeset.header, settings.as_ref(), content.settings());
        changeset.facts.iter().for_each(|fact| changed.add(fact));
        let Changeset { header, .. } = changeset;
        let identity = identity(&header, entry.changeset.clone());
        let files = NewFiles {
            identity: &identity,
            taxonomy: &content,
            order: &Preorder::new(&content),
        };
        let search = self.store_search(files, deadline).await?;
        let built = files.index(&changed, &search, before)?;
        deadline.in_time_for(extra_time(built.body.len() as u64), &*self.clock)?;
        let key = identity.index_key(built.digest);
        let index = StoredIndex {
            of: StoredVersion {
                index_key: key.clone(),
                ..(&entry).into()
            },
            object: self.archive.object(&key),
            body: built.body.into(),
        };
        self.archive.replace_index(&key, index.body.clone()).await?;
        self.follow_index(tenant, &entry, &key).await?;
        Ok(index)
    }

    /// Builds and stores the search objects of a version one after the other, and returns their digests.
    async fn store_search(
        &self,
        files: NewFiles<'_>,
        deadline: Deadline,
    ) -> Result<Vec<Digest>, VersioningError> {
        let mut digests = Vec::new();
        for culture in files.taxonomy.cultures() {
            deadline.in_time(&*self.clock)?;
            let object = files.search_object(files.names_in(culture), culture)?;
            digests.push(object.digest);
            if self
                .archive
                .compare(&object.key, &object.body)
                .await
                .unless_lost()?
                .is_err()
            {
                deadline.in_time_for(extra_time(object.body.len() as u64), &*self.clock)?;
                self.archive.replace_index(&object.key, object.body).await?;
            }
        }
        Ok(digests)
    }

    /// Lets log entry and head name the index file of a version, where this build gave it another name.
    pub(crate) async fn follow_index(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        key: &str,
    ) -> Result<(), VersioningError> {
        if entry.index_key == key {
            return Ok(());
        }
        let (head, _) = self.heads.read(tenant).await?;
        let is_head = head.committed.is_some_and(|head| head.version == entry.version);
        match self.heads.rename_index(tenant, entry, key, is_head).await? {
            true => {
                info!(%tenant, version = entry.version.get(), before = entry.index_key, key, "the index file has another name");
                Ok(())
            }
            false => Err(VersioningError::Overtaken),
        }
    }
}
