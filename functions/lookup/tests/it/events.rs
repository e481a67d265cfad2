//! The sample payloads of `events/lookup` over the samples, as `sam local invoke` sends them.

use serde_json::{Value, json};

use crate::stack::Stack;

const V1: &str = include_str!("../../../../samples/job-board-v1.json");
const V2: &str = include_str!("../../../../samples/job-board-v2.json");

#[tokio::test]
async fn each_payload_is_answered_as_it_says() {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish("job-board", &[V1, V2]).await;
    let invoke = async |name: &str| {
        let path = format!("{}/../../events/lookup/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let event: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        stack.send(event).await
    };
    let found = [
        ("term", "/finalName", json!("Sector:Rust development")),
        ("term", "/ancestors/3/id", json!(100)),
        ("term-culture", "/culture", json!("fr-FR")),
        ("batch-post", "/items/1/status", json!(200)),
        ("batch-post", "/items/2/status", json!(404)),
        ("openapi", "/openapi", json!("3.1.0")),
    ];
    for (name, member, expect) in found {
        assert_eq!(
            invoke(name).await.found().pointer(member),
            Some(&expect),
            "{name}"
        );
    }
    for (name, problem) in [
        ("term-unknown", "404 term-not-found"),
        ("invalid-id", "400 invalid-id /path/id"),
    ] {
        assert_eq!(invoke(name).await.refused(), problem, "{name}");
    }
}
