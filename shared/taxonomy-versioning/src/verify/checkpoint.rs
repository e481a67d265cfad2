//! The checkpoint between audits of a tenant: the version at which the next one begins, and the records of an audit that ends or stops
//! (docs/decisions/0032-audits.md).
//!
//! A *checkpointed* audit replays the chain behind the checkpoint; a *full* one replays the whole chain. Both compare the whole table.

use taxonomy_keys::TenantId;
use taxonomy_runtime::causes;
use taxonomy_store::{Checkpoint, CheckpointNote, Committed, FullAudit, StoreError, StoredNote};
use tracing::warn;

use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::replay::Replay;

/// The number of audits of a tenant of which one replays the whole chain.
pub const FULL_EVERY: u64 = 12;

/// The age after which the progress of a full audit is discarded, and the next one begins at the first version: fourteen days, the longest that a
/// message can wait in its queue.
const FULL_VOID_MS: u64 = 14 * 86_400_000;

/// An audit in progress, with the records of earlier ones.
pub(crate) struct RunningAudit {
    pub(crate) replay: Replay,
    /// Whether it replays the chain from the first version on, perhaps over several invocations.
    pub(crate) full: bool,
    /// The record of earlier ones.
    pub(crate) record: AuditRecord,
}

/// A record as it was read.
pub(crate) struct AuditRecord {
    pub(crate) note: CheckpointNote,
    stored: StoredNote,
    /// The reason for which the checkpoint is invalid; `None` if it is valid or absent.
    pub(crate) mistrusted: Option<String>,
}

/// The reason for which a checkpoint is invalid.
enum Unusable {
    /// It does not match the log, or a body that it names is damaged.
    Because(String),
    /// It is unknown, because the store failed.
    Store(StoreError),
}

impl From<StoreError> for Unusable {
    /// A damaged or missing body stays so; any other failure is transient.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { .. } => Self::Because(causes(&error)),
            error if error.is_missing() => Self::Because(causes(&error)),
            error => Self::Store(error),
        }
    }
}

impl Service {
    /// Reads the record of earlier audits. A damaged one counts as absent, with the reason.
    pub(crate) async fn audit_record(&self, tenant: &TenantId) -> Result<AuditRecord, VersioningError> {
        let (note, stored, mistrusted) = match self.notes.read(tenant).await {
            Ok(Some(note)) => {
                let stored = StoredNote::At(note.at);
                (note, stored, None)
            }
            Ok(None) => (CheckpointNote::default(), StoredNote::Nothing, None),
            Err(error @ StoreError::Damaged { .. }) => {
                let why = Some(causes(&error));
                (CheckpointNote::default(), StoredNote::Damaged, why)
            }
            Err(error) => return Err(error.into()),
        };
        Ok(AuditRecord {
            note,
            stored,
            mistrusted,
        })
    }

    /// Begins an audit at the checkpoint. Begins at the first version if `full` requires it, if a full one is due, and without a valid checkpoint. A
    /// full audit that stopped continues at its progress.
    pub(crate) async fn begin(
        &self,
        tenant: &TenantId,
        head: &Committed,
        record: AuditRecord,
        full: bool,
    ) -> Result<RunningAudit, VersioningError> {
        let due = record.note.since_full + 1 >= FULL_EVERY || record.note.checkpoint.is_none();
        let mut begun = RunningAudit {
            replay: Replay::default(),
            full: full || due,
            record,
        };
        let fresh = |under_way: &&FullAudit| self.clock.now_ms().saturating_sub(under_way.at) < FULL_VOID_MS;
        let checkpoint = if begun.full {
            let under_way = begun.record.note.full.as_ref().filter(fresh);
            under_way.map(|under_way| under_way.reached.clone())
        } else {
            begun.record.note.checkpoint.clone()
        };
        if let Some(checkpoint) = checkpoint {
            match self.resume(tenant, head, &checkpoint).await {
                Ok(replay) => begun.replay = replay,
                Err(Unusable::Store(error)) => return Err(error.into()),
                Err(Unusable::Because(why)) => {
                    let mistrusted = format!("at version {}: {why}", checkpoint.version);
                    begun.record.mistrusted = Some(mistrusted);
                    begun.full = true;
                }
            }
        }
        if let Some(why) = &begun.record.mistrusted {
            warn!(%tenant, why, "the checkpoint of the audits is ignored; the audit begins at the first version");
        }
        Ok(begun)
    }

