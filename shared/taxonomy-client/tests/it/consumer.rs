//! The logic of the example `consumer`, over the lookup.

#[path = "../../examples/consumer/names.rs"]
mod names;

use serde_json::{Value, json};
use taxonomy_client::Tenant;
use taxonomy_testkit::fixtures::ACME;

use crate::api::{Api, Fault};

async fn add(tenant: &Tenant, event: Value) -> Value {
    let event = serde_json::from_value(event).unwrap();
    serde_json::to_value(names::add(tenant, event).await.unwrap()).unwrap()
}

/// A metric with these terms under one category.
fn metric(ids: &[u64]) -> Value {
    let terms: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    json!({"categories": [{"id": 1, "terms": terms}]})
}

#[tokio::test]
async fn a_metric_gets_the_names_of_its_terms_and_their_ancestors_once_each() {
    let api = Api::new().await;
    let event = json!({"metrics": [
        {"name": "jobs", "value": 1.5, "categories": [
            {"id": 1, "terms": [{"id": 102}, {"id": 101}]},
            {"id": 2, "terms": [{"id": 0}, {"id": 7}]},
        ]},
        metric(&[100]),
        metric(&[]),
    ]});
    let answer = add(&api.acme(), event.clone()).await;
    let mut expect = event;
    let names = [
        "Sector:Async",
        "Sector:Rust: the job",
        "Sector:IT",
        "Place:Remote",
    ];
    expect["metrics"][0]["finalNames"] = json!(names);
    expect["metrics"][0]["unknownTerms"] = json!([7]);
    expect["metrics"][1]["finalNames"] = json!(["Sector:IT"]);
    expect["metrics"][2]["finalNames"] = json!([]);
    assert_eq!(answer, expect);
    let line = "GET /v1/tenants/acme/terms?fields=version%2CfinalName%2Cancestors.finalName";
    assert_eq!(api.lines(), [format!("{line}&ids=0%2C7%2C100%2C101%2C102")]);
}

#[tokio::test]
async fn each_distinct_id_is_asked_for_once_a_hundred_with_a_request() {
    let term = |n: u64| json!({"id": n, "name": format!("Term {n}")});
    let terms: Vec<Value> = (1..=250).map(term).collect();
    let file = json!({"categories": [{"id": 1, "name": "C", "terms": terms}]});
    let api = Api::of(&[ACME], &file.to_string()).await;
    let acme = api.acme();
    let ids: Vec<u64> = (1..=250).rev().collect();
    let event = json!({"metrics": [metric(&ids), metric(&ids)]});
    let answer = add(&acme, event.clone()).await;
    for metric in answer["metrics"].as_array().unwrap() {
        let names = metric["finalNames"].as_array().unwrap();
        assert_eq!((names.len(), &names[0]), (250, &json!("C:Term 250")));
    }
    assert_eq!(acme.client().requests().sent, 3);
    assert_eq!(add(&acme, event).await, answer);
    let requests = acme.client().requests();
    assert_eq!((requests.sent, requests.not_modified), (6, 3));
}

#[tokio::test]
async fn names_that_cannot_be_had_fail_the_event() {
    let api = Api::new().await;
    api.inject([Fault::message(403, "Forbidden")]);
    let event = serde_json::from_value(json!({"metrics": [metric(&[101])]})).unwrap();
    let error = names::add(&api.acme(), event).await.unwrap_err();
    assert_eq!(error.to_string(), "API Gateway answered 403: Forbidden");
}
