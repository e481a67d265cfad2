//! The messages of the events topic: CloudEvents 1.0 as JSON, in structured mode. Pure. The bytes are the message format
//! (docs/decisions/0030-notifications.md, docs/notification.schema.json).

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::{DateTimeFormatError, Format};
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance};
use taxonomy_store::LogEntry;

use crate::change::RefusedUpload;
use crate::source::EventSource;

/// The version of CloudEvents.
const SPEC_VERSION: &str = "1.0";

const CONTENT_TYPE: &str = "application/json";

/// A kind of event. A change of its data that is not compatible gets another name and another schema.
struct EventType {
    name: &'static str,
    /// The part of the published schema that describes the data.
    data_schema: &'static str,
}

const PUBLISHED: EventType = EventType {
    name: "taxonomy.published.v1",
    data_schema: "urn:uuid:0b2a4d57-5d0c-4c3e-9a57-2f6b1a3f9c44#published",
};

const REJECTED: EventType = EventType {
    name: "taxonomy.rejected.v1",
    data_schema: "urn:uuid:0b2a4d57-5d0c-4c3e-9a57-2f6b1a3f9c44#rejected",
};

/// The names that every notification of a stack contains.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) source: EventSource,
    /// The bucket of changesets and reports.
    pub(crate) bucket: String,
}

/// A message, and the type by which subscriptions filter it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Notification {
    pub(crate) kind: &'static str,
    /// The id, the same in every delivery of one event.
    pub(crate) id: String,
    pub(crate) message: String,
}

/// A notification that cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotificationError {
    /// The time is out of range.
    #[error("the time is out of range")]
    Time(#[from] DateTimeFormatError),
    /// The event cannot be encoded as JSON.
    #[error("the event cannot be serialized")]
    Json(#[from] serde_json::Error),
}

/// The attributes of an event, with the names of CloudEvents.
#[derive(Serialize)]
struct CloudEvent<'a, T> {
    specversion: &'static str,
    id: &'a str,
    source: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    subject: &'a str,
    time: String,
    datacontenttype: &'static str,
    dataschema: &'static str,
    data: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PublishedData<'a> {
    tenant: &'a str,
    from: u64,
    to: u64,
    cause: &'a Cause,
    totals: PublishedTotals,
    changes: Changes,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
    changeset: ChangesetAt<'a>,
    committed_at: u64,
}

#[derive(Serialize)]
struct PublishedTotals {
    categories: u64,
    terms: u64,
    leaves: u64,
    deprecated: u64,
}

#[derive(Serialize)]
struct ChangesetAt<'a> {
    bucket: &'a str,
    key: &'a str,
    id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RejectedData<'a> {
    tenant: &'a str,
    version: u64,
    etag: &'a str,
    version_id: &'a str,
    code: &'a str,
    report: ReportAt<'a>,
    at: u64,
}

#[derive(Serialize)]
struct ReportAt<'a> {
    bucket: &'a str,
    key: &'a str,
}

/// Builds the event of a version from its log entry.
pub(crate) fn published(
    origin: &Origin,
    tenant: &TenantId,
    entry: &LogEntry,
) -> Result<Notification, NotificationError> {
    let totals = entry.totals;
    let data = PublishedData {
        tenant: tenant.as_str(),
        from: entry.version.get() - 1,
        to: entry.version.get(),
        cause: &entry.cause,
        totals: PublishedTotals {
            categories: totals.categories,
            terms: totals.terms,
            leaves: totals.leaves,
            deprecated: totals.deprecated,
        },
        changes: entry.changes,
        provenance: &entry.provenance,
        changeset: ChangesetAt {
            bucket: &origin.bucket,
            key: &entry.changeset_key,
            id: entry.changeset.as_str(),
        },
        committed_at: entry.committed_at,
    };
    let id = format!("published-{}", entry.changeset);
    notification(origin, &PUBLISHED, id, tenant, entry.committed_at, data)
}

/// Builds the event of a refused upload.
pub(crate) fn rejected(
    origin: &Origin,
    tenant: &TenantId,
    refused: &RefusedUpload,
) -> Result<Notification, NotificationError> {
    let data = RejectedData {
        tenant: tenant.as_str(),
        version: refused.version,
        etag: &refused.etag,
        version_id: &refused.version_id,
        code: &refused.code,
        report: ReportAt {
            bucket: &origin.bucket,
            key: &refused.report_key,
        },
        at: refused.at,
    };
    // No part contains a line feed, so no two refusals have the same text.
    let identity = format!(
        "{tenant}\n{}\n{}\n{}\n{}",
        refused.etag, refused.version_id, refused.validator, refused.defaults
    );
    let id = format!("rejected-{}", Hash::digest(identity.as_bytes()));
    notification(origin, &REJECTED, id, tenant, refused.at, data)
}

fn notification<T: Serialize>(
    origin: &Origin,
    event_type: &EventType,
    id: String,
    tenant: &TenantId,
    at: u64,
    data: T,
) -> Result<Notification, NotificationError> {
    let message = serde_json::to_string(&CloudEvent {
        specversion: SPEC_VERSION,
        id: &id,
        source: origin.source.as_str(),
        kind: event_type.name,
        subject: tenant.as_str(),
        time: rfc3339(at)?,
        datacontenttype: CONTENT_TYPE,
        dataschema: event_type.data_schema,
        data,
    })?;
    Ok(Notification {
        kind: event_type.name,
        id,
        message,
    })
}