    /// Resolves a checkpoint: the log must have its version with the same changeset and state, and the snapshot must match its hash.
    async fn resume(
        &self,
        tenant: &TenantId,
        head: &Committed,
        checkpoint: &Checkpoint,
    ) -> Result<Replay, Unusable> {
        let Checkpoint {
            version,
            changeset,
            state,
        } = checkpoint;
        let because = |why: &str| Unusable::Because(why.to_owned());
        if *version > head.version {
            return Err(because("the head is behind it"));
        }
        let entry = self.heads.entry(tenant, *version).await?;
        let entry = entry.ok_or_else(|| because("the log lacks the version"))?;
        if (&entry.changeset, &entry.state) != (changeset, state) {
            return Err(because("the log has another changeset or state"));
        }
        // With nothing to replay, the head's snapshot, which is read in any case, is this one.
        let content = if *version < head.version {
            Some(self.archive.snapshot(&entry.snapshot_key, state).await?)
        } else {
            None
        };
        Ok(Replay {
            begun: Some(*version),
            reached: Some((*version, state.clone())),
            content,
            ..Replay::default()
        })
    }

    /// Records the end of an audit: the checkpoint is at the head, unless the chain is broken. Then the next audit begins at the first version.
    pub(crate) async fn end(
        &self,
        tenant: &TenantId,
        begun: RunningAudit,
        run: Option<u64>,
    ) -> Result<(), VersioningError> {
        let mut note = self.advanced(tenant, &begun, run).await?;
        if begun.replay.is_broken {
            (note.checkpoint, note.full) = (None, None);
        } else if !begun.full {
            note.since_full += 1;
        }
        note.run = note.run.max(run.unwrap_or(0));
        if begun.full {
            note.full_run = note.full_run.max(run.unwrap_or(0));
        }
        self.write_note(tenant, begun.record.stored, note).await
    }

    /// Records the progress of an audit that does not end in this invocation. Returns whether the replay itself must continue; `None` if nothing was
    /// verified, so that there is nothing to continue.
    pub(crate) async fn pause(
        &self,
        tenant: &TenantId,
        begun: RunningAudit,
        run: Option<u64>,
    ) -> Result<Option<bool>, VersioningError> {
        if begun.replay.is_broken || !begun.replay.has_progressed() {
            return Ok(None);
        }
        let note = self.advanced(tenant, &begun, run).await?;
        self.write_note(tenant, begun.record.stored, note).await?;
        Ok(Some(begun.full && !begun.replay.is_whole))
    }

    /// Returns the record with the position that the replay reached. A full replay counts as the checkpoint once it is complete.
    async fn advanced(
        &self,
        tenant: &TenantId,
        begun: &RunningAudit,
        run: Option<u64>,
    ) -> Result<CheckpointNote, VersioningError> {
        let (mut note, replay) = (begun.record.note.clone(), &begun.replay);
        let Some((version, state)) = replay.reached.clone().filter(|_| !replay.is_broken) else {
            return Ok(note);
        };
        if begun.full || replay.has_progressed() {
            let entry = self.heads.required_entry(tenant, version).await?;
            let reached = Checkpoint {
                version,
                changeset: entry.changeset,
                state,
            };
            if !begun.full {
                note.checkpoint = Some(reached);
            } else if replay.is_whole {
                (note.checkpoint, note.full, note.since_full) = (Some(reached), None, 0);
                note.full_run = note.full_run.max(run.unwrap_or(0));
            } else {
                let at = self.clock.now_ms();
                note.full = Some(FullAudit { reached, at });
            }
        }
        Ok(note)
    }

    /// Writes a record. If another audit wrote one meanwhile, that one stays: it is as right as this one.
    async fn write_note(
        &self,
        tenant: &TenantId,
        read: StoredNote,
        mut note: CheckpointNote,
    ) -> Result<(), VersioningError> {
        // Later than the record that it replaces, whatever the clock shows, so that each record is identified by its time.
        note.at = self.clock.now_ms().max(note.at + 1);
        if !self.notes.write(tenant, read, &note).await? {
            warn!(%tenant, "another audit of the tenant wrote its note first");
        }
        Ok(())
    }
}
