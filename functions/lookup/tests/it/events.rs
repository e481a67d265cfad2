//! The sample payloads of `events/lookup` over the samples, as `sam local invoke` sends them.

use serde_json::{Value, json};

use crate::stack::Stack;

const V1: &str = include_str!("../../../../samples/job-board-v1.json");
const V2: &str = include_str!("../../../../samples/job-board-v2.json");

async fn invoke(name: &str) -> crate::stack::Got {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish("job-board", &[V1, V2]).await;
    let path = format!("{}/../../events/lookup/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let event: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    stack.send(event).await
}

#[tokio::test]
async fn a_term() {
    let term = invoke("term").await.found();
    assert_eq!(
        (&term["id"], &term["finalName"]),
        (&json!(113), &json!("Sector:Rust development"))
    );
    assert_eq!(term["ancestors"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_term_in_french() {
    let term = invoke("term-culture").await.found();
    assert_eq!(
        (&term["culture"], &term["requestedCulture"]),
        (&json!("fr-FR"), &json!("fr-FR"))
    );
}

#[tokio::test]
async fn a_batch() {
    let batch = invoke("batch-post").await.found();
    let statuses = batch["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["status"].as_u64().unwrap());
    assert_eq!(statuses.collect::<Vec<_>>(), [200, 200, 404]);
}

#[tokio::test]
async fn what_is_not_found_or_not_valid() {
    assert_eq!(invoke("term-unknown").await.refused(), "404 term-not-found");
    assert_eq!(invoke("invalid-id").await.refused(), "400 invalid-id /path/id");
}

#[tokio::test]
async fn the_description() {
    assert_eq!(invoke("openapi").await.found()["openapi"], "3.1.0");
}
