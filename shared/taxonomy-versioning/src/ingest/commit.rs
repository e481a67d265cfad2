//! Committing a version: its bodies and files are stored first, then one transaction commits it or fails.

use std::sync::Arc;

use taxonomy_collation::sibling_keys;
use taxonomy_index::{Changed, Preorder};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance, Taxonomy, facts_between};
use taxonomy_runtime::Metric;
use taxonomy_store::{
    Answer, Answered, Archive, Asked, Commit, Committed, Object, Packed, SourceStamp, UnlessLost as _,
    extra_time,
};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, changed_by, check_format, identity};
use crate::ingest::version::{self, Origin, Step, StoredBodies};
use crate::plan::TenantState;
use crate::service::{Service, boxed};

/// The snapshot of a new version.
pub(crate) enum Content {
    /// It must be stored.
    New(Packed),
    /// An older version has the same snapshot, with this state hash, under this key.
    Stored(Hash, String),
}

impl Content {
    /// Returns a snapshot, given the hash and the key of an older one, which may be the same.
    pub(crate) fn new(packed: Packed, state: &Hash, key: &str) -> Self {
        match packed.hash == *state {
            true => Self::Stored(packed.hash, key.to_owned()),
            false => Self::New(packed),
        }
    }
}

/// A version to commit.
pub(crate) struct NewVersion<'a> {
    /// The tenant as it was read when the version was planned.
    pub(crate) state: TenantState<'a>,
    /// The content of the head.
    pub(crate) old: Option<Arc<Taxonomy>>,
    /// The content of the version.
    pub(crate) new: Arc<Taxonomy>,
    pub(crate) content: Content,
    pub(crate) changes: Changes,
    pub(crate) cause: Cause,
    pub(crate) provenance: Provenance,
    /// The request that it carries out.
    pub(crate) asked: Option<&'a Asked>,
    /// Its source object; `None` keeps the source of the head.
    pub(crate) uploaded: Option<SourceStamp>,
    pub(crate) detached: bool,
}

impl Service {
    /// Stores the bodies and files of a version, then commits it unless the head has moved. Returns whether it was committed.
    pub(crate) async fn commit(&self, proposal: NewVersion<'_>) -> Result<bool, VersioningError> {
        // On the heap: the state of the whole is large.
        match boxed(|| self.store_and_commit(proposal)).await {
            Err(VersioningError::Overtaken) => {
                self.metrics.count(Metric::ConditionalRetry, 1);
                Ok(false)
            }
            committed => committed,
        }
    }

    async fn store_and_commit(&self, proposal: NewVersion<'_>) -> Result<bool, VersioningError> {
        let NewVersion {
            state,
            old,
            new,
            content,
            changes,
            cause,
            provenance,
            asked,
            uploaded,
            detached,
        } = proposal;
        let (tenant, onto) = (state.tenant, state.committed());
        self.check_format(onto)?;
        onto.map_or(Ok(()), |onto| check_format(&onto.index_key))?;
        let step = Step {
            tenant,
            onto,
            new: &new,
        };
        let origin = Origin {
            full: self.is_full(onto, &cause),
            cause,
            provenance,
            changes,
        };
        let (bodies, changed) = self
            .store_bodies(&step, old.as_deref(), content, origin, state.deadline)
            .await?;
        drop(old);
        let files = NewFiles {
            identity: &identity(&bodies.header, bodies.changeset.clone()),
            taxonomy: &new,
            order: &Preorder::new(&new, sibling_keys),
        };
        let index_key = self.store_files(files, &changed, state).await?;
        let stored = (bodies, index_key);
        self.commit_stored(&step, stored, (uploaded, detached), asked)
            .await
    }