/// Formats epoch milliseconds in UTC. A number beyond `i64` is out of range as well.
fn rfc3339(epoch_ms: u64) -> Result<String, DateTimeFormatError> {
    let epoch_ms = i64::try_from(epoch_ms).unwrap_or(i64::MAX);
    DateTime::from_millis(epoch_ms).fmt(Format::DateTime)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::change::tests::refused;

    fn origin() -> Origin {
        Origin {
            source: "/taxonomy/eu-west-1/test".parse().unwrap(),
            bucket: "changesets".to_owned(),
        }
    }

    fn entry() -> LogEntry {
        let [a, b, c] = ["a", "b", "c"].map(|digit| digit.repeat(64));
        let entry = json!({
            "V": 3, "ChangesetId": a, "ParentChangesetId": b, "StateHash": c, "SnapshotKey": "s", "Cause": "rollback", "To": 1,
            "IndexKey": format!("indexes/acme/1/000000000003-{a}-0123456789abcdef.index"), "Full": true, "Facts": 0,
            "ChangesetKey": "changesets/acme/000000000003-a.json.zst", "CommittedAt": 1_767_225_600_050_u64,
            "Provenance": {"release": "the release", "reason": "the reason"},
            "Totals": {"Categories": 2, "Terms": 5, "Leaves": 3, "Deprecated": 1, "Added": 1, "Changed": 2, "Removed": 3},
            "Activity": {"Renamed": 4, "Moved": 5, "Deprecated": 6, "Restored": 7, "FinalNames": 8},
        });
        LogEntry::read(entry.as_object().cloned().unwrap()).unwrap()
    }

    #[test]
    fn a_published_version_is_these_bytes_and_a_moment_beyond_the_calendar_refused() {
        let sent = published(&origin(), &"acme".parse().unwrap(), &entry()).unwrap();
        let hash = "a".repeat(64);
        let id = format!("published-{hash}");
        let message = format!(
            "{{\"specversion\":\"1.0\",\"id\":\"{id}\",\"source\":\"/taxonomy/eu-west-1/test\",\"type\":\"taxonomy.published.v1\",\
             \"subject\":\"acme\",\"time\":\"2026-01-01T00:00:00.05Z\",\"datacontenttype\":\"application/json\",\
             \"dataschema\":\"urn:uuid:0b2a4d57-5d0c-4c3e-9a57-2f6b1a3f9c44#published\",\
             \"data\":{{\"tenant\":\"acme\",\"from\":2,\"to\":3,\"cause\":{{\"kind\":\"rollback\",\"to\":1}},\
             \"totals\":{{\"categories\":2,\"terms\":5,\"leaves\":3,\"deprecated\":1}},\
             \"changes\":{{\"added\":1,\"changed\":2,\"removed\":3,\"renamed\":4,\"moved\":5,\"deprecated\":6,\"restored\":7,\"finalNames\":8}},\
             \"provenance\":{{\"release\":\"the release\",\"reason\":\"the reason\"}},\
             \"changeset\":{{\"bucket\":\"changesets\",\"key\":\"changesets/acme/000000000003-a.json.zst\",\"id\":\"{hash}\"}},\
             \"committedAt\":1767225600050}}}}"
        );
        assert_eq!((sent.kind, sent.id), ("taxonomy.published.v1", id));
        assert_eq!(sent.message, message);
        let beyond = LogEntry {
            committed_at: u64::MAX,
            ..entry()
        };
        let sent = published(&origin(), &"acme".parse().unwrap(), &beyond);
        assert!(matches!(sent, Err(NotificationError::Time(_))), "{sent:?}");
    }

    #[test]
    fn a_refused_upload_is_these_bytes() {
        let sent = rejected(&origin(), &"acme".parse().unwrap(), &refused()).unwrap();
        // printf 'acme\n0123\nv7\n1\n||en-GB|50%%20' | sha256sum
        let id = "rejected-d08ec1fe515d73bc82559705ab6632a69466aa279be7508efb7216b6b2780856";
        let message = format!(
            "{{\"specversion\":\"1.0\",\"id\":\"{id}\",\"source\":\"/taxonomy/eu-west-1/test\",\"type\":\"taxonomy.rejected.v1\",\
             \"subject\":\"acme\",\"time\":\"1970-01-01T00:00:03Z\",\"datacontenttype\":\"application/json\",\
             \"dataschema\":\"urn:uuid:0b2a4d57-5d0c-4c3e-9a57-2f6b1a3f9c44#rejected\",\
             \"data\":{{\"tenant\":\"acme\",\"version\":1,\"etag\":\"0123\",\"versionId\":\"v7\",\"code\":\"mass-removal\",\
             \"report\":{{\"bucket\":\"changesets\",\"key\":\"reports/acme/0123.json\"}},\"at\":3000}}}}"
        );
        assert_eq!(sent.id, id);
        assert_eq!((sent.kind, sent.message), ("taxonomy.rejected.v1", message));
    }

    #[test]
    fn what_a_refusal_is_known_by_is_in_its_id_and_nothing_else() {
        let id = |tenant: &str, refused: &RefusedUpload| {
            rejected(&origin(), &tenant.parse().unwrap(), refused).unwrap().id
        };
        let same = id("acme", &refused());
        let told_again = RefusedUpload {
            at: 9,
            version: 2,
            ..refused()
        };
        assert_eq!(id("acme", &told_again), same);
        assert_ne!(id("acme2", &refused()), same);
        let changes: [fn(&mut RefusedUpload); 4] = [
            |other| other.etag = "4567".to_owned(),
            |other| other.version_id = "v8".to_owned(),
            |other| other.validator = 2,
            |other| other.defaults = "fr-FR||en-GB|50%20".to_owned(),
        ];
        for change in changes {
            let mut other = refused();
            change(&mut other);
            assert_ne!(id("acme", &other), same, "{other:?}");
        }
    }
}
