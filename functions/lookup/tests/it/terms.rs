//! One term.

use serde_json::json;
use taxonomy_testkit::fixtures::ACME;

use crate::stack::{SMALL, Stack, smaller};

#[tokio::test]
async fn a_term_comes_with_its_category_and_its_ancestors_nearest_first() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/terms/102").await;
    assert_eq!(got.headers["content-type"], "application/json");
    assert_eq!(got.headers["content-language"], "en-GB");
    assert_eq!(got.headers["cache-control"], "private, no-cache");
    assert_eq!(got.headers["x-content-type-options"], "nosniff");
    assert_eq!(
        got.found(),
        json!({
            "tenant": "acme", "version": 1, "id": 102, "name": "Async", "culture": "en-GB",
            "finalName": "Sector:Async", "path": "it/rust/async",
            "category": {"id": 1, "name": "Sector", "culture": "en-GB", "path": "sector"}, "depth": 3,
            "ancestors": [
                {"id": 101, "name": "Rust: the job", "finalName": "Sector:Rust: the job", "culture": "en-GB", "path": "it/rust"},
                {"id": 100, "name": "IT", "finalName": "Sector:IT", "culture": "en-GB", "path": "it"},
            ],
            "altNames": [], "metadata": {}, "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
        })
    );
}

#[tokio::test]
async fn it_costs_the_head_and_one_item() {
    let stack = Stack::new().await;
    stack.get("/v1/tenants/acme/terms/102").await.found();
    assert_eq!(
        stack.requests(),
        [
            "DynamoDB.Query taxonomy :from=CHANGESET#000000000001 :pk=TAXONOMY#acme :to=HEAD -> 200, 1 item, 1 units",
            "DynamoDB.GetItem taxonomy TERM#acme#102 TERM#acme#102 -> 200, 1 item, 0.5 units",
        ]
    );
    stack.get("/v1/tenants/acme/terms/100").await.found();
    assert_eq!(
        stack.requests(),
        ["DynamoDB.GetItem taxonomy TERM#acme#100 TERM#acme#100 -> 200, 1 item, 0.5 units"]
    );
}

#[tokio::test]
async fn it_carries_all_that_the_file_says() {
    let stack = Stack::new().await;
    let term = stack.get("/v1/tenants/acme/terms/101").await.found();
    assert_eq!(
        (&term["notation"], &term["sortKey"]),
        (&json!("6201"), &json!("010"))
    );
    assert_eq!(term["altNames"], json!(["Rustacean"]));
    assert_eq!(term["notes"], json!({"definition": "D\n\nD"}));
    assert_eq!(
        term["deprecation"],
        json!({"reason": "old", "since": "2026-01-31"})
    );
    assert_eq!(
        term["relations"],
        json!([{"type": "exact", "scheme": "esco", "id": "http://x"}, {"type": "related", "id": 102}])
    );
    assert_eq!(term["metadata"], json!({"a": "é", "b": [1, 2.5]}));
    assert_eq!(
        (&term["deprecated"], &term["replacedBy"]),
        (&json!(true), &json!([100]))
    );
    let bare = stack.get("/v1/tenants/acme/terms/0").await.found();
    for absent in ["path", "notation", "sortKey", "requestedCulture"] {
        assert!(bare.get(absent).is_none(), "{absent}");
    }
}

#[tokio::test]
async fn a_removed_term_keeps_what_it_had_last() {
    let stack = Stack::new().await;
    let stack_of_two = Stack::empty(lookup::Auth::Iam);
    stack_of_two.publish(ACME, &[SMALL, &smaller()]).await;
    let before = stack.get("/v1/tenants/acme/terms/102").await.found();
    let mut expect = before.clone();
    (expect["removed"], expect["deprecated"]) = (json!(true), json!(true));
    expect["version"] = json!(2);
    assert_eq!(
        stack_of_two.get("/v1/tenants/acme/terms/102").await.found(),
        expect
    );
    let kept = stack_of_two.get("/v1/tenants/acme/terms/100").await.found();
    assert_eq!(kept["version"], 2);
    let by_culture = stack_of_two
        .get("/v1/tenants/acme/terms/101?culture=fr-FR")
        .await
        .found();
    assert_eq!(
        (&by_culture["culture"], &by_culture["removed"]),
        (&json!("en-GB"), &json!(true))
    );
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_what_is_not_there_is_not_found() {
    let stack = Stack::new().await;
    for (target, expect) in [
        ("/v1/tenants/acme/terms/7", "404 term-not-found"),
        ("/v1/tenants/acme/terms/rust", "400 invalid-id /path/id"),
        ("/v1/tenants/acme/terms/-1", "400 invalid-id /path/id"),
        ("/v1/tenants/acme/terms/007", "400 invalid-id /path/id"),
        (
            "/v1/tenants/acme/terms/9007199254740992",
            "400 invalid-id /path/id",
        ),
        (
            "/v1/tenants/acme/terms/101?culture=en_GB",
            "400 invalid-culture /query/culture",
        ),
        (
            "/v1/tenants/acme/terms/101?culture=%FF",
            "400 invalid-parameter /query",
        ),
        ("/v1/tenants/a!b/terms/101", "400 invalid-tenant /path/tenant"),
        ("/v1/tenants/nobody/terms/101", "404 tenant-not-found"),
    ] {
        let got = stack.get(target).await;
        assert_eq!(got.refused(), expect, "{target}");
        assert_eq!(got.headers["content-type"], "application/problem+json");
        assert_eq!(got.headers["cache-control"], "no-store");
    }
}

#[tokio::test]
async fn a_query_that_no_uri_may_hold_is_answered_all_the_same() {
    let stack = Stack::new().await;
    for query in [
        "q=<y>",
        "q=a b",
        "q=\u{1}",
        "q={a|b}\"^`\\",
        "q=é",
        "q=#",
        "q=%",
        "q=%zz",
        "&&=&=&",
    ] {
        let got = stack.get(&format!("/v1/tenants/acme/terms/101?{query}")).await;
        assert_eq!(got.status, 200, "{query}");
    }
}
