//! Parsing events: S3 notifications in SNS messages, messages of the queues of retries, audits and downloads, and the schedule. Pure.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_store::{Download, Sources};
use taxonomy_versioning::AuditRequest;

use crate::error::ProjectorError;

/// An event, or a record of one, lacks what this function reads.
pub(crate) const INCOMPLETE: ProjectorError =
    ProjectorError::UnknownEvent("the records lack what AWS puts into them");

/// The tasks of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// If any task fails, the whole event is delivered again.
    One(Task),
    /// Only failed messages are delivered again.
    Messages(Vec<QueueMessage>),
}

/// A task.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Reconcile these tenants.
    Reconcile(ChangedTenants),
    /// Sweep: find tenants whose upload event was lost or whose projection is incomplete.
    Sweep(Sweep),
    /// Audit a tenant.
    Audit(TenantId, AuditRequest),
    /// Write a download of a version.
    Download(RequestedDownload),
}

/// A download, with the message that requests it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestedDownload {
    pub(crate) download: Download,
    /// The number of receives of the message, this one included.
    pub(crate) receives: u64,
    /// The time at which it was sent, in epoch milliseconds.
    pub(crate) sent: Option<u64>,
}

/// The tenants of a sweep.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// Those whose projection is behind.
    Behind,
    /// Those of all source objects after this key.
    Sources { after: Option<String> },
    /// All tenants that ever had a version or a configuration, after this one.
    Tenants { after: Option<TenantId> },
    /// The same tenants, to request an audit of each.
    Audits { after: Option<TenantId> },
}

/// Tenants that may have changed, each once, and the other records.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedTenants {
    pub(crate) tenants: BTreeSet<TenantId>,
    pub(crate) ignored: Vec<IgnoredObject>,
    pub(crate) malformed: Vec<MalformedRecord>,
}

/// A record of unknown form, as far as it can be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MalformedRecord {
    /// The id of the SNS message.
    pub(crate) message_id: Option<String>,
    pub(crate) bucket: Option<String>,
    pub(crate) key: Option<String>,
    /// Its beginning.
    pub(crate) text: String,
}

/// An object that is no upload of a tenant's file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IgnoredObject {
    pub(crate) bucket: String,
    /// Decoded.
    pub(crate) key: String,
}

/// The most bytes of a record of unknown form that are kept.
const MAX_RECORD: usize = 500;

/// A message of a queue; without a task if its form is unknown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct QueueMessage {
    pub(crate) id: String,
    /// The body as received.
    pub(crate) body: String,
    pub(crate) task: Option<Task>,
}

/// Returns the tasks of `event`. Ignores objects of other buckets than `bucket`.
///
/// # Errors
/// [`ProjectorError::UnknownEvent`] for an unknown form.
pub(crate) fn parse(event: &Value, bucket: &str) -> Result<Work, ProjectorError> {
    if event["Records"][0]["eventSource"] == "aws:sqs" {
        let messages = records(event)?.iter().map(|record| message(record, bucket));
        return Ok(Work::Messages(messages.collect::<Result<_, _>>()?));
    }
    task(event, bucket).map(Work::One)
}

fn message(record: &Value, bucket: &str) -> Result<QueueMessage, ProjectorError> {
    let body = text(record, "/body")?;
    let attribute = |name: &str| record["attributes"][name].as_str()?.parse().ok();
    let sent = attribute("SentTimestamp");
    let receives = attribute("ApproximateReceiveCount").unwrap_or(1);
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    Ok(QueueMessage {
        id: text(record, "/messageId")?.to_owned(),
        body: body.to_owned(),
        task: parsed.and_then(|body| queued(&body, sent, receives, bucket)),
    })
}

/// An event that arrives directly, or in the payload of an on-failure destination.
fn task(event: &Value, bucket: &str) -> Result<Task, ProjectorError> {
    if event["source"] == "taxonomy.schedule" {
        return match event["detail-type"].as_str() {
            Some("sweep") => Ok(Task::Sweep(Sweep::Behind)),
            Some("sweep-sources") => Ok(Task::Sweep(Sweep::Sources { after: None })),
            Some("audit") => Ok(Task::Sweep(Sweep::Audits { after: None })),
            _ => Err(ProjectorError::UnknownEvent("a schedule of another kind")),
        };
    }
    if event["Records"][0]["EventSource"] == "aws:sns" {
        return Ok(Task::Reconcile(notified(event, bucket)?));
    }
    Err(ProjectorError::UnknownEvent(
        "neither SNS, nor SQS, nor the schedule",
    ))
}

