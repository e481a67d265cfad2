//! The notifications of writes, as the sample event of the projector has them.

use std::sync::LazyLock;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::http::written_at;
use super::object::Object;
use crate::sample;

/// The characters that are escaped in the key of a notification; a space becomes `+`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*')
    .remove(b'/')
    .remove(b' ');

/// A record of a message of SNS.
static RECORD: LazyLock<Value> =
    LazyLock::new(|| sample(include_str!("../../../../events/projector/upload.json")));

/// The notification in it.
static NOTIFICATION: LazyLock<Value> = LazyLock::new(|| {
    let message = RECORD["Sns"]["Message"].as_str();
    let notification = message.and_then(|message| serde_json::from_str(message).ok());
    notification.expect("the message is a notification")
});

/// Returns `ObjectCreated:Put` as S3 sends it.
pub(super) fn object_created(bucket: &str, key: &str, object: &Object) -> Value {
    let mut notification = NOTIFICATION.clone();
    let record = &mut notification["Records"][0];
    record["eventTime"] = json!(written_at(object.sequence).0);
    record["s3"]["bucket"]["name"] = json!(bucket);
    record["s3"]["bucket"]["arn"] = json!(format!("arn:aws:s3:::{bucket}"));
    record["s3"]["object"] = json!({
        "key": utf8_percent_encode(key, ENCODED).to_string().replace(' ', "+"),
        "size": object.size(),
        "eTag": object.etag.trim_matches('"'),
        "versionId": object.version_id,
        "sequencer": format!("{:018X}", object.sequence),
    });
    notification
}

/// Returns the event of a function that SNS invokes: one record per message, such as the notifications of
/// [`S3Fake::event`](super::S3Fake::event).
pub fn sns_event(messages: &[Value]) -> Value {
    let records = messages.iter().enumerate().map(|(index, message)| {
        let mut record = RECORD.clone();
        record["Sns"]["MessageId"] = json!(format!("00000000-0000-4000-8000-{index:012}"));
        record["Sns"]["Message"] = json!(message.to_string());
        record
    });
    json!({"Records": records.collect::<Vec<_>>()})
}
