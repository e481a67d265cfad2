//! The checkpoint between audits of a tenant: where the next one begins, what it notes when it ends, and what it notes when it stops
//! (docs/decisions/0009-aggregates.md).
//!
//! A *checkpointed* audit replays the chain behind the checkpoint; a *full* one replays all of it. Both compare the whole table.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Hash, KnownIds, Taxonomy};
use taxonomy_runtime::Clock;
use taxonomy_store::{AuditNote, Checkpoint, Committed, FullAudit, Seen, StoreError};
use tracing::warn;

use crate::error::{ProtocolError, causes};
use crate::replay::Replay;
use crate::taxonomies::Taxonomies;

/// One in so many audits of a tenant replays the whole chain.
pub const FULL_EVERY: u64 = 12;

/// After fourteen days, the longest that a message to go on can wait in its queue, the progress of a full audit is given up, and the next
/// one begins at the first version.
const FULL_VOID_MS: u64 = 14 * 86_400_000;

/// An audit that has begun, and what it found of earlier ones.
pub(crate) struct Begun {
    pub(crate) replay: Replay,
    /// Whether it replays the chain from the first version on, perhaps over several invocations.
    pub(crate) full: bool,
    /// Why the checkpoint cannot be used; none where it can, or where there is none.
    pub(crate) mistrusted: Option<String>,
    note: AuditNote,
    seen: Seen,
}

/// A note as it was found.
pub(crate) struct Found {
    pub(crate) note: AuditNote,
    seen: Seen,
    mistrusted: Option<String>,
}

/// Why a checkpoint cannot be used.
enum Unusable {
    /// It does not fit, or what it names is damaged.
    Because(String),
    /// It is not known, since the store failed.
    Store(StoreError),
}

impl From<StoreError> for Unusable {
    /// A body or an entry that is damaged or gone stays so; any other failure passes.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged { .. } => Self::Because(causes(&error)),
            error if error.is_missing() => Self::Because(causes(&error)),
            error => Self::Store(error),
        }
    }
}

impl<C: Clock> Taxonomies<C> {
    /// The note of earlier audits; a damaged one counts as none, and says why.
    pub(crate) async fn found(&self, tenant: &TenantId) -> Result<Found, ProtocolError> {
        let found = |note, seen, mistrusted| Found {
            note,
            seen,
            mistrusted,
        };
        match self.notes.read(tenant).await {
            Ok(Some(note)) => {
                let seen = Seen::At(note.at);
                Ok(found(note, seen, None))
            }
            Ok(None) => Ok(found(AuditNote::default(), Seen::Nothing, None)),
            Err(error @ StoreError::Damaged { .. }) => {
                let why = Some(causes(&error));
                Ok(found(AuditNote::default(), Seen::Damaged, why))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Begins an audit at the checkpoint, or at the first version: where `full` asks for it, where it is time for it, and where there is no
    /// checkpoint that can be used. A full audit that stopped goes on where it was.
    pub(crate) async fn begin(
        &self,
        tenant: &TenantId,
        head: &Committed,
        found: Found,
        full: bool,
    ) -> Result<Begun, ProtocolError> {
        let Found {
            note,
            seen,
            mut mistrusted,
        } = found;
        let due = note.since_full + 1 >= FULL_EVERY || note.checkpoint.is_none();
        let mut begun = Begun {
            replay: Replay::default(),
            full: full || due,
            mistrusted: None,
            note,
            seen,
        };
        let fresh = |under_way: &&FullAudit| self.clock.now_ms().saturating_sub(under_way.at) < FULL_VOID_MS;
        let checkpoint = if begun.full {
            let under_way = begun.note.full.as_ref().filter(fresh);
            under_way.map(|under_way| under_way.reached.clone())
        } else {
            begun.note.checkpoint.clone()
        };
        if let Some(checkpoint) = checkpoint {
            match self.resume(tenant, head, &checkpoint).await {
                Ok(replay) => begun.replay = replay,
                Err(Unusable::Store(error)) => return Err(error.into()),
                Err(Unusable::Because(why)) => {
                    mistrusted = Some(format!("at version {}: {why}", checkpoint.version));
                    begun.full = true;
                }
            }
        }
        if let Some(why) = &mistrusted {
            warn!(%tenant, why, "the checkpoint of the audits is ignored; the audit begins at the first version");
        }
        begun.mistrusted = mistrusted;
        Ok(begun)
    }

    /// Where a checkpoint leads: it must name a version that the log has with the same changeset and state, and the list of ids and the
    /// snapshot must be what their hashes say.
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
            ids,
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
        let ids = self.archive.ids(tenant, ids).await?;
        // With nothing to replay, the head's snapshot, which is read anyway, is this one.
        let content = if *version < head.version {
            Some(self.archive.snapshot(&entry.snapshot_key, state).await?)
        } else {
            None
        };
        Ok(resumed(*version, state.clone(), content, ids))
    }

    /// Notes that an audit ended: the checkpoint at the head, unless the chain is broken; then the next audit begins at the first version.
    pub(crate) async fn end(
        &self,
        tenant: &TenantId,
        begun: Begun,
        run: Option<u64>,
    ) -> Result<(), ProtocolError> {
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
        self.write_note(tenant, begun.seen, note).await
    }

    /// Notes how far the chain was verified by an audit that does not end in this invocation. Returns whether the replay itself must go on;
    /// none where nothing was verified, so that there is nothing to go on from.
    pub(crate) async fn pause(
        &self,
        tenant: &TenantId,
        begun: Begun,
        run: Option<u64>,
    ) -> Result<Option<bool>, ProtocolError> {
        if begun.replay.is_broken || !begun.replay.has_progressed() {
            return Ok(None);
        }
        let note = self.advanced(tenant, &begun, run).await?;
        self.write_note(tenant, begun.seen, note).await?;
        Ok(Some(begun.full && !begun.replay.is_whole))
    }

    /// The note with the place that the replay reached. A full replay counts as the checkpoint once it is whole.
    async fn advanced(
        &self,
        tenant: &TenantId,
        begun: &Begun,
        run: Option<u64>,
    ) -> Result<AuditNote, ProtocolError> {
        let (mut note, replay) = (begun.note.clone(), &begun.replay);
        let Some((version, state)) = replay.reached.clone().filter(|_| !replay.is_broken) else {
            return Ok(note);
        };
        if begun.full || replay.has_progressed() {
            let entry = self.heads.required_entry(tenant, version).await?;
            let reached = Checkpoint {
                version,
                changeset: entry.changeset,
                state,
                ids: self.archive.put_ids(tenant, &replay.ids).await?,
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

    /// Writes a note. Where another audit wrote one meanwhile, that one stays: it is as right as this one.
    async fn write_note(
        &self,
        tenant: &TenantId,
        seen: Seen,
        mut note: AuditNote,
    ) -> Result<(), ProtocolError> {
        // Later than the note that it replaces, whatever the clock says, so that each note is known by its time.
        note.at = self.clock.now_ms().max(note.at + 1);
        if !self.notes.write(tenant, seen, &note).await? {
            warn!(%tenant, "another audit of the tenant wrote its note first");
        }
        Ok(())
    }
}

fn resumed(version: Version, state: Hash, content: Option<Taxonomy>, ids: KnownIds) -> Replay {
    Replay {
        begun: Some(version),
        reached: Some((version, state)),
        content,
        ids,
        ..Replay::default()
    }
}