/// Parses a message of a queue, sent at `sent` (epoch milliseconds) and received `receives` times: one that this function sent itself, an event
/// that Lambda gave up (the payload of an on-failure destination), or a notification that SNS could not deliver. `None` for an unknown form.
fn queued(body: &Value, sent: Option<u64>, receives: u64, bucket: &str) -> Option<Task> {
    if let Some(id) = body["tenant"].as_str() {
        return Some(Task::Reconcile(ChangedTenants {
            tenants: BTreeSet::from([id.parse().ok()?]),
            ..ChangedTenants::default()
        }));
    }
    if let Some(id) = body["audit"].as_str() {
        let order = AuditRequest {
            // The time of the queue bounds what the message says: a run of the future would count as the newest one for ever.
            run: body["run"].as_u64().into_iter().chain(sent).min(),
            full: body["full"] == true,
        };
        return Some(Task::Audit(id.parse().ok()?, order));
    }
    if body["download"].is_string() {
        return Some(Task::Download(RequestedDownload {
            download: Download::parse(body)?,
            receives,
            sent,
        }));
    }
    if let Some(kind) = body["sweep"].as_str() {
        // From the beginning, without a key.
        let after = body["after"].as_str().filter(|after| !after.is_empty());
        let tenant = || after.map(str::parse).transpose().ok();
        return Some(Task::Sweep(match kind {
            Sweep::SOURCES => Sweep::Sources {
                after: after.map(str::to_owned),
            },
            Sweep::TENANTS => Sweep::Tenants { after: tenant()? },
            Sweep::AUDITS => Sweep::Audits { after: tenant()? },
            _ => return None,
        }));
    }
    if body["requestPayload"].is_object() {
        return task(&body["requestPayload"], bucket).ok();
    }
    let changed = uploaded(body["Message"].as_str()?, bucket).ok()?;
    Some(Task::Reconcile(changed))
}

impl Sweep {
    /// The name of a sweep of all objects in a message.
    pub(crate) const SOURCES: &str = "sources";
    /// The name of a sweep of all tenants in a message.
    pub(crate) const TENANTS: &str = "tenants";
    /// The name of the fan-out of audits in a message.
    pub(crate) const AUDITS: &str = "audits";
}

fn notified(event: &Value, bucket: &str) -> Result<ChangedTenants, ProjectorError> {
    let mut all = ChangedTenants::default();
    for record in records(event)? {
        let message_id = record["Sns"]["MessageId"].as_str().map(str::to_owned);
        let of_message = |malformed| MalformedRecord {
            message_id: message_id.clone(),
            ..malformed
        };
        match text(record, "/Sns/Message").and_then(|message| uploaded(message, bucket)) {
            Ok(changed) => {
                all.tenants.extend(changed.tenants);
                all.ignored.extend(changed.ignored);
                all.malformed
                    .extend(changed.malformed.into_iter().map(of_message));
            }
            Err(_) => all.malformed.push(of_message(malformed(record))),
        }
    }
    Ok(all)
}

/// Returns the tenants of the objects in an S3 notification. One malformed record loses none of the others.
fn uploaded(message: &str, bucket: &str) -> Result<ChangedTenants, ProjectorError> {
    let message: Value = serde_json::from_str(message)
        .map_err(|_| ProjectorError::UnknownEvent("a notification that is not JSON"))?;
    // S3 sends it when notifications are enabled; it has no records.
    if message["Event"] == "s3:TestEvent" {
        return Ok(ChangedTenants::default());
    }
    let mut all = ChangedTenants::default();
    for record in records(&message)? {
        let Ok((event, object)) = object(record) else {
            all.malformed.push(malformed(record));
            continue;
        };
        let is_upload = event.starts_with("ObjectCreated:") && object.bucket == bucket;
        match Sources::tenant(&object.key).filter(|_| is_upload) {
            Some(tenant) => drop(all.tenants.insert(tenant)),
            None => all.ignored.push(object),
        }
    }
    Ok(all)
}

/// Returns the name of the event of an S3 record, and its object.
fn object(record: &Value) -> Result<(&str, IgnoredObject), ProjectorError> {
    let object = IgnoredObject {
        bucket: text(record, "/s3/bucket/name")?.to_owned(),
        key: decoded(text(record, "/s3/object/key")?),
    };
    Ok((text(record, "/eventName")?, object))
}

/// Returns what the log says of a record of unknown form.
fn malformed(record: &Value) -> MalformedRecord {
    let mut beginning = record.to_string();
    beginning.truncate(beginning.floor_char_boundary(MAX_RECORD));
    MalformedRecord {
        message_id: None,
        bucket: text(record, "/s3/bucket/name").ok().map(str::to_owned),
        key: text(record, "/s3/object/key").ok().map(decoded),
        text: beginning,
    }
}

