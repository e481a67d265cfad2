//! Committing a version: its bodies are stored first, then one transaction commits it or fails.

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::{Cause, Header};
use taxonomy_model::{Changes, Hash, Provenance, Taxonomy, facts_between, writes};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Commit, CommitOutcome, Committed, Cursor, LoadState, Packed, SourceStamp, extra_time};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::Service;
use crate::version::{self, Origin, Place, Step};

/// The maximum number of writes of a projection that begins without a heartbeat: it ends within a second or two.
const SMALL_LOAD: usize = 256;

/// The snapshot of a new version.
pub(crate) enum Content {
    /// It must be stored.
    New(Packed),
    /// An older version has the same snapshot, with this state hash, under this key.
    TenantState(Hash, String),
}

/// A version to commit.
pub(crate) struct NewVersion<'a> {
    pub(crate) tenant: &'a TenantId,
    /// The head that it follows; `None` for the first version.
    pub(crate) onto: Option<&'a Committed>,
    /// The content of that head.
    pub(crate) old: Option<&'a Taxonomy>,
    /// The content of the version.
    pub(crate) new: &'a Taxonomy,
    pub(crate) content: Content,
    pub(crate) changes: Changes,
    pub(crate) cause: Cause,
    pub(crate) provenance: Provenance,
    /// Its source object; `None` keeps the source of the head.
    pub(crate) uploaded: Option<SourceStamp>,
    pub(crate) detached: bool,
    pub(crate) deadline: Deadline,
}

impl<'a> NewVersion<'a> {
    fn step(&self) -> Step<'a> {
        Step {
            tenant: self.tenant,
            onto: self.onto,
            old: self.old,
            new: self.new,
        }
    }
}

impl<C: Clock> Service<C> {
    /// Commits a version unless the head has moved. Returns whether it was committed.
    pub(crate) async fn commit(&self, proposal: NewVersion<'_>) -> Result<bool, VersioningError> {
        let step = proposal.step();
        let NewVersion {
            tenant,
            onto,
            old,
            content,
            changes,
            cause,
            provenance,
            uploaded,
            detached,
            deadline,
            ..
        } = proposal;
        self.check_format(onto)?;
        let (state, snapshot_key) = self.store(&step, content, deadline).await?;
        let full = self.is_full(onto, &cause);
        let origin = Origin {
            cause,
            provenance,
            full,
            changes,
        };
        let header = step.header(origin, &state, self.config.projection_format);
        let (packed, facts) = Packed::changeset(&header, facts_between(old, step.new))?;
        deadline.in_time_for(extra_time(packed.bytes()), &self.clock)?;
        let changeset_key = self.archive.put_changeset(&header, &packed).await?;
        let now = self.clock.now_ms();
        let needs_cursor = self.needs_cursor(&step, &header);
        let cursor = needs_cursor.then(|| self.cursor(onto, &packed.hash, now));
        let source = uploaded.clone().or_else(|| onto.map(|onto| onto.source.clone()));
        let source = source.ok_or(VersioningError::NoVersion)?;
        let is_upload = matches!(header.cause, Cause::Upload { .. });
        let place = Place {
            snapshot_key,
            changeset_key,
            changeset: packed.hash,
            facts,
            committed_at: step.committed_at(now),
            upload: uploaded.filter(|_| is_upload),
        };
        let entry = version::entry(&header, place);
        let head = Committed {
            detached,
            cursor,
            ..step.head(&entry, self.config.projection_format, source)
        };
        let (head, entry) = (&head, &entry);
        let commit = Commit {
            tenant,
            onto,
            head,
            entry,
        };
        let outcome = self.heads.commit(&commit).await?;
        Ok(self.record_outcome(&commit, &changes, facts, &outcome))
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
                deadline.in_time_for(extra_time(packed.bytes()), &self.clock)?;
                let stored = self.archive.put_snapshot(step.tenant, step.version(), &packed);
                let key = stored.await?;
                Ok((packed.hash, key))
            }
            Content::TenantState(state, key) => Ok((state, key)),
        }
    }

    /// Returns whether every item is written again.
    fn is_full(&self, onto: Option<&Committed>, cause: &Cause) -> bool {
        let is_other_format = onto.is_some_and(|onto| onto.format != self.format());
        is_other_format || matches!(cause, Cause::Format | Cause::Rebuild)
    }

    /// Returns whether the projection begins with a cursor: one that takes long. An operator's command leaves the projection to the projector.
    fn needs_cursor(&self, step: &Step<'_>, header: &Header) -> bool {
        let Step {
            tenant,
            onto,
            old,
            new,
        } = *step;
        let loads = !matches!(header.cause, Cause::Rebuild | Cause::Rollback { .. });
        let behind = onto.is_some_and(|onto| !onto.is_settled());
        let is_large = || writes::between(tenant, old, new, 0).nth(SMALL_LOAD).is_some();
        loads && (header.full || behind || is_large())
    }

    fn cursor(&self, onto: Option<&Committed>, changeset: &Hash, now: u64) -> Cursor {
        Cursor {
            changeset: changeset.clone(),
            from: onto.and_then(|onto| onto.projected),
            format: self.format(),
            done: 0,
            at: now,
            by: self.process.clone(),
            state: LoadState::Running,
        }
    }

    /// Counts and logs the outcome of a commit. Returns whether the version was committed.
    fn record_outcome(
        &self,
        commit: &Commit<'_>,
        changes: &Changes,
        facts: u64,
        outcome: &CommitOutcome,
    ) -> bool {
        let Commit { tenant, entry, .. } = commit;
        match outcome {
            CommitOutcome::Committed => {
                self.count(Metric::VersionCommitted, 1);
                let Changes {
                    added,
                    changed,
                    removed,
                    ..
                } = changes;
                info!(%tenant, version = entry.version.get(), cause = entry.cause.kind(), added, changed, removed, facts, terms = entry.totals.terms, "committed");
                true
            }
            CommitOutcome::Overtaken => {
                self.count(Metric::ConditionalRetry, 1);
                info!(%tenant, version = entry.version.get(), "overtaken by another version");
                false
            }
        }
    }
}
