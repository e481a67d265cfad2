//! The events of the projector: any event names valid tenants or none, and an envelope around any text is as harmless as the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use projector::fuzzing::named;
use serde_json::{Value, json};
use taxonomy_keys::TenantId;

/// The bucket in `events/projector`.
const BUCKET: &str = "taxonomy-source-123456789012-eu-west-1";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(event) = serde_json::from_slice::<Value>(bytes) {
        check(&event);
        check(&json!({"Records": [{"eventSource": "aws:sqs", "messageId": "m", "body": event.to_string()}]}));
    }
    let text = String::from_utf8_lossy(bytes);
    check(&json!({"Records": [{"EventSource": "aws:sns", "Sns": {"Message": text}}]}));
    // Keys are where foreign text gets furthest.
    let object = json!({"eventName": "ObjectCreated:Put", "s3": {"bucket": {"name": BUCKET}, "object": {"key": text}}});
    let message = json!({"Records": [object]}).to_string();
    check(&json!({"Records": [{"EventSource": "aws:sns", "Sns": {"Message": message}}]}));
});

fn check(event: &Value) {
    for tenant in named(event, BUCKET) {
        assert_eq!(tenant.as_str().parse::<TenantId>(), Ok(tenant.clone()));
    }
}
