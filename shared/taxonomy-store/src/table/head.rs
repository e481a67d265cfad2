//! The head of a tenant, and the log of its versions. Attribute names are the storage format
//! (docs/decisions/0001-table.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Attention, Culture, Version, version_or_zero};
use taxonomy_model::attribute::{self, Attributes, Malformed};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance, Settings, Totals};

use crate::table::cursor::LoadCursor;
use crate::table::log_parts;
use crate::table::requests::{Answered, Asked, RepairNote};

/// The state of a tenant besides its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The newest version; `None` before the first valid upload.
    pub committed: Option<Committed>,
    /// The last refused upload, so that the same object is not ingested twice.
    pub refused: Option<Refusal>,
    /// The request of an operator that is not answered yet.
    pub asked: Option<Asked>,
    /// The answer to the last request.
    pub answered: Option<Answered>,
    /// The progress of the repair that is not answered yet.
    pub repair: Option<RepairNote>,
    /// The reason for which the tenant is in the list of those that need attention; `None` if it is not.
    pub attention: Option<Attention>,
}

/// The newest version and the progress of its projection. A commit does not change the members that are not serialized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Committed {
    /// The version.
    #[serde(rename = "V")]
    pub version: Version,
    /// The id of its changeset.
    #[serde(rename = "ChangesetId")]
    pub changeset: Hash,
    /// The hash of its canonical snapshot.
    #[serde(rename = "StateHash")]
    pub state: Hash,
    /// The key of its snapshot in the changesets bucket.
    pub snapshot_key: String,
    /// The key of its index file in the changesets bucket.
    pub index_key: String,
    /// The commit time, in epoch milliseconds.
    pub committed_at: u64,
    /// The projection format that it was committed with.
    pub format: u64,
    /// Default culture and fallback chain.
    #[serde(rename = "*Settings")]
    pub settings: Settings,
    /// Every culture in which a node has a name.
    #[serde(default)]
    pub cultures: Vec<Culture>,
    /// The number of categories.
    pub categories: u64,
    /// The number of terms.
    pub terms: u64,
    /// Release, author and reason, from the uploader or the operator.
    #[serde(default)]
    pub provenance: Provenance,
    /// The newest version that asks for a full load; `None` where none does.
    #[serde(default, skip_serializing)]
    pub full: Option<Version>,
    /// Its source object; for a detached version the source object that was known at the commit.
    pub source: SourceStamp,
    /// Whether the content differs from that of the source object, as after a rollback.
    #[serde(default)]
    pub detached: bool,
    /// The projected version; `None` before the first.
    #[serde(with = "version_or_zero", skip_serializing)]
    pub projected: Option<Version>,
    /// The time of the last projection, in epoch milliseconds; 0 before the first.
    #[serde(skip_serializing)]
    pub projected_at: u64,
    /// The progress of the last load that has not ended.
    #[serde(skip_serializing)]
    pub cursor: Option<LoadCursor>,
}

impl Committed {
    /// Whether the table is exactly at this version.
    pub fn is_settled(&self) -> bool {
        self.projected == Some(self.version)
    }

    /// Returns the cursor of a load that has not ended; `None` where it is void.
    pub fn load(&self) -> Option<&LoadCursor> {
        self.cursor
            .as_ref()
            .filter(|cursor| Some(cursor.to) > self.projected)
    }
}

/// The identity of an uploaded object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct SourceStamp {
    /// S3's ETag, without quotes.
    #[serde(rename = "ETag")]
    pub etag: String,
    /// S3's version id; empty in a bucket without versions.
    pub version_id: String,
    /// The SHA-256 of the bytes as stored.
    pub sha256: Hash,
    /// The size as stored, in bytes.
    pub size: u64,
    /// The default culture that the file names.
    pub culture: Option<Culture>,
}

impl SourceStamp {
    /// Returns the identity of an object of which the hash of its bytes alone is known. No object that is stored has it.
    pub fn unknown(sha256: Hash) -> Self {
        Self {
            etag: String::new(),
            version_id: String::new(),
            sha256,
            size: 0,
            culture: None,
        }
    }
}

/// A refused upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Refusal {
    /// S3's ETag, without quotes.
    #[serde(rename = "ETag")]
    pub etag: String,
    /// S3's version id.
    pub version_id: String,
    /// The version of the validator; a later one processes the object again.
    pub validator: u64,
    /// The settings that decided; under others the object is processed again.
    #[serde(default)]
    pub defaults: String,
    /// The code of the first error.
    pub code: String,
    /// The key of the report in the changesets bucket.
    #[serde(rename = "Report")]
    pub report_key: String,
    /// The time of the refusal, in epoch milliseconds.
    pub at: u64,
}

