//! The examples in the description of the API are responses of the lookup for a sample. `UPDATE_EXAMPLES=1` regenerates them.

use std::collections::BTreeMap;

use taxonomy_tests::asking::body;
use taxonomy_tests::prelude::*;

use crate::downloads::{process, work};
use crate::template::read;

pub(crate) const FILE: &str = "functions/lookup/src/openapi/examples.json";

/// Returns two versions of the sample with their aggregates.
pub(crate) async fn job_board() -> World {
    let world = World::new();
    for file in ["job-board-v1.json", "job-board-v2.json"] {
        world.replace("job-board", &sample(file)).await;
        world.aggregate().await;
    }
    world
}

/// Replaces the times that depend on how often a test reads its clock.
fn steady(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), &member) {
                    ("committedAt" | "changedAt" | "expiresAt", Value::String(_)) => {
                        *member = json!("2026-01-01T00:00:00Z");
                    }
                    ("url", Value::String(_)) => *member = json!("https://bucket.example/key?signature"),
                    _ => steady(member),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(steady),
        _ => {}
    }
}

/// Asks for every example of two versions of the sample, and returns them with what is answered.
async fn answered(world: &World) -> BTreeMap<String, Value> {
    let mut examples: BTreeMap<String, Value> = serde_json::from_str(&read(FILE)).unwrap();
    let lookup = process(world);
    // The first request for a download makes the projector produce it.
    let download = examples["getDownload"]["request"].as_str().unwrap();
    assert_eq!(ask(&lookup, "GET", download, None).await.status_code, 202);
    assert_eq!(work(world).await, 1);
    for (operation, example) in &mut examples {
        let method = if example["body"].is_null() { "GET" } else { "POST" };
        let sent = Some(&example["body"]).filter(|body| !body.is_null());
        let answer = ask(&lookup, method, example["request"].as_str().unwrap(), sent).await;
        let mut found = body(&answer);
        assert_eq!(answer.status_code, 200, "{operation}: {found}");
        steady(&mut found);
        example["answer"] = found;
    }
    examples
}

/// Compares the answers of every operation with the recorded ones.
pub(crate) async fn are_answers(world: &World) {
    let recorded: BTreeMap<String, Value> = serde_json::from_str(&read(FILE)).unwrap();
    for (operation, example) in answered(world).await {
        assert_eq!(example["answer"], recorded[&operation]["answer"], "{operation}");
    }
}

#[tokio::test]
async fn examples_are_answers() {
    let world = job_board().await;
    if taxonomy_tests::budget::variable("UPDATE_EXAMPLES").is_none() {
        return are_answers(&world).await;
    }
    let text = serde_json::to_string_pretty(&answered(&world).await).unwrap() + "\n";
    std::fs::write(format!("{}/../{FILE}", env!("CARGO_MANIFEST_DIR")), text).unwrap();
}
