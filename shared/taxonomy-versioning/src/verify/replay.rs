//! Replaying a tenant's chain of changesets, from the first version or from a verified checkpoint.

use std::pin::pin;

use futures_util::TryStreamExt;
use taxonomy_index::{Digest, Preorder};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Changeset;
use taxonomy_model::{Census, Hash, Settings, Taxonomy, apply, snapshot};
use taxonomy_runtime::causes;
use taxonomy_store::{Committed, StoreError, extra_time};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, StoredIndex, changed_by, identity};
use crate::service::Service;

/// The progress of a replay. The default is before the first version.
#[derive(Default)]
pub(crate) struct Replay {
    /// The version behind which it began; `None` for the first version.
    pub(crate) begun: Option<Version>,
    /// The version up to which every changeset is verified and every file compared, with the hash of its state.
    pub(crate) reached: Option<(Version, Hash)>,
    /// The content at that version; `None` if nothing is left to replay.
    pub(crate) content: Option<Taxonomy>,
    /// The number of replayed changesets.
    pub(crate) changesets: u64,
    /// The number of index files that were built again and compared.
    pub(crate) indexes: u64,
    /// The number of search objects that were built again and compared.
    pub(crate) search_objects: u64,
    /// The size of the search objects of the reached version, in bytes.
    pub(crate) search_bytes: u64,
    /// The index file of the reached version; `None` if it is missing or damaged.
    pub(crate) index: Option<StoredIndex>,
    /// Index files and search objects that differ.
    pub(crate) wrong_indexes: Vec<String>,
    /// Whether it reached the head, and the head is the result of the chain.
    pub(crate) is_whole: bool,
    /// Whether a changeset does not follow its parent, or the head is not the result of the chain.
    pub(crate) is_broken: bool,
}

impl Replay {
    /// Returns the verified version; 0 before the first.
    pub(crate) fn stands_at(&self) -> u64 {
        self.reached.as_ref().map_or(0, |(version, _)| version.get())
    }

    /// Whether a changeset was verified.
    pub(crate) fn has_progressed(&self) -> bool {
        self.stands_at() > self.begun.map_or(0, Version::get)
    }

    /// Records a damaged or missing index file or search object; returns every other failure.
    fn note_index(&mut self, error: VersioningError) -> Result<(), VersioningError> {
        match error {
            VersioningError::Store(error) if error.is_permanent() => {
                self.wrong_indexes.push(causes(&error));
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Applies a changeset, and verifies that its facts lead to the state hash and the counts that it states.
    fn take(&mut self, tenant: &TenantId, changeset: &Changeset) -> Result<(), StoreError> {
        let header = &changeset.header;
        let what = || format!("changeset {} of {tenant}", header.version);
        let next = apply(self.content.as_ref(), &changeset.facts)
            .map_err(|error| StoreError::damaged(what(), error))?;
        let state = snapshot::hash_as(&next, header.projection_format);
        if state != header.after {
            return Err(StoreError::damaged(what(), "its facts lead to another state"));
        }
        if Census::new(&next) != header.census {
            return Err(StoreError::damaged(what(), "it counts otherwise than its facts"));
        }
        self.changesets += 1;
        self.reached = Some((header.version, state));
        self.content = Some(next);
        Ok(())
    }
}

impl Service {
    /// Replays the chain up to the head, and returns the last changeset and the state. Builds each index file again on the way.
    pub(crate) async fn replay(
        &self,
        tenant: &TenantId,
        head: &Committed,
        deadline: Deadline,
        replay: &mut Replay,
    ) -> Result<(Hash, Hash), VersioningError> {
        let to = head.version;
        let after = replay.reached.as_ref().map(|(version, _)| *version);
        let mut changesets = pin!(self.chain.forwards(tenant, after, to));
        while let Some(changeset) = changesets.try_next().await? {
            deadline.in_time(&*self.clock)?;
            // A started version is completed, so that a checkpoint can follow it; the next version takes about as long.
            deadline.in_time_for(extra_time(replay.search_bytes), &*self.clock)?;
            let verified = replay.reached.clone();
            let before = replay.content.as_ref().map(|content| content.settings().clone());
            replay.take(tenant, &changeset)?;
            if let Err(failure) = self.compare_files(tenant, &changeset, before, replay).await {
                // The continuation compares the files of this version.
                replay.reached = verified;
                return Err(failure);
            }
        }
        let last = self.heads.required_entry(tenant, to).await?;
        let state = replay.reached.as_ref().map(|(_, state)| state.clone());
        Ok((last.changeset, state.unwrap_or(last.state)))
    }

    /// Builds the files of the reached version again, and compares them with the stored ones.
    async fn compare_files(
        &self,
        tenant: &TenantId,
        changeset: &Changeset,
        before: Option<Settings>,
        replay: &mut Replay,
    ) -> Result<(), VersioningError> {
        let Some(content) = replay.content.take() else {
            return Ok(());
        };
        let compared = self
            .compare_files_of(tenant, changeset, before.as_ref(), &content, replay)
            .await;
        replay.content = Some(content);
        compared
    }

    async fn compare_files_of(
        &self,
        tenant: &TenantId,
        Changeset { header, facts }: &Changeset,
        settings: Option<&Settings>,
        content: &Taxonomy,
        replay: &mut Replay,
    ) -> Result<(), VersioningError> {
        let entry = self.heads.required_entry(tenant, header.version).await?;
        let files = NewFiles {
            identity: &identity(header, entry.changeset.clone()),
            taxonomy: content,
            order: &Preorder::new(content),
        };
        let search = self.compare_search_objects(files, replay).await?;
        let before = match (Version::new(header.version.get() - 1), replay.index.take()) {
            (None, _) => None,
            (Some(_), Some(before)) => Some(before),
            (Some(before), None) => {
                let before = self.heads.required_entry(tenant, before).await?;
                match self.stored_index(&before).await {
                    Ok(before) => Some(before),
                    Err(error) => return replay.note_index(error.into()),
                }
            }
        };
        let stored = match self.stored_index(&entry).await {
            Ok(stored) => stored,
            Err(error) => return replay.note_index(error.into()),
        };
        let mut changed = changed_by(header, settings, content.settings());
        facts.iter().for_each(|fact| changed.add(fact));
        let compared = files
            .index(&changed, &search, before.as_ref())
            .and_then(|built| Ok(stored.is_as_built(files.identity, built.digest)?));
        match compared {
            Ok(()) => {
                replay.indexes += 1;
                replay.index = Some(stored);
                Ok(())
            }
            Err(error) => replay.note_index(error),
        }
    }

    /// Builds the search objects of a version, one at a time, compares each with the stored one, and returns their digests.
    async fn compare_search_objects(
        &self,
        files: NewFiles<'_>,
        replay: &mut Replay,
    ) -> Result<Vec<Digest>, VersioningError> {
        let mut digests = Vec::new();
        replay.search_bytes = 0;
        for culture in files.taxonomy.cultures() {
            let object = files.search_object(files.names_in(culture), culture)?;
            digests.push(object.digest);
            match self.archive.compare(&object.key, &object.body).await {
                Ok(()) => {
                    replay.search_objects += 1;
                    replay.search_bytes += object.body.len() as u64;
                }
                Err(error) => replay.note_index(error.into())?,
            }
        }
        Ok(digests)
    }
}