/// A log entry: one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct LogEntry {
    /// The version.
    #[serde(rename = "V")]
    pub version: Version,
    /// The id of its changeset.
    #[serde(rename = "ChangesetId")]
    pub changeset: Hash,
    /// The id of the parent changeset; `None` for the first version.
    #[serde(rename = "ParentChangesetId")]
    pub parent: Option<Hash>,
    /// The hash of its canonical snapshot.
    #[serde(rename = "StateHash")]
    pub state: Hash,
    /// The key of the snapshot.
    pub snapshot_key: String,
    /// The key of the index file.
    pub index_key: String,
    /// The key of the changeset.
    pub changeset_key: String,
    /// The cause of the version.
    #[serde(rename = "*Cause", with = "log_parts::cause")]
    pub cause: Cause,
    /// Release, author and reason, from the uploader or the operator.
    #[serde(default)]
    pub provenance: Provenance,
    /// Whether it is a full version.
    #[serde(default)]
    pub full: bool,
    /// The number of facts in the changeset.
    pub facts: u64,
    /// The uploaded object; `None` without one.
    pub source: Option<SourceStamp>,
    /// The commit time in epoch milliseconds, later than that of every earlier version.
    pub committed_at: u64,
    /// The changes of the version.
    #[serde(rename = "*Changes", with = "log_parts::changes")]
    pub changes: Changes,
    /// Absolute counts.
    pub totals: Totals,
}

impl Head {
    pub(crate) fn read(attributes: Attributes) -> Result<Self, Malformed> {
        let listed: Option<String> = attribute::get(&attributes, "GSI1SK")?;
        let is_committed = attribute::get::<u64>(&attributes, "V")? != 0;
        let head = Self {
            refused: attribute::get(&attributes, "Refused")?,
            asked: attribute::get(&attributes, "Asked")?,
            answered: attribute::get(&attributes, "Answered")?,
            repair: attribute::get(&attributes, "Repair")?,
            attention: listed.and_then(|place| Attention::of_sort_key(&place)),
            committed: is_committed.then(|| attribute::read(attributes)).transpose()?,
        };
        if let Some(committed) = &head.committed {
            check_index_key(&committed.index_key, committed.version, &committed.changeset)?;
        }
        Ok(head)
    }
}

impl LogEntry {
    /// Reads an entry, given its attributes.
    ///
    /// # Errors
    /// [`Malformed`] too where its version, its changeset and the name of its index file do not belong together.
    pub fn read(attributes: Attributes) -> Result<Self, Malformed> {
        let entry: Self = attribute::read(attributes)?;
        check_index_key(&entry.index_key, entry.version, &entry.changeset)?;
        Ok(entry)
    }
}

/// Whether this is the name of an index file of a version.
pub fn is_index_key_of(key: &str, version: Version, changeset: &Hash) -> bool {
    key.starts_with("indexes/") && key.contains(&format!("/{:012}-{changeset}-", version.get()))
}

