//! How far the chain of a tenant is verified: the checkpoint that its next audit begins at
//! (docs/decisions/0009-aggregates.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::{ItemKey, TenantId, Version, pattern};
use taxonomy_model::Hash;
use taxonomy_model::attribute::{self, Attributes, Malformed};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};

use crate::attributes::sdk_item;
use crate::error::StoreError;
use crate::table::{Consistency, Table};

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
    /// The hash of the list of all ids up to it.
    pub ids: Hash,
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
    ids: Hash,
}

/// A full audit that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct FullAudit {
    /// How far it came.
    #[serde(flatten, with = "Reached")]
    pub reached: Checkpoint,
    /// When this was noted, in epoch milliseconds.
    pub at: u64,
}

/// The note that audits of a tenant leave for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct AuditNote {
    /// How far the chain is verified; none before an audit has verified it.
    #[serde(rename = "*Checkpoint", skip_deserializing)]
    pub checkpoint: Option<Checkpoint>,
    /// A full audit that is under way.
    pub full: Option<FullAudit>,
    /// Audits that ended since the last full one.
    pub since_full: u64,
    /// When the newest of the audits that ended was asked for, in epoch milliseconds; 0 where none said so.
    pub run: u64,
    /// The same of the full ones.
    pub full_run: u64,
    /// When it was written, in epoch milliseconds; 0 for one that is not stored yet.
    pub at: u64,
}

/// Reads and writes the notes of all tenants.
#[derive(Debug, Clone)]
pub struct AuditNotes {
    table: Table,
}

impl AuditNotes {
    /// The notes in `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// The note of a tenant, read consistently; none before its first audit.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for a note that this service did not write so, [`StoreError::Request`] when the table cannot be read.
    pub async fn read(&self, tenant: &TenantId) -> Result<Option<AuditNote>, StoreError> {
        let item = self
            .table
            .get(pattern::audit(tenant), Consistency::Strong)
            .await?;
        Ok(item.map(AuditNote::read).transpose()?)
    }

    /// Replaces the note that was read (`seen`: its time; none where there was none, or where it was damaged). Returns false when another
    /// audit wrote meanwhile: its note stays, which is as right as this one.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn write(&self, tenant: &TenantId, seen: Seen, note: &AuditNote) -> Result<bool, StoreError> {
        let key = ItemKey::Audit {
            tenant: tenant.clone(),
        };
        let version = note.checkpoint.as_ref().map_or(0, |at| at.version.get());
        let request = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(&key, version, None, attribute::write(note))))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let request = match seen {
            Seen::Nothing => request.condition_expression("attribute_not_exists(PK)"),
            Seen::At(at) => request
                .condition_expression("#At = :seen")
                .expression_attribute_names("#At", "At")
                .expression_attribute_values(":seen", AttributeValue::N(at.to_string())),
            Seen::Damaged => request,
        };
        match request
            .send()
            .await
            .map_err(|error| StoreError::request("PutItem", error))
        {
            Ok(_) => Ok(true),
            Err(error) if error.is_condition_failed() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The state of the item that a note is to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// No note.
    Nothing,
    /// A note of this time.
    At(u64),
    /// A note that cannot be read; it gives way to any other.
    Damaged,
}

impl AuditNote {
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
            changeset: Hash::of(b"changeset"),
            state: Hash::of(b"state"),
            ids: Hash::of(b"ids"),
        }
    }

    /// As it is stored: the attributes and the version that the item carries.
    fn stored(note: &AuditNote) -> Attributes {
        let mut item = attribute::write(note);
        let version = note.checkpoint.as_ref().map_or(0, |at| at.version.get());
        item.insert("V".to_owned(), version.into());
        item
    }

    #[test]
    fn a_note_has_these_attributes_and_reads_back() {
        let note = AuditNote {
            checkpoint: Some(checkpoint(7)),
            full: Some(FullAudit {
                reached: checkpoint(3),
                at: 5,
            }),
            since_full: 2,
            run: 3_600_000,
            full_run: 1,
            at: 9,
        };
        let item = stored(&note);
        let names: Vec<&str> = item.keys().map(String::as_str).collect();
        let expect = [
            "At",
            "ChangesetId",
            "Full",
            "FullRun",
            "Ids",
            "Run",
            "SinceFull",
            "StateHash",
            "V",
        ];
        assert_eq!(names, expect);
        let full: Attributes = attribute::get(&item, "Full").unwrap_or_default();
        let names: Vec<&str> = full.keys().map(String::as_str).collect();
        assert_eq!(names, ["At", "ChangesetId", "Ids", "StateHash", "Version"]);
        assert_eq!(AuditNote::read(item), Ok(note));
        let empty = AuditNote::default();
        assert_eq!(AuditNote::read(stored(&empty)), Ok(empty));
    }

    #[test]
    fn a_note_with_half_a_checkpoint_is_malformed() {
        let note = AuditNote {
            checkpoint: Some(checkpoint(7)),
            ..AuditNote::default()
        };
        for name in [
            "ChangesetId",
            "StateHash",
            "Ids",
            "SinceFull",
            "Run",
            "FullRun",
            "At",
            "V",
        ] {
            let mut item = stored(&note);
            item.remove(name);
            let named = AuditNote::read(item).map_err(|Malformed(_, named)| named);
            assert_eq!(named, Err(name.to_owned()), "{name}");
        }
    }
}
