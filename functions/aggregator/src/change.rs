//! The meaning of a stream record. Pure.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{ItemKey, TenantId, Version};
use taxonomy_model::attribute::{Attributes, get};
use taxonomy_store::Refusal;

use crate::record::{StreamRecord, attributes};

/// A record of the stream that changes a head.
#[derive(Debug)]
pub(crate) struct HeadRecord {
    pub(crate) change: HeadChange,
    /// The time of the change in epoch milliseconds; `None` where the record has none.
    pub(crate) recorded_at: Option<u64>,
    pub(crate) sequence_number: String,
}

/// The change of a head: one of the two, since no write of the service makes both, but this code does not rely on that. Its serialized form is
/// part of a deferred record (docs/decisions/0011-isolation.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeadChange {
    pub(crate) tenant: TenantId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) committed: Option<CommittedVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<RefusedUpload>,
}

/// A version was committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommittedVersion {
    pub(crate) version: Version,
    /// The commit time, in epoch milliseconds.
    pub(crate) at: u64,
}

/// An upload was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefusedUpload {
    /// The version that stays; 0 without one.
    pub(crate) version: u64,
    pub(crate) etag: String,
    /// Empty in a bucket without versions.
    pub(crate) version_id: String,
    pub(crate) validator: u64,
    pub(crate) defaults: String,
    pub(crate) code: String,
    #[serde(rename = "report")]
    pub(crate) report_key: String,
    /// Epoch milliseconds.
    pub(crate) at: u64,
}

/// Returns a record that changes a head; `None` for other items, deleted ones, and heads with the same version and no new refusal.
/// The stream's filter passes heads only; the code holds without the filter too, and never reads the images of other items.
pub(crate) fn head(event_name: &str, record: StreamRecord) -> Option<HeadRecord> {
    let keys = attributes(&record.keys);
    let key = ItemKey::parse(get(&keys, "PK").ok()?, get(&keys, "SK").ok()?);
    let tenant = match key {
        Ok(ItemKey::Head { tenant }) if event_name != "REMOVE" => tenant,
        Ok(_) | Err(_) => return None,
    };
    let (old, new) = (attributes(&record.old_image), attributes(&record.new_image));
    let (committed, refused) = (committed(&old, &new), refused(&old, &new));
    (committed.is_some() || refused.is_some()).then(|| HeadRecord {
        change: HeadChange {
            tenant,
            committed,
            refused,
        },
        recorded_at: record.recorded_at(),
        sequence_number: record.sequence_number,
    })
}

/// Groups records by tenant, each with its position; the tenants in the order of their first records.
pub(crate) fn by_tenant(heads: &[HeadRecord]) -> Vec<Vec<(usize, &HeadRecord)>> {
    let mut tenants: Vec<Vec<(usize, &HeadRecord)>> = Vec::new();
    for positioned in heads.iter().enumerate() {
        let tenant = &positioned.1.change.tenant;
        let same = tenants
            .iter_mut()
            .find(|others| others[0].1.change.tenant == *tenant);
        match same {
            Some(others) => others.push(positioned),
            None => tenants.push(vec![positioned]),
        }
    }
    tenants
}

fn committed(old: &Attributes, new: &Attributes) -> Option<CommittedVersion> {
    let version = |image| get::<Version>(image, "V").ok();
    let (before, version) = (version(old), version(new)?);
    (before != Some(version)).then(|| CommittedVersion {
        version,
        at: get(new, "CommittedAt").unwrap_or(0),
    })
}

/// Returns a refusal that the head did not have before. The same object refused again under the same rules is no change.
fn refused(old: &Attributes, new: &Attributes) -> Option<RefusedUpload> {
    let (old, new) = (refusal(old), refusal(new)?);
    let same = |old: &RefusedUpload| {
        old.etag == new.etag
            && old.version_id == new.version_id
            && old.validator == new.validator
            && old.defaults == new.defaults
    };
    (!old.as_ref().is_some_and(same)).then_some(new)
}