    /// Commits a version whose bodies and files are stored.
    async fn commit_stored(
        &self,
        step: &Step<'_>,
        (bodies, index_key): (StoredBodies, String),
        (uploaded, detached): (Option<SourceStamp>, bool),
        asked: Option<&Asked>,
    ) -> Result<bool, VersioningError> {
        let Step { tenant, onto, .. } = *step;
        let source = uploaded.clone().or_else(|| onto.map(|onto| onto.source.clone()));
        let source = source.ok_or(VersioningError::NoVersion)?;
        let is_upload = matches!(bodies.header.cause, Cause::Upload { .. });
        // As late as possible: no reader sees the version before.
        let now = self.clock.now_ms();
        let uploaded = uploaded.filter(|_| is_upload);
        let entry = version::entry(bodies, index_key, step.checked_time(now)?, uploaded);
        let head = Committed {
            detached,
            ..step.head(&entry, self.config.projection_format, source)
        };
        let answer = asked.map(|asked| Answered {
            id: asked.id.clone(),
            answer: Answer::Committed {
                version: entry.version,
            },
            at: now,
        });
        let commit = Commit {
            tenant,
            onto,
            head: &head,
            entry: &entry,
            answer: answer.as_ref(),
        };
        // The log's next entry may be one that somebody else wrote, which cannot be read.
        let is_committed = self.heads.commit(&commit).await.unless_lost()?;
        let is_committed = is_committed.unwrap_or(false);
        self.record_outcome(&commit, is_committed);
        match is_committed {
            true => Ok(true),
            false => self.check_head(&commit).await.map(|()| false),
        }
    }

    /// Checks that the head has moved because of which a commit failed. Otherwise the log has another version than the head.
    async fn check_head(&self, commit: &Commit<'_>) -> Result<(), VersioningError> {
        let (head, _) = self.heads.read(commit.tenant).await?;
        let id = |head: &Committed| (head.version, head.changeset.clone());
        match head.committed.as_ref().map(id) == commit.onto.map(id) {
            true => Err(VersioningError::HeadDisagrees),
            false => Ok(()),
        }
    }

    /// Stores the snapshot of a version, then its changeset. Also returns the ids that the version changed.
    async fn store_bodies(
        &self,
        step: &Step<'_>,
        old: Option<&Taxonomy>,
        content: Content,
        origin: Origin,
        deadline: Deadline,
    ) -> Result<(StoredBodies, Changed), VersioningError> {
        let (state, snapshot_key) = self.store(step, content, deadline).await?;
        let header = step.header(origin, old, &state, self.config.projection_format);
        let settings = step.onto.map(|onto| &onto.settings);
        let mut changed = changed_by(&header, settings, step.new.settings());
        let every_fact = facts_between(old, step.new).inspect(|fact| changed.add(fact));
        let (packed, facts) = Packed::changeset(&header, every_fact)?;
        deadline.in_time_for(extra_time(packed.bytes()), &*self.clock)?;
        let changeset = packed.hash.clone();
        let object = Object::changeset(&header, packed);
        self.put(step.tenant, &object).await?;
        let bodies = StoredBodies {
            changeset_key: object.key,
            changeset,
            header,
            snapshot_key,
            facts,
        };
        Ok((bodies, changed))
    }

    /// Returns the state hash and the key of the snapshot, which is stored if it is new.
    async fn store(
        &self,
        step: &Step<'_>,
        content: Content,
        deadline: Deadline,
    ) -> Result<(Hash, String), VersioningError> {
        match content {
            Content::New(packed) => {
                deadline.in_time_for(extra_time(packed.bytes()), &*self.clock)?;
                let state = packed.hash.clone();
                let key = Archive::snapshot_key(step.tenant, step.version(), &state);
                let object = Object::snapshot(key, packed);
                self.put(step.tenant, &object).await?;
                Ok((state, object.key))
            }
            Content::Stored(state, key) => Ok((state, key)),
        }
    }

    /// Returns whether every item is written again.
    fn is_full(&self, onto: Option<&Committed>, cause: &Cause) -> bool {
        let is_other_format = onto.is_some_and(|onto| onto.format != self.format());
        is_other_format || matches!(cause, Cause::Format | Cause::Rebuild)
    }

    /// Counts and logs the outcome of a commit.
    fn record_outcome(&self, commit: &Commit<'_>, is_committed: bool) {
        let Commit { tenant, entry, .. } = commit;
        let version = entry.version.get();
        if is_committed {
            self.metrics.count(Metric::VersionCommitted, 1);
            let Changes {
                added,
                changed,
                removed,
                ..
            } = entry.changes;
            info!(%tenant, version, cause = entry.cause.kind(), added, changed, removed, facts = entry.facts, terms = entry.totals.terms, "committed");
        } else {
            self.metrics.count(Metric::ConditionalRetry, 1);
            info!(%tenant, version, "overtaken by another version");
        }
    }
}
