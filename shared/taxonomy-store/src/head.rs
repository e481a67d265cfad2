//! The head of a tenant, and the log of its versions. Attribute names are the storage format
//! (docs/decisions/0001-table.md).

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, Version, version_or_zero};
use taxonomy_model::attribute::{self, Attributes, Malformed};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance, Settings, Totals};

use crate::cursor::Cursor;
use crate::log_parts;

/// The state of a tenant besides its configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The newest version; `None` before the first valid upload.
    pub committed: Option<Committed>,
    /// The last refused upload, so that the same object is not ingested twice.
    pub refused: Option<Refusal>,
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
    /// Whether it is a full version.
    #[serde(default)]
    pub full: bool,
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
    /// The progress of the load of the version.
    pub cursor: Option<Cursor>,
    /// The time at which the next message for the tenant in the retry queue becomes visible, in epoch milliseconds; 0 where none is known.
    #[serde(default, skip_serializing)]
    pub follow_up_at: u64,
}

impl Committed {
    /// Whether the table is exactly at this version.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.projected == Some(self.version)
    }

    /// Returns the progress of a load with this projection format; `None` where the cursor is void.
    #[must_use]
    pub fn resumes(&self, format: u64) -> Option<&Cursor> {
        self.cursor.as_ref().filter(|cursor| {
            cursor.changeset == self.changeset && cursor.from == self.projected && cursor.format == format
        })
    }

    /// Returns the time of the commit or of the load's last heartbeat, whichever is later.
    #[must_use]
    pub fn last_moved(&self) -> u64 {
        let noted = self.cursor.as_ref().map_or(0, |cursor| cursor.at);
        self.committed_at.max(noted)
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
        let refused = attribute::get(&attributes, "Refused")?;
        let is_committed = attribute::get::<u64>(&attributes, "V")? != 0;
        let committed = is_committed.then(|| attribute::read(attributes)).transpose()?;
        Ok(Self { committed, refused })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cursor::LoadState;

    fn head(cursor: impl Into<Option<Cursor>>) -> Committed {
        Committed {
            version: Version::FIRST.next(),
            changeset: Hash::of(b"second"),
            state: Hash::of(b"state"),
            snapshot_key: String::new(),
            index_key: String::new(),
            committed_at: 1000,
            format: 1,
            settings: Settings {
                default_culture: "en-GB".parse().unwrap_or_else(|_| unreachable!()),
                fallback_chain: Vec::new(),
            },
            cultures: Vec::new(),
            categories: 0,
            terms: 0,
            provenance: Provenance::default(),
            full: false,
            source: SourceStamp {
                etag: String::new(),
                version_id: String::new(),
                sha256: Hash::of(b""),
                size: 0,
                culture: None,
            },
            detached: false,
            projected: Some(Version::FIRST),
            projected_at: 0,
            cursor: cursor.into(),
            follow_up_at: 0,
        }
    }

    #[test]
    fn a_cursor_holds_for_its_changeset_start_and_format_alone() {
        let cursor = Cursor {
            changeset: Hash::of(b"second"),
            from: Some(Version::FIRST),
            format: 1,
            done: 7,
            at: 2000,
            by: "a".to_owned(),
            state: LoadState::OutOfTime,
        };
        assert_eq!(head(cursor.clone()).last_moved(), 2000);
        let done = |cursor: Cursor, format| head(cursor).resumes(format).map(|cursor| cursor.done);
        assert_eq!(done(cursor.clone(), 1), Some(7));
        assert_eq!(done(cursor.clone(), 2), None);
        let of_another = Cursor {
            changeset: Hash::of(b"first"),
            ..cursor.clone()
        };
        assert_eq!(done(of_another, 1), None);
        let from_nothing = Cursor { from: None, ..cursor };
        assert_eq!(done(from_nothing, 1), None);
    }
    /// The attributes of a head in which none is absent, except for those that a commit does not change.
    fn committed() -> Attributes {
        let id = Hash::of(b"second");
        let head = json!({
            "V": 2, "ChangesetId": id, "StateHash": id, "SnapshotKey": "s", "IndexKey": "i", "CommittedAt": 1, "Format": 2, "Categories": 3,
            "Terms": 4, "DefaultCulture": "en-GB", "FallbackChain": ["de-DE"],
            "Cultures": ["de-DE", "en-GB"], "Provenance": {"release": "2026.2", "author": "a", "reason": "r"}, "Full": true, "Detached": true,
            "Source": {"ETag": "e", "VersionId": "", "Sha256": id, "Size": 5, "Culture": "en-GB"},
            "Cursor": {"ChangesetId": id, "From": 0, "Format": 2, "Done": 6, "At": 7, "By": "b", "State": "out-of-time"},
        });
        head.as_object().cloned().unwrap_or_default()
    }

    fn logged(cause: &str) -> Attributes {
        let id = Hash::of(b"second");
        let entry = json!({
            "V": 2, "ChangesetId": id, "ParentChangesetId": id, "StateHash": id, "SnapshotKey": "s", "IndexKey": "i", "ChangesetKey": "c",
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
        let left_alone = [("Projected", 1), ("ProjectedAt", 8), ("FollowUpAt", 9)];
        let times = left_alone.into_iter();
        let head = times.fold(committed(), |head, (name, value)| with(head, name, value));
        let head = with(head, "Refused", refused);
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
        let read = attribute::read::<LogEntry>;
        for cause in ["upload", "configuration", "format", "rebuild"] {
            assert_eq!(
                read(logged(cause)).map(|entry| attribute::write(&entry)),
                Ok(logged(cause))
            );
        }
        let rollback = with(logged("rollback"), "To", 1);
        assert_eq!(
            read(rollback.clone()).map(|entry| attribute::write(&entry)),
            Ok(rollback)
        );
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
