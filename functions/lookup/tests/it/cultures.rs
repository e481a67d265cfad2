//! Which culture an answer is in.

use serde_json::json;

use crate::stack::Stack;

#[tokio::test]
async fn another_culture_is_a_complete_answer() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/terms/101?culture=FR-fr").await;
    assert_eq!(got.headers["content-language"], "fr-FR");
    assert_eq!(
        got.found(),
        json!({
            "tenant": "acme", "version": 1, "id": 101, "name": "Rust", "culture": "fr-FR", "requestedCulture": "fr-FR",
            "finalName": "Secteur:Rust", "path": "informatique/rust",
            "category": {"id": 1, "name": "Secteur", "culture": "fr-FR", "path": "secteur"}, "depth": 2,
            "ancestors": [{"id": 100, "name": "Informatique", "finalName": "Secteur:Informatique", "culture": "fr-FR", "path": "informatique"}],
            "notation": "6201", "altNames": [], "sortKey": "010", "metadata": {"a": "é", "b": [1, 2.5]},
            "notes": {"definition": "F", "scopeNote": "S"},
            "relations": [{"type": "exact", "scheme": "esco", "id": "http://x"}, {"type": "related", "id": 102}],
            "deprecated": true, "deprecation": {"reason": "old", "since": "2026-01-31"}, "replacedBy": [100], "removed": false,
        })
    );
    // The third looks whether the replacement was itself replaced.
    let requests = stack.requests();
    assert_eq!(
        requests[1..],
        [
            "DynamoDB.GetItem taxonomy TERM#acme#101 CULTURE#fr-FR -> 200, 1 item, 0.5 units",
            "DynamoDB.GetItem taxonomy TERM#acme#100 TERM#acme#100 -> 200, 1 item, 0.5 units",
        ]
    );
}

#[tokio::test]
async fn an_answer_falls_back_and_says_so() {
    let stack = Stack::new().await;
    for (id, asked, served, final_name) in [
        (101, "fr", "fr-FR", "Secteur:Rust"),
        (101, "fr-CA", "fr-FR", "Secteur:Rust"),
        (101, "en-GB", "en-GB", "Sector:Rust: the job"),
        (101, "it", "en-GB", "Sector:Rust: the job"),
        (102, "fr-FR", "en-GB", "Secteur:Async"),
        (0, "de", "de-DE", "Place:Entfernt"),
    ] {
        let got = stack
            .get(&format!("/v1/tenants/acme/terms/{id}?culture={asked}"))
            .await;
        assert_eq!(got.headers["content-language"], served);
        let term = got.found();
        assert_eq!(
            (&term["culture"], &term["finalName"], &term["requestedCulture"]),
            (&json!(served), &json!(final_name), &json!(asked)),
            "{id} {asked}"
        );
    }
}

#[tokio::test]
async fn each_part_names_the_culture_it_had_to_be_taken_from() {
    let stack = Stack::new().await;
    let term = stack.get("/v1/tenants/acme/terms/0?culture=de-DE").await.found();
    assert_eq!(
        term["category"],
        json!({"id": 2, "name": "Place", "culture": "en-GB"}),
        "without a path, as the file has none"
    );
}

#[tokio::test]
async fn a_culture_that_nothing_is_named_in_costs_one_request() {
    let stack = Stack::new().await;
    let term = stack.get("/v1/tenants/acme/terms/102?culture=ja").await.found();
    assert_eq!(
        term["ancestors"][0]["path"], "it/rust",
        "as in the default culture"
    );
    assert_eq!(
        stack.requests()[1..],
        ["DynamoDB.GetItem taxonomy TERM#acme#102 TERM#acme#102 -> 200, 1 item, 0.5 units"]
    );
}