/// Parses the refusal of a head. A map without the members of every refusal was not written by this service; another delivery would not
/// change that.
fn refusal(image: &Attributes) -> Option<RefusedUpload> {
    let refusal: Refusal = get(image, "Refused").ok()?;
    Some(RefusedUpload {
        version: get(image, "V").unwrap_or(0),
        etag: refusal.etag,
        version_id: refusal.version_id,
        validator: refusal.validator,
        defaults: refusal.defaults,
        code: refusal.code,
        report_key: refusal.report_key,
        at: refusal.at,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::record::{Batch, EventRecord, RecordKind};

    pub(crate) fn refused() -> RefusedUpload {
        RefusedUpload {
            version: 1,
            etag: "0123".to_owned(),
            version_id: "v7".to_owned(),
            validator: 1,
            defaults: "||en-GB|50%20".to_owned(),
            code: "mass-removal".to_owned(),
            report_key: "reports/acme/0123.json".to_owned(),
            at: 3000,
        }
    }

    pub(crate) fn committed(tenant: &str, version: u64, at: u64) -> HeadChange {
        let version = Version::new(version).unwrap();
        HeadChange {
            tenant: tenant.parse().unwrap(),
            committed: Some(CommittedVersion { version, at }),
            refused: None,
        }
    }

    fn changes(sample: &str) -> Vec<Option<HeadChange>> {
        let events = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/aggregator");
        let path = format!("{events}/{sample}.json");
        let batch: Batch = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let records = batch.records.into_iter().map(|record| match record.kind() {
            RecordKind::Stream(head) => head.map(|head| head.change),
            other => panic!("{sample}: {other:?}"),
        });
        records.collect()
    }

    #[test]
    fn the_sample_events_are_understood() {
        let first = committed("job-board", 1, 1_788_415_961_000);
        assert_eq!(changes("head-committed"), [Some(first.clone())]);
        assert_eq!(changes("own-write"), [None]);
        assert!(changes("mixed-batch").contains(&None));
        let refused = RefusedUpload {
            etag: "9e107d9d372bb6826bd81d3542a419d6".to_owned(),
            version_id: "3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY".to_owned(),
            report_key: "reports/job-board/9e107d9d372bb6826bd81d3542a419d6.json".to_owned(),
            at: 1_788_416_021_407,
            ..refused()
        };
        let expect = HeadChange {
            committed: None,
            refused: Some(refused),
            ..first
        };
        assert_eq!(changes("head-refused"), [Some(expect)]);
    }

    fn head(name: &str, old: &Value, new: &Value) -> Option<HeadChange> {
        let record = json!({"eventName": name, "dynamodb": {"SequenceNumber": "1", "Keys": {"PK": {"S": "TAXONOMY#job-board"}, "SK": {"S": "HEAD"}}, "OldImage": old, "NewImage": new}});
        let record: EventRecord = serde_json::from_value(record).unwrap();
        match record.kind() {
            RecordKind::Stream(head) => head.map(|head| head.change),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_another_version_is_a_change() {
        let head = |name: &str, old: Option<u64>, new: Option<u64>| {
            let image = |version: Option<u64>| match version {
                Some(version) => json!({"V": {"N": version.to_string()}}),
                None => Value::Null,
            };
            head(name, &image(old), &image(new))
        };
        for (name, old, new, expect) in [
            ("MODIFY", Some(0), Some(1), Some(committed("job-board", 1, 0))),
            ("MODIFY", Some(1), Some(2), Some(committed("job-board", 2, 0))),
            ("INSERT", None, Some(1), Some(committed("job-board", 1, 0))),
            // Its load ended.
            ("MODIFY", Some(1), Some(1), None),
            ("INSERT", None, Some(0), None),
            ("INSERT", None, None, None),
            ("REMOVE", Some(1), None, None),
            ("REMOVE", Some(1), Some(2), None),
        ] {
            assert_eq!(head(name, old, new), expect, "{name} {old:?} {new:?}");
        }
    }

    #[test]
    fn only_a_refusal_that_was_not_there_is_a_change() {
        let refusal = |etag: &str, defaults: &str, at: u64| {
            let mut map = json!({"ETag": {"S": etag}, "VersionId": {"S": "v"}, "Validator": {"N": "1"}, "Code": {"S": "not-json"}, "Report": {"S": "reports/x"}, "At": {"N": at.to_string()}});
            if !defaults.is_empty() {
                map["Defaults"] = json!({"S": defaults});
            }
            json!({"V": {"N": "0"}, "Refused": {"M": map}})
        };
        let (none, first) = (Value::Null, refusal("a", "d", 1));
        let foreign = json!({"Refused": {"M": {"ETag": {"S": "a"}}}});
        for (old, new, expect) in [
            (&none, &first, Some("a")),
            (&first, &refusal("b", "d", 2), Some("b")),
            (&first, &refusal("a", "e", 2), Some("a")),
            (&refusal("a", "", 1), &first, Some("a")),
            // Refused once more, forgotten, and of another form.
            (&first, &refusal("a", "d", 2), None),
            (&first, &none, None),
            (&none, &foreign, None),
        ] {
            let refused = head("MODIFY", old, new).and_then(|change| change.refused);
            let etag = refused.map(|refused| refused.etag);
            assert_eq!(etag.as_deref(), expect, "{old} {new}");
        }
    }
}
