//! A version proposed: its bodies stored, then the one write that commits it, or does not.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{Cause, Header};
use taxonomy_model::{Census, Changes, Hash, Provenance, Taxonomy, Totals, facts_between, touched, writes};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{
    Commit, CommitOutcome, Committed, Cursor, LoadState, LogEntry, Packed, SourceStamp, extra_time,
};
use tracing::info;

use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::taxonomies::Taxonomies;

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
        let version = onto.map_or(Version::FIRST, |onto| onto.version.next());
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
        let header = Header {
            tenant: tenant.clone(),
            version,
            parent: onto.map(|onto| onto.changeset.clone()),
            cause,
            provenance,
            full,
            before: onto.map(|onto| onto.state.clone()),
            after: state.clone(),
            projection_format: self.bounds.projection_format,
            census: Census::of(new),
            changes,
            touched: Some(touched(old, new)),
        };
        let (packed, facts) = Packed::changeset(&header, facts_between(old, new))?;
        in_time(&packed)?;
        let changeset_key = self.archive.put_changeset(&header, &packed).await?;
        let now = self.clock.now_ms();
        let committed_at = now.max(onto.map_or(0, |onto| onto.committed_at + 1));
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
        let totals = Totals::from(&header.census.totals);
        let Some(source) = uploaded.clone().or_else(|| onto.map(|onto| onto.source.clone())) else {
            return Err(ProtocolError::NoVersion);
        };
        let is_upload = matches!(header.cause, Cause::Upload { .. });
        let entry = LogEntry {
            version,
            changeset: packed.hash.clone(),
            parent: header.parent,
            state: state.clone(),
            snapshot_key: snapshot_key.clone(),
            changeset_key,
            cause: header.cause,
            provenance: header.provenance.clone(),
            full,
            facts,
            source: uploaded.filter(|_| is_upload),
            committed_at,
            totals,
            changes,
        };
        let head = Committed {
            version,
            changeset: packed.hash,
            state,
            snapshot_key,
            committed_at,
            format,
            settings: new.settings().clone(),
            former_defaults: onto.map_or_else(Vec::new, |onto| {
                onto.former_defaults_under(&new.settings().default_culture)
            }),
            cultures: new.cultures().to_vec(),
            categories: totals.categories,
            terms: totals.terms,
            provenance: header.provenance,
            full,
            source,
            detached,
            projected: None,
            projected_at: 0,
            cursor,
            follow_up_at: 0,
            indexed: 0,
            index_format: 0,
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
                info!(%tenant, version = version.get(), cause = entry.cause.kind(), added, changed, removed, facts, terms = totals.terms, "committed");
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
