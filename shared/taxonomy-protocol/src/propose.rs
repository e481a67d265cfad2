//! A version proposed: its bodies stored, then the one write that commits it, or does not.

use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance, Taxonomy, facts_between, writes};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Commit, CommitOutcome, Committed, Cursor, LoadState, Packed, SourceStamp, extra_time};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::taxonomies::Taxonomies;
use crate::version::{self, Origin, Place, Step};

/// A load of no more writes than this is over within a second or two, and begins without a heartbeat.
const SMALL_LOAD: usize = 256;

/// The snapshot of the version to be.
pub(crate) enum Content {
    /// It has to be stored.
    New(Packed),
    /// An older version has the same, with this state hash, under this key.
    Known(Hash, String),
}

/// A version to be.
pub(crate) struct Proposal<'a> {
    pub(crate) tenant: &'a TenantId,
    /// The head it is built on; none for the first version.
    pub(crate) onto: Option<&'a Committed>,
    /// What the head has.
    pub(crate) old: Option<&'a Taxonomy>,
    /// What the version is to have.
    pub(crate) new: &'a Taxonomy,
    pub(crate) content: Content,
    pub(crate) changes: Changes,
    pub(crate) cause: Cause,
    pub(crate) provenance: Provenance,
    /// The object it comes from; none keeps what the head says.
    pub(crate) uploaded: Option<SourceStamp>,
    pub(crate) detached: bool,
    pub(crate) deadline: Deadline,
}

impl<C: Clock> Taxonomies<C> {
    /// Commits a version, unless the head has moved. True when it was committed.
    pub(crate) async fn propose(&self, proposal: Proposal<'_>) -> Result<bool, ProtocolError> {
        let Proposal {
            tenant,
            onto,
            old,
            new,
            content,
            changes,
            cause,
            provenance,
            uploaded,
            detached,
            deadline,
        } = proposal;
        let in_time = |packed: &Packed| deadline.in_time_for(extra_time(packed.bytes()), &self.clock);
        let step = Step {
            tenant,
            onto,
            old,
            new,
        };
        let version = step.version();
        let format = u64::from(self.bounds.projection_format);
        // Not even for an operator: an older build would write older items over newer ones.
        if let Some(newer) = onto.filter(|onto| onto.format > format) {
            return Err(ProtocolError::NewerFormat(newer.format));
        }
        let (state, snapshot_key) = match content {
            Content::New(packed) => {
                in_time(&packed)?;
                let key = self.archive.put_snapshot(tenant, version, &packed).await?;
                (packed.hash, key)
            }
            Content::Known(state, key) => (state, key),
        };
        let full =
            matches!(cause, Cause::Format | Cause::Rebuild) || onto.is_some_and(|onto| onto.format != format);
        let origin = Origin {
            cause,
            provenance,
            full,
            changes,
        };
        let header = step.header(origin, &state, self.bounds.projection_format);
        let (packed, facts) = Packed::changeset(&header, facts_between(old, new))?;
        in_time(&packed)?;
        let changeset_key = self.archive.put_changeset(&header, &packed).await?;
        let now = self.clock.now_ms();
        // An operator's command leaves the load to others.
        let loads = !matches!(header.cause, Cause::Rebuild | Cause::Rollback { .. });
        let behind = onto.is_some_and(|onto| !onto.is_settled());
        let is_large = || writes::between(tenant, old, new, 0).nth(SMALL_LOAD).is_some();
        let cursor = (loads && (full || behind || is_large())).then(|| Cursor {
            changeset: packed.hash.clone(),
            from: onto.and_then(|onto| onto.projected),
            format,
            done: 0,
            at: now,
            by: self.process.clone(),
            state: LoadState::Running,
        });
        let Some(source) = uploaded.clone().or_else(|| onto.map(|onto| onto.source.clone())) else {
            return Err(ProtocolError::NoVersion);
        };
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
            ..step.head(&entry, self.bounds.projection_format, source)
        };
        let commit = Commit {
            tenant,
            onto,
            head: &head,
            entry: &entry,
        };
        match self.heads.commit(&commit).await? {
            CommitOutcome::Committed => {
                self.count(Metric::VersionCommitted, 1);
                let Changes {
                    added,
                    changed,
                    removed,
                    ..
                } = changes;
                info!(%tenant, version = version.get(), cause = entry.cause.kind(), added, changed, removed, facts, terms = entry.totals.terms, "committed");
                Ok(true)
            }
            CommitOutcome::Overtaken => {
                #[cfg(feature = "sabotage")]
                if taxonomy_store::Sabotage::DeleteAfterFailedCommit.is_on() {
                    self.archive.delete(&entry.changeset_key).await?;
                }
                self.count(Metric::ConditionalRetry, 1);
                info!(%tenant, version = version.get(), "overtaken by another version");
                Ok(false)
            }
        }
    }
}
