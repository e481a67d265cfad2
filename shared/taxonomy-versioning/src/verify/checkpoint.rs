//! The checkpoint between audits of a tenant: the version at which the next one begins, and the records of an audit that ends or stops
//! (docs/decisions/0032-audits.md).
//!
//! A *checkpointed* audit replays the chain behind the checkpoint; a *full* one replays the whole chain. Both compare the whole table.

use taxonomy_keys::{TenantId, pattern};
use taxonomy_runtime::causes;
use taxonomy_store::{Checkpoint, CheckpointNote, Committed, FullAudit, StoreError, StoredNote};
use tracing::warn;

use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::difference::{Difference, Findings, Found};
use crate::verify::walk::{Walk, Walked};

/// The number of audits of a tenant of which one replays the whole chain.
pub const FULL_EVERY: u64 = 12;

/// The age after which the progress of a full audit is discarded, and the next one begins at the first version: fourteen days, the longest that a
/// message can wait in its queue.
const FULL_VOID_MS: u64 = 14 * 86_400_000;

/// An audit in progress, with the record of earlier ones.
pub(crate) struct RunningAudit {
    /// The record, which the audit replaces.
    pub(crate) note: CheckpointNote,
    stored: StoredNote,
    /// The reason for which the checkpoint is invalid; `None` if it is valid or absent.
    pub(crate) mistrusted: Option<Difference>,
    /// The time of its request, in epoch milliseconds; 0 where it is unknown.
    run: u64,
    /// Whether it replays the chain from the first version on, perhaps over several invocations.
    full: bool,
    pub(crate) walk: Walk,
}

