//! The progress of audits: the verified part of a tenant's chain, at which the next audit begins
//! (docs/decisions/0032-audits.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::{ItemKey, TenantId, Version, pattern};
use taxonomy_model::Hash;
use taxonomy_model::attribute::{self, Attributes, Malformed};

use crate::error::StoreError;
use crate::table::Consistency;
use crate::table::attributes::sdk_item;
use crate::table::heads::Heads;

/// A version up to which the chain is verified, from the first version on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Checkpoint {
    /// The version.
    #[serde(rename = "V")]
    pub version: Version,
    /// The id of its changeset.
    #[serde(rename = "ChangesetId")]
    pub changeset: Hash,
    /// The hash of its snapshot.
    #[serde(rename = "StateHash")]
    pub state: Hash,
}

/// A checkpoint in a map, which has no `V`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Checkpoint", rename_all = "PascalCase")]
struct Reached {
    version: Version,
    #[serde(rename = "ChangesetId")]
    changeset: Hash,
    #[serde(rename = "StateHash")]
    state: Hash,
}

/// A full audit in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct FullAudit {
    /// The verified part.
    #[serde(flatten, with = "Reached")]
    pub reached: Checkpoint,
    /// The time of this record, in epoch milliseconds.
    pub at: u64,
}

/// The record of the audits of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct CheckpointNote {
    /// The verified part; `None` before the first audit.
    #[serde(rename = "*Checkpoint", skip_deserializing)]
    pub checkpoint: Option<Checkpoint>,
    /// A full audit in progress.
    pub full: Option<FullAudit>,
    /// Audits that ended since the last full one.
    pub since_full: u64,
    /// The time of the request of the newest completed audit, in epoch milliseconds; 0 where it is unknown.
    pub run: u64,
    /// The same of the newest full audit.
    pub full_run: u64,
    /// The differences that the newest completed audit found, and those of them that it left.
    pub found: u64,
    /// See [`Self::found`].
    pub left: u64,
    /// The time of the write, in epoch milliseconds; 0 before it is stored.
    pub at: u64,
}

impl Heads {
    /// Returns the record of the audits of a tenant, read consistently; `None` before its first audit.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for a record that this service did not write, [`StoreError::Request`] if the request fails.
    pub async fn audit_note(&self, tenant: &TenantId) -> Result<Option<CheckpointNote>, StoreError> {
        let item = self
            .table
            .get(pattern::audit(tenant), Consistency::Strong)
            .await?;
        Ok(item.map(CheckpointNote::read).transpose()?)
    }

    /// Replaces the record of the audits that was read; a damaged one, whatever it is by now. Returns false if another audit wrote one meanwhile: that one stays,
    /// which is as right as this one.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn write_audit_note(
        &self,
        tenant: &TenantId,
        read: StoredNote,
        note: &CheckpointNote,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::Audit {
            tenant: tenant.clone(),
        };
        let version = note.checkpoint.as_ref().map_or(0, |at| at.version.get());
        let item = sdk_item(&key, version, attribute::write(note));
        let (condition, at) = match read {
            StoredNote::Nothing => (Some("attribute_not_exists(PK)"), None),
            StoredNote::At(at) => (Some("#At = :v"), Some(at)),
            StoredNote::Damaged => (None, None),
        };
        self.table.put(item, condition, at).await
    }
}

/// The item that a record replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredNote {
    /// No record.
    Nothing,
    /// A record of this time.
    At(u64),
    /// A damaged record; any other replaces it.
    Damaged,
}

impl CheckpointNote {
    fn read(attributes: Attributes) -> Result<Self, Malformed> {
        let is_verified = attribute::get::<u64>(&attributes, "V")? != 0;
        let checkpoint = is_verified.then(|| attribute::read(attributes.clone()));
        Ok(Self {
            checkpoint: checkpoint.transpose()?,
            ..attribute::read(attributes)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(version: u64) -> Checkpoint {
        Checkpoint {
            version: Version::new(version).unwrap_or(Version::FIRST),
            changeset: Hash::digest(b"changeset"),
            state: Hash::digest(b"state"),
        }
    }

    /// The stored form: the attributes, and the version of the item.
    fn stored(note: &CheckpointNote) -> Attributes {
        let mut item = attribute::write(note);
        let version = note.checkpoint.as_ref().map_or(0, |at| at.version.get());
        item.insert("V".to_owned(), version.into());
        item
    }

    #[test]
    fn a_note_has_these_attributes_and_reads_back() {
        let note = CheckpointNote {
            checkpoint: Some(checkpoint(7)),
            full: Some(FullAudit {
                reached: checkpoint(3),
                at: 5,
            }),
            since_full: 2,
            run: 3_600_000,
            full_run: 1,
            found: 4,
            left: 1,
            at: 9,
        };
        let item = stored(&note);
        let names = |item: &Attributes| item.keys().cloned().collect::<Vec<_>>().join(" ");
        let expect = "At ChangesetId Found Full FullRun Left Run SinceFull StateHash V";
        assert_eq!(names(&item), expect);
        let full: Attributes = attribute::get(&item, "Full").unwrap_or_default();
        assert_eq!(names(&full), "At ChangesetId StateHash Version");
        assert_eq!(CheckpointNote::read(item), Ok(note));
        let empty = CheckpointNote::default();
        assert_eq!(CheckpointNote::read(stored(&empty)), Ok(empty));
    }

    #[test]
    fn a_note_with_half_a_checkpoint_is_malformed() {
        let note = CheckpointNote {
            checkpoint: Some(checkpoint(7)),
            ..CheckpointNote::default()
        };
        let required = "ChangesetId StateHash SinceFull Run FullRun Found Left At V";
        for name in required.split(' ') {
            let mut item = stored(&note);
            item.remove(name);
            let named = CheckpointNote::read(item).map_err(|Malformed(_, named)| named);
            assert_eq!(named, Err(name.to_owned()), "{name}");
        }
    }
}
