//! Replays a tenant's chain of changesets, from the first version or from one that an earlier audit had verified.

use std::pin::pin;

use futures_util::TryStreamExt;
use taxonomy_index::{INDEX_FORMAT, Preorder};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Changeset;
use taxonomy_model::{Census, Hash, KnownIds, Taxonomy, apply, snapshot};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, StoreError, extra_time};

use crate::deadline::Deadline;
use crate::error::{ProtocolError, causes};
use crate::indexing::{StoredIndex, index_of};
use crate::taxonomies::Taxonomies;

/// How far a chain is replayed. The default stands before the first version.
#[derive(Default)]
pub(crate) struct Replay {
    /// The version that it began behind; none for the first version.
    pub(crate) begun: Option<Version>,
    /// The version up to which every changeset is verified and every file compared, with the hash of its state.
    pub(crate) reached: Option<(Version, Hash)>,
    /// The content at that version; none where nothing is left to be replayed from it.
    pub(crate) content: Option<Taxonomy>,
    /// Every id up to that version.
    pub(crate) ids: KnownIds,
    /// Changesets that were replayed.
    pub(crate) changesets: u64,
    /// Index files that were built again and compared.
    pub(crate) indexes: u64,
    /// Search objects that were built again and compared.
    pub(crate) search_objects: u64,
    /// The bytes of those of the version that is reached.
    pub(crate) search_bytes: u64,
    /// The index file of the version that is reached; none where it is missing or damaged.
    pub(crate) index: Option<StoredIndex>,
    /// Index files and search objects that are not as they should be.
    pub(crate) wrong_indexes: Vec<String>,
    /// Whether it reached the head, and the head is what it leads to.
    pub(crate) is_whole: bool,
    /// Whether a changeset does not follow, or the head is another than it leads to.
    pub(crate) is_broken: bool,
}

impl Replay {
    /// The version that is verified; 0 before the first.
    pub(crate) fn stands_at(&self) -> u64 {
        self.reached.as_ref().map_or(0, |(version, _)| version.get())
    }

    /// Whether a changeset was verified.
    pub(crate) fn has_progressed(&self) -> bool {
        self.stands_at() > self.begun.map_or(0, Version::get)
    }

    /// Notes an index file or a search object that is damaged or missing; passes on every other failure.
    fn note_index(&mut self, error: ProtocolError) -> Result<(), ProtocolError> {
        match error {
            ProtocolError::Store(error) if error.is_permanent() => {
                self.wrong_indexes.push(causes(&error));
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Applies a changeset to what stands, and checks that its facts lead to the state and the counts that it names.
    fn take(&mut self, tenant: &TenantId, changeset: &Changeset) -> Result<(), StoreError> {
        let header = &changeset.header;
        let damaged = |source: Box<dyn std::error::Error + Send + Sync>| StoreError::Damaged {
            what: format!("changeset {} of {tenant}", header.version),
            source,
        };
        let next = apply(self.content.as_ref(), &changeset.facts).map_err(|error| damaged(error.into()))?;
        let state = snapshot::hash_as(&next, header.projection_format);
        if state != header.after {
            return Err(damaged("its facts lead to another state".into()));
        }
        if Census::of(&next) != header.census {
            return Err(damaged("it counts otherwise than its facts".into()));
        }
        self.changesets += 1;
        self.reached = Some((header.version, state));
        self.content = Some(next);
        Ok(())
    }
}

impl<C: Clock> Taxonomies<C> {
    /// Replays the chain up to the head, and returns the changeset and the state it leads to. Builds each index file again on the way.
    pub(crate) async fn replay(
        &self,
        tenant: &TenantId,
        head: &Committed,
        deadline: Deadline,
        replay: &mut Replay,
    ) -> Result<(Hash, Hash), ProtocolError> {
        let (to, indexed) = (head.version, head.indexed_in(INDEX_FORMAT));
        let after = replay.reached.as_ref().map(|(version, _)| *version);
        let mut changesets = pin!(self.chain.forwards(tenant, after, to));
        while let Some(changeset) = changesets.try_next().await? {
            deadline.in_time(&self.clock)?;
            // A version that is begun is compared to its end, so that a checkpoint stands behind it; the next one takes about as long.
            deadline.in_time_for(extra_time(replay.search_bytes), &self.clock)?;
            // Before the changeset is verified: where the chain breaks, the table is compared for these ids all the same.
            replay.ids.extend(&changeset.facts);
            let verified = replay.reached.clone();
            replay.take(tenant, &changeset)?;
            if indexed.is_some_and(|indexed| changeset.header.version <= indexed)
                && let Err(failure) = self.compare_index(tenant, &changeset, replay).await
            {
                // What goes on from here compares the files of this version.
                replay.reached = verified;
                return Err(failure);
            }
        }
        let last = self.heads.required_entry(tenant, to).await?;
        let state = replay.reached.as_ref().map(|(_, state)| state.clone());
        Ok((last.changeset, state.unwrap_or(last.state)))
    }

    /// Builds the search objects and the index file of the version that is reached, and compares them with the stored ones.
    async fn compare_index(
        &self,
        tenant: &TenantId,
        changeset: &Changeset,
        replay: &mut Replay,
    ) -> Result<(), ProtocolError> {
        let version = changeset.header.version;
        self.compare_search_objects(tenant, version, replay).await?;
        let before = match (Version::new(version.get() - 1), replay.index.take()) {
            (None, _) => None,
            (Some(_), Some(before)) => Some(before),
            (Some(before), None) => match self.stored_index(tenant, before).await {
                Ok(before) => Some(before),
                Err(error) => return replay.note_index(error),
            },
        };
        let stored = match self.stored_index(tenant, version).await {
            Ok(stored) => stored,
            Err(error) => return replay.note_index(error),
        };
        let Some(content) = &replay.content else {
            return Ok(());
        };
        let compared = index_of(tenant, &stored.entry, changeset, content, before.as_ref())
            .and_then(|built| stored.is_as_built(tenant, &built));
        match compared {
            Ok(()) => {
                replay.indexes += 1;
                replay.index = Some(stored);
                Ok(())
            }
            Err(error) => replay.note_index(error.into()),
        }
    }

    /// Builds the search objects of the version that is reached, one at a time, and compares each with the stored one.
    async fn compare_search_objects(
        &self,
        tenant: &TenantId,
        version: Version,
        replay: &mut Replay,
    ) -> Result<(), ProtocolError> {
        let Some(content) = replay.content.take() else {
            return Ok(());
        };
        let compared = self.compare_objects_of(tenant, version, &content, replay).await;
        replay.content = Some(content);
        compared
    }

    async fn compare_objects_of(
        &self,
        tenant: &TenantId,
        version: Version,
        content: &Taxonomy,
        replay: &mut Replay,
    ) -> Result<(), ProtocolError> {
        let entry = self.heads.required_entry(tenant, version).await?;
        let order = Preorder::of(content);
        replay.search_bytes = 0;
        for culture in content.cultures() {
            let compared = self
                .compare_search_object(tenant, &entry, content, &order, culture)
                .await;
            match compared {
                Ok(bytes) => {
                    replay.search_objects += 1;
                    replay.search_bytes += bytes;
                }
                Err(error) => replay.note_index(error.into())?,
            }
        }
        Ok(())
    }
}
