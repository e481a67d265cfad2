//! The notifications of writes.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::http::written_at;
use super::object::Object;

/// The characters that are escaped in the key of a notification; a space becomes `+`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*')
    .remove(b'/')
    .remove(b' ');

/// Returns `ObjectCreated:Put` as S3 sends it.
pub(super) fn object_created(bucket: &str, key: &str, object: &Object) -> Value {
    json!({"Records": [{
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": "eu-west-1",
        "eventTime": written_at(object.sequence).0,
        "eventName": "ObjectCreated:Put",
        "userIdentity": {"principalId": "AWS:TESTKIT"},
        "requestParameters": {"sourceIPAddress": "127.0.0.1"},
        "responseElements": {"x-amz-request-id": "TESTKIT", "x-amz-id-2": "TESTKIT"},
        "s3": {
            "s3SchemaVersion": "1.0",
            "configurationId": "testkit",
            "bucket": {"name": bucket, "ownerIdentity": {"principalId": "TESTKIT"}, "arn": format!("arn:aws:s3:::{bucket}")},
            "object": {
                "key": utf8_percent_encode(key, ENCODED).to_string().replace(' ', "+"),
                "size": object.size(),
                "eTag": object.etag.trim_matches('"'),
                "versionId": object.version_id,
                "sequencer": format!("{:018X}", object.sequence),
            },
        },
    }]})
}

/// Returns the event of a function that SNS invokes: one record per message, such as the notifications of
/// [`S3Fake::event`](super::S3Fake::event).
pub fn sns_event(messages: &[Value]) -> Value {
    let records = messages.iter().enumerate().map(|(index, message)| {
        json!({
            "EventVersion": "1.0",
            "EventSource": "aws:sns",
            "EventSubscriptionArn": "arn:aws:sns:eu-west-1:123456789012:taxonomy-source:subscription",
            "Sns": {
                "Type": "Notification",
                "MessageId": format!("00000000-0000-4000-8000-{index:012}"),
                "TopicArn": "arn:aws:sns:eu-west-1:123456789012:taxonomy-source",
                "Subject": "Amazon S3 Notification",
                "Message": message.to_string(),
                "Timestamp": "2026-01-01T00:00:00.000Z",
                "SignatureVersion": "1",
                "Signature": "TESTKIT",
                "SigningCertUrl": "https://sns.eu-west-1.amazonaws.com/testkit.pem",
                "UnsubscribeUrl": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
                "MessageAttributes": {},
            },
        })
    });
    json!({"Records": records.collect::<Vec<_>>()})
}