/// Decodes a key of a notification. S3 form-encodes it: a space is a `+`, all else is percent-encoded.
fn decoded(key: &str) -> String {
    percent_decode_str(&key.replace('+', " "))
        .decode_utf8_lossy()
        .into_owned()
}

/// Returns the records of an envelope. AWS may add members to them; those that this function reads are required.
fn records(event: &Value) -> Result<&[Value], ProjectorError> {
    let records = event["Records"].as_array();
    records.map(Vec::as_slice).ok_or(INCOMPLETE)
}

fn text<'a>(record: &'a Value, pointer: &str) -> Result<&'a str, ProjectorError> {
    let text = record.pointer(pointer).and_then(Value::as_str);
    text.ok_or(INCOMPLETE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BUCKET: &str = "taxonomy-source-123456789012-eu-west-1";

    fn sample(name: &str) -> Value {
        let events = concat!(env!("CARGO_MANIFEST_DIR"), "/../../events/projector");
        let path = format!("{events}/{name}.json");
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn tenants(ids: &[&str]) -> ChangedTenants {
        ChangedTenants {
            tenants: ids.iter().map(|id| id.parse().unwrap()).collect(),
            ..ChangedTenants::default()
        }
    }

    fn looks(ids: &[&str]) -> Task {
        Task::Reconcile(tenants(ids))
    }

    /// The tenants of an event that is no batch of messages.
    #[track_caller]
    fn changed(event: &Value) -> ChangedTenants {
        match parse(event, BUCKET).unwrap() {
            Work::One(Task::Reconcile(changed)) => changed,
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn messages(event: &Value) -> Vec<QueueMessage> {
        match parse(event, BUCKET).unwrap() {
            Work::Messages(messages) => messages,
            other @ Work::One(_) => panic!("{other:?}"),
        }
    }

    /// The task of an event, or of its first message.
    #[track_caller]
    fn first(event: &Value) -> Option<Task> {
        match parse(event, BUCKET).unwrap() {
            Work::One(task) => Some(task),
            Work::Messages(mut messages) => messages.remove(0).task,
        }
    }

    #[track_caller]
    fn download(event: &Value) -> RequestedDownload {
        match first(event) {
            Some(Task::Download(requested)) => requested,
            other => panic!("{other:?}"),
        }
    }

    fn notification(bucket: &str, name: &str, key: &str) -> String {
        let record = json!({"eventName": name, "s3": {"bucket": {"name": bucket}, "object": {"key": key}}});
        json!({ "Records": [record] }).to_string()
    }

    fn check(bucket: &str, name: &str, key: &str, expect: Result<&str, &str>) {
        let expect = match expect {
            Ok(tenant) => tenants(&[tenant]),
            Err(key) => ChangedTenants {
                ignored: vec![IgnoredObject {
                    bucket: bucket.to_owned(),
                    key: key.to_owned(),
                }],
                ..ChangedTenants::default()
            },
        };
        assert_eq!(
            uploaded(&notification(bucket, name, key), BUCKET).unwrap(),
            expect,
            "{bucket} {name} {key}"
        );
    }

    #[test]
    fn the_sample_events_are_understood() {
        let after = Some("taxonomies/job-board.json".to_owned());
        let audit = |run, full| {
            let order = AuditRequest { run: Some(run), full };
            Task::Audit("job-board".parse().unwrap(), order)
        };
        for (name, expected) in [
            ("upload", looks(&["job-board"])),
            ("s3-test-event", looks(&[])),
            ("scheduled", Task::Sweep(Sweep::Behind)),
            ("scheduled-sources", Task::Sweep(Sweep::Sources { after: None })),
            ("scheduled-audit", Task::Sweep(Sweep::Audits { after: None })),
            ("retry-destination", looks(&["job-board"])),
            ("retry-tenant", looks(&["job-board"])),
            ("retry-tried", looks(&["job-board"])),
            ("retry-sweep", Task::Sweep(Sweep::Sources { after })),
            ("audit", audit(1_788_415_970_123, false)),
            ("audit-of-a-run", audit(1_788_415_200_000, false)),
            ("audit-full", audit(1_788_415_970_123, true)),
        ] {
            assert_eq!(first(&sample(name)), Some(expected), "{name}");
        }
        let requested = download(&sample("download"));
        assert_eq!((requested.receives, requested.sent), (1, Some(1_788_415_970_123)));
        let download = requested.download;
        assert_eq!(download.file_name(), "job-board-1-spreadsheet.csv");
        let several = changed(&sample("upload-several"));
        assert!(several.tenants.contains(&"job-board".parse().unwrap()));
    }

    #[test]
    fn only_uploads_of_tenants_files_into_our_bucket_count() {
        let (put, acme) = ("ObjectCreated:Put", "taxonomies/acme.json");
        check(BUCKET, put, acme, Ok("acme"));
        let multipart = "ObjectCreated:CompleteMultipartUpload";
        check(BUCKET, multipart, "taxonomies/a%7Eb.json", Ok("a~b"));
        check("another", put, acme, Err(acme));
        check(BUCKET, "ObjectRemoved:Delete", acme, Err(acme));
        for (key, decoded) in [
            ("taxonomies/a+b.json", "taxonomies/a b.json"),
            ("taxonomies/a%2Fb.json", "taxonomies/a/b.json"),
            ("taxonomies/.json", "taxonomies/.json"),
            ("taxonomies/acme.json.gz", "taxonomies/acme.json.gz"),
            ("taxonomies/acme.JSON", "taxonomies/acme.JSON"),
            ("taxonomies/", "taxonomies/"),
            ("acme.json", "acme.json"),
            ("taxonomies/%FF.json", "taxonomies/\u{fffd}.json"),
        ] {
            check(BUCKET, put, key, Err(decoded));
        }
    }

    #[test]
    fn a_record_of_another_form_is_named_and_hides_no_other() {
        let record = |key: &str| {
            let message: Value =
                serde_json::from_str(&notification(BUCKET, "ObjectCreated:Put", key)).unwrap();
            message["Records"][0].clone()
        };
        let mut odd = record(&"x".repeat(600));
        odd["eventName"] = Value::Null;
        let message = json!({"Records": [record("taxonomies/c.json"), odd, record("taxonomies/acme.json")]})
            .to_string();
        let sns = |id: &str, message: &str| json!({"EventSource": "aws:sns", "Sns": {"MessageId": id, "Message": message}});
        let good = notification(BUCKET, "ObjectCreated:Put", "taxonomies/b.json");
        let event = json!({"Records": [sns("m1", "{"), sns("m2", &message), sns("m3", &good)]});
        let changed = changed(&event);
        assert_eq!(changed.tenants, tenants(&["acme", "b", "c"]).tenants);
        let [whole, cut] = changed.malformed.as_slice() else {
            panic!("{changed:?}")
        };
        let named = (whole.message_id.as_deref(), whole.bucket.as_deref());
        assert_eq!(named, (Some("m1"), None));
        assert!(whole.text.contains(r#""Message":"{""#), "{whole:?}");
        let named = (cut.message_id.as_deref(), cut.bucket.as_deref());
        assert_eq!(named, (Some("m2"), Some(BUCKET)));
        assert_eq!(cut.key.as_deref(), Some(&*"x".repeat(600)));
        assert_eq!(cut.text.len(), 500, "{cut:?}");
    }

    #[test]
    fn the_time_of_the_queue_bounds_the_run_that_a_message_names() {
        let run = |body: &str, sent: Option<u64>| {
            let body = serde_json::from_str(body).unwrap();
            match queued(&body, sent, 1, BUCKET) {
                Some(Task::Audit(_, order)) => order.run,
                other => panic!("{other:?}"),
            }
        };
        for (body, sent, expect) in [
            (r#"{"audit":"acme","run":9007199254740992}"#, Some(7), Some(7)),
            (r#"{"audit":"acme","run":5}"#, Some(7), Some(5)),
            (r#"{"audit":"acme"}"#, Some(7), Some(7)),
            (r#"{"audit":"acme"}"#, None, None),
        ] {
            assert_eq!(run(body, sent), expect, "{body}");
        }
    }

    #[test]
    fn a_message_of_another_form_is_known_by_its_id_and_one_without_attributes_received_once() {
        let event = json!({"Records": [{"eventSource": "aws:sqs", "messageId": "m1", "body": "{}"}, {"eventSource": "aws:sqs", "messageId": "m2", "body": "{\"tenant\":\"acme\"}"}]});
        let messages = messages(&event);
        let odd = &messages[0];
        assert_eq!((&*odd.id, &*odd.body, &odd.task), ("m1", "{}", &None));
        assert_eq!(messages[1].task, Some(looks(&["acme"])));
        let mut event = sample("download");
        event["Records"][0]["attributes"] = Value::Null;
        let requested = download(&event);
        assert_eq!((requested.receives, requested.sent), (1, None));
    }

    #[test]
    fn an_event_of_another_form_is_an_error() {
        for event in [
            "{}",
            "null",
            r#"{"Records":[]}"#,
            r#"{"Records":[{"eventSource":"aws:s3"}]}"#,
            r#"{"source":"aws.ec2"}"#,
            r#"{"source":"taxonomy.schedule","detail-type":"tidy"}"#,
        ] {
            let value = serde_json::from_str(event).unwrap();
            assert!(parse(&value, BUCKET).is_err(), "{event}");
        }
    }
}