impl Service {
    /// Reads the record of earlier audits. A damaged one counts as absent, with the reason.
    pub(crate) async fn audit_record(
        &self,
        tenant: &TenantId,
        run: Option<u64>,
    ) -> Result<RunningAudit, VersioningError> {
        let (note, stored, mistrusted) = match self.heads.audit_note(tenant).await {
            Ok(Some(note)) => {
                let (stored, now) = (StoredNote::At(note.at), self.clock.now_ms());
                // No audit that ended was requested after now; a later time would end the audits of the tenant.
                let past = |run: u64| if run > now { 0 } else { run };
                let (run, full_run) = (past(note.run), past(note.full_run));
                (
                    CheckpointNote {
                        run,
                        full_run,
                        ..note
                    },
                    stored,
                    None,
                )
            }
            Ok(None) => (CheckpointNote::default(), StoredNote::Nothing, None),
            Err(error @ StoreError::Damaged { .. }) => {
                let why = Difference::item(pattern::audit(tenant), Found::Malformed).because(causes(&error));
                (CheckpointNote::default(), StoredNote::Damaged, Some(why))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(RunningAudit {
            note,
            stored,
            mistrusted,
            run: run.unwrap_or(0),
            full: false,
            walk: Walk::default(),
        })
    }

    /// Begins an audit at the checkpoint. Begins at the first version if `full` requires it, if a full one is due, and without a valid checkpoint. A
    /// full audit that stopped continues at its progress.
    pub(crate) async fn begin(
        &self,
        tenant: &TenantId,
        head: &Committed,
        mut audit: RunningAudit,
        full: bool,
    ) -> Result<RunningAudit, VersioningError> {
        let note = &audit.note;
        audit.full = full || note.since_full.saturating_add(1) >= FULL_EVERY || note.checkpoint.is_none();
        let fresh = |under_way: &&FullAudit| self.clock.now_ms().abs_diff(under_way.at) < FULL_VOID_MS;
        let checkpoint = if audit.full {
            let under_way = note.full.as_ref().filter(fresh);
            under_way.map(|under_way| &under_way.reached)
        } else {
            note.checkpoint.as_ref()
        };
        if let Some(checkpoint) = checkpoint {
            match self.resume(tenant, head, checkpoint).await {
                Ok(walk) => audit.walk = walk,
                // What is damaged or missing stays so; any other failure is transient.
                Err(error) if error.is_lost() => {
                    let why = format!("at version {}: {}", checkpoint.version, causes(&error));
                    let differs = Difference::item(pattern::audit(tenant), Found::Altered);
                    audit.mistrusted = Some(differs.because(why));
                    audit.full = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(why) = &audit.mistrusted {
            warn!(%tenant, why = %why, "the checkpoint of the audits is ignored; the audit begins at the first version");
        }
        Ok(audit)
    }

    /// Resolves a checkpoint.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] too if the log lacks its version with the same changeset and state, or the snapshot does not match its hash.
    async fn resume(
        &self,
        tenant: &TenantId,
        head: &Committed,
        checkpoint: &Checkpoint,
    ) -> Result<Walk, StoreError> {
        let Checkpoint {
            version,
            changeset,
            state,
        } = checkpoint;
        let differs = |why: &str| StoreError::damaged("the checkpoint or the log", why);
        if *version > head.version {
            return Err(differs("the head is behind it"));
        }
        let entry = self.heads.entry(tenant, *version).await?;
        let entry = entry.ok_or_else(|| differs("the log lacks the version"))?;
        if (&entry.changeset, &entry.state) != (changeset, state) {
            return Err(differs("the log has another changeset or state"));
        }
        let content = self.archive.snapshot(&entry.snapshot_key, state).await?;
        Ok(Walk::behind(Walked::new(entry, Some(content))))
    }

    /// Records the end of an audit: the checkpoint is at the head, unless the chain is broken. Then the next audit begins at the first version.
    pub(crate) async fn end(
        &self,
        tenant: &TenantId,
        audit: RunningAudit,
        findings: &Findings,
    ) -> Result<(), VersioningError> {
        let mut audit = self.advance(audit);
        let note = &mut audit.note;
        (note.found, note.left) = (findings.count, findings.left());
        if audit.walk.is_broken {
            (note.checkpoint, note.full) = (None, None);
        } else if !audit.full {
            note.since_full = note.since_full.saturating_add(1);
        }
        note.run = note.run.max(audit.run);
        if audit.full {
            note.full_run = note.full_run.max(audit.run);
        }
        self.write_note(tenant, audit).await
    }

    /// Records the progress of an audit that does not end in this invocation. Returns whether the replay itself must continue; `None` if nothing was
    /// verified, so that there is nothing to continue.
    pub(crate) async fn pause(
        &self,
        tenant: &TenantId,
        audit: RunningAudit,
    ) -> Result<Option<bool>, VersioningError> {
        if audit.walk.is_broken || !audit.walk.has_progressed() {
            return Ok(None);
        }
        let audit = self.advance(audit);
        let continues = audit.full && !audit.walk.is_whole;
        self.write_note(tenant, audit).await?;
        Ok(Some(continues))
    }

    /// Notes the position that the replay reached. A full replay counts as the checkpoint once it is complete.
    fn advance(&self, mut audit: RunningAudit) -> RunningAudit {
        let (note, walk) = (&mut audit.note, &audit.walk);
        let Some(last) = walk.last.as_ref().filter(|_| !walk.is_broken) else {
            return audit;
        };
        if audit.full || walk.has_progressed() {
            let reached = Checkpoint {
                version: last.entry.version,
                changeset: last.entry.changeset.clone(),
                state: last.entry.state.clone(),
            };
            if !audit.full {
                note.checkpoint = Some(reached);
            } else if walk.is_whole {
                (note.checkpoint, note.full, note.since_full) = (Some(reached), None, 0);
                note.full_run = note.full_run.max(audit.run);
            } else {
                let at = self.clock.now_ms();
                note.full = Some(FullAudit { reached, at });
            }
        }
        audit
    }

    /// Writes the record. If another audit wrote one meanwhile, that one stays: it is as right as this one.
    async fn write_note(
        &self,
        tenant: &TenantId,
        RunningAudit { mut note, stored, .. }: RunningAudit,
    ) -> Result<(), VersioningError> {
        // Later than the record that it replaces, whatever the clock shows, so that each record is identified by its time.
        note.at = self.clock.now_ms().max(note.at.saturating_add(1));
        if !self.heads.write_audit_note(tenant, stored, &note).await? {
            warn!(%tenant, "another audit of the tenant wrote its note first");
        }
        Ok(())
    }
}
