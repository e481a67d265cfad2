//! Requests that are too long, or in a format that no route reads.

use serde_json::json;

use crate::stack::Stack;

const BATCH: &str = "/v1/tenants/acme/terms:batchGet";

#[tokio::test]
async fn a_query_has_at_most_8_kib() {
    let stack = Stack::new().await;
    let target = |bytes: usize| format!("/v1/tenants/acme/terms/101?q={}", "x".repeat(bytes - "q=".len()));
    stack.get(&target(8 * 1024)).await.found();
    stack.requests();
    let refused = stack.get(&target(8 * 1024 + 1)).await;
    assert_eq!(refused.refused(), "414 uri-too-long /query");
    assert_eq!(stack.requests(), [""; 0]);
}

#[tokio::test]
async fn a_body_is_json_by_its_content_type_or_has_none() {
    let stack = Stack::new().await;
    let post = async |content_type: &str, body: Option<&str>| {
        let mut event = stack.event_of("POST", BATCH, None, body);
        event["headers"]["content-type"] = json!(content_type);
        stack.send(event).await
    };
    let body = Some(r#"{"ids":[101]}"#);
    for content_type in ["application/json", "application/json; charset=utf-8"] {
        post(content_type, body).await.found();
    }
    for content_type in ["application/x-www-form-urlencoded", "text/plain"] {
        let refused = post(content_type, body).await;
        assert_eq!(refused.refused(), "415 unsupported-media-type", "{content_type}");
        assert_eq!(refused.headers["accept"], "application/json");
    }
    let empty = post("application/octet-stream", None).await;
    assert_eq!(empty.refused(), "400 invalid-body /body", "nothing has no type");
}