/// The name of its index file has version and changeset, so that neither can be changed alone without being noticed.
fn check_index_key(key: &str, version: Version, changeset: &Hash) -> Result<(), Malformed> {
    match is_index_key_of(key, version, changeset) {
        true => Ok(()),
        false => Err(Malformed(
            "it is of another version or changeset".to_owned(),
            "IndexKey".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::table::cursor::LoadState;

    fn cursor(to: Version, state: LoadState) -> LoadCursor {
        LoadCursor {
            to,
            full: false,
            changeset: Hash::digest(b"second"),
            from: Some(Version::FIRST),
            format: 1,
            done: 7,
            at: 2000,
            by: "a".to_owned(),
            state,
        }
    }

    #[test]
    fn a_cursor_is_void_once_its_target_is_projected() {
        let (first, second) = (Version::FIRST, Version::FIRST.next());
        for (cursor, is_void) in [
            (Some(cursor(second, LoadState::Running)), false),
            (Some(cursor(second, LoadState::OutOfTime)), false),
            (Some(cursor(second, LoadState::Failed)), false),
            (Some(cursor(second, LoadState::Impossible)), false),
            (Some(cursor(first, LoadState::Running)), true),
            (None, true),
        ] {
            let mut head = with(with(committed(), "Projected", 1), "ProjectedAt", 8);
            if let Some(cursor) = &cursor {
                head = with(head, "Cursor", attribute::write(cursor));
            }
            let head = Head::read(head).ok().and_then(|head| head.committed);
            let expect = cursor.filter(|_| !is_void);
            assert_eq!(head.as_ref().and_then(Committed::load), expect.as_ref());
        }
    }

    fn index_key(id: &Hash) -> String {
        format!("indexes/acme/1/000000000002-{id}-0123456789abcdef.index")
    }

    /// The attributes of a head in which none is absent, except for those that a commit does not change.
    fn committed() -> Attributes {
        let id = Hash::digest(b"second");
        let head = json!({
            "V": 2, "ChangesetId": id, "StateHash": id, "SnapshotKey": "s", "IndexKey": index_key(&id), "CommittedAt": 1, "Format": 2, "Categories": 3,
            "Terms": 4, "DefaultCulture": "en-GB", "FallbackChain": ["de-DE"],
            "Cultures": ["de-DE", "en-GB"], "Provenance": {"release": "2026.2", "author": "a", "reason": "r"}, "Detached": true,
            "Source": {"ETag": "e", "VersionId": "", "Sha256": id, "Size": 5, "Culture": "en-GB"},
        });
        head.as_object().cloned().unwrap_or_default()
    }

    fn logged(cause: &str) -> Attributes {
        let id = Hash::digest(b"second");
        let entry = json!({
            "V": 2, "ChangesetId": id, "ParentChangesetId": id, "StateHash": id, "SnapshotKey": "s", "IndexKey": index_key(&id), "ChangesetKey": "c",
            "Cause": cause, "Provenance": {"author": "a"}, "Full": true, "Facts": 1, "CommittedAt": 2,
            "Source": {"ETag": "e", "VersionId": "", "Sha256": id, "Size": 5},
            "Totals": {"Categories": 3, "Terms": 4, "Leaves": 5, "Deprecated": 6, "Added": 7, "Changed": 8, "Removed": 9},
            "Activity": {"Renamed": 10, "Moved": 11, "Deprecated": 12, "Restored": 13, "FinalNames": 14},
        });
        entry.as_object().cloned().unwrap_or_default()
    }

    fn with(mut item: Attributes, name: &str, value: impl Into<Value>) -> Attributes {
        item.insert(name.to_owned(), value.into());
        item
    }

    fn without(mut item: Attributes, name: &str) -> Attributes {
        item.remove(name);
        item
    }

    fn named<T>(read: Result<T, Malformed>) -> Option<String> {
        read.err().map(|Malformed(_, name)| name)
    }

    #[test]
    fn an_attribute_of_a_head_that_is_malformed_is_named() {
        let refused =
            json!({"ETag": "e", "VersionId": "", "Validator": 1, "Code": "c", "Report": "r", "At": 2});
        let id = Hash::digest(b"second");
        let cursor = json!({
            "To": 2, "ChangesetId": id, "From": 0, "Format": 2, "Full": true, "Done": 6, "At": 7, "By": "b", "State": "out-of-time",
        });
        let asked = json!({
            "Id": "1", "Request": {"What": "rollback", "To": 1}, "Onto": 2, "OntoChangesetId": id, "Provenance": {"author": "a"}, "At": 3,
        });
        let answered = json!({"Id": "0", "Answer": {"What": "committed", "Version": 2}, "At": 4});
        let left_alone = [
            ("Projected", json!(1)),
            ("ProjectedAt", json!(8)),
            ("Full", json!(1)),
            ("Cursor", cursor),
            ("Refused", refused),
            ("Asked", asked),
            ("Answered", answered),
        ];
        let left_alone = left_alone.into_iter();
        let head = left_alone.fold(committed(), |head, (name, value)| with(head, name, value));
        let read = Head::read(head.clone()).ok().and_then(|head| head.committed);
        assert_eq!(read.as_ref().map(attribute::write), Some(committed()));
        for name in head.keys() {
            let error = named(Head::read(with(head.clone(), name, vec![true])));
            assert_eq!(error.as_ref(), Some(name));
        }
        for name in ["V", "StateHash", "DefaultCulture", "Source", "Projected"] {
            let error = named(Head::read(without(head.clone(), name)));
            assert_eq!(error.as_deref(), Some(name));
        }
    }

    #[test]
    fn an_attribute_of_a_log_entry_that_is_malformed_is_named() {
        let read = LogEntry::read;
        let check_whole = |entry: Attributes| {
            let written = read(entry.clone()).map(|entry| attribute::write(&entry));
            assert_eq!(written, Ok(entry));
        };
        for cause in ["upload", "configuration", "format", "rebuild"] {
            check_whole(logged(cause));
        }
        check_whole(with(logged("rollback"), "To", 1));
        for name in logged("upload").keys() {
            let error = named(read(with(logged("upload"), name, vec![true])));
            assert_eq!(error.as_ref(), Some(name));
        }
        let check = |item, name| assert_eq!(named(read(item)).as_deref(), Some(name));
        check(logged("lightning"), "Cause");
        check(logged("rollback"), "To");
        check(without(logged("upload"), "Source"), "Source");
        check(without(logged("upload"), "Activity"), "Activity");
        let activity = json!({"Renamed": 10, "Moved": 11, "Deprecated": 12, "Restored": 13});
        check(with(logged("upload"), "Activity", activity), "Activity");
    }
}
