//! Requests that are refused, and what is not there: the unit tests of each parser have more texts.

use serde_json::json;

use crate::stack::{BATCH, Stack};

const CURSOR: &str = "400 invalid-parameter /query/cursor";
const LIMIT: &str = "400 invalid-parameter /query/limit";
const CULTURE: &str = "400 invalid-culture /query/culture";
const ID: &str = "400 invalid-id /path/id";

#[tokio::test]
async fn what_cannot_be_is_refused_and_what_is_not_there_is_not_found() {
    let stack = Stack::new().await;
    let many = format!("terms?ids={}", vec!["1"; 101].join(","));
    for (target, expect) in [
        ("terms/7", "404 term-not-found"),
        ("terms/rust", ID),
        ("terms/9007199254740992", ID),
        ("terms/101?culture=en_GB", CULTURE),
        ("terms/101?culture=%FF", "400 invalid-parameter /query"),
        ("terms/101?cultur=fr", "400 invalid-parameter /query/cultur"),
        ("terms/101?fields=colour", "400 invalid-parameter /query/fields/0"),
        ("terms/101?fields=name,", "400 invalid-parameter /query/fields/1"),
        (
            "terms/101?fields=name&fields=id",
            "400 invalid-parameter /query/fields",
        ),
        (
            "categories?fields=nextCursor",
            "400 invalid-parameter /query/fields/0",
        ),
        ("/v1/tenants/a!b/terms/101", "400 invalid-tenant /path/tenant"),
        ("/v1/tenants/nobody/terms/101", "404 tenant-not-found"),
        ("terms", "400 invalid-parameter /query/ids"),
        (&many, "400 too-many-ids /query/ids"),
        ("terms?ids=1&culture=-", CULTURE),
        ("categories/7", "404 category-not-found"),
        ("categories/100", "404 category-not-found"),
        ("categories/x", ID),
        ("categories?limit=0", LIMIT),
        ("categories?limit=101", LIMIT),
        ("categories?culture=", CULTURE),
        ("categories?cursor=", CURSOR),
        ("terms/7/children", "404 term-not-found"),
        ("terms/1/children", "404 term-not-found"),
        ("terms/x/children", ID),
        ("terms/100/children?limit=0", LIMIT),
        ("terms/100/children?culture=-", CULTURE),
        ("terms/100/children?cursor=x", CURSOR),
        ("terms/100/children/", "404 route-not-found"),
        ("terms//children", "404 route-not-found"),
        ("/v2/tenants/acme", "404 route-not-found"),
        ("/v1/tenants?Limit=1", "400 invalid-parameter /query/Limit"),
        ("stats?a~1b%2F=1", "400 invalid-parameter /query/a~01b~1"),
        ("categories/x/stats", ID),
        ("/v1/tenants/nobody/stats", "404 tenant-not-found"),
        ("terms:batchGet", "405 method-not-allowed"),
    ] {
        let got = stack.get(target).await;
        assert_eq!(got.refused(), expect, "{target}");
        assert_eq!(got.headers["content-type"], "application/problem+json");
        assert_eq!(got.headers["cache-control"], "no-store");
    }
    let known = "There is no parameter cultur. The operation has asOf, culture, deprecated, fields, include, names, version.";
    assert_eq!(stack.get("terms/101?cultur=fr").await.body["detail"], known);
}

#[tokio::test]
async fn what_is_no_batch_and_another_method_is_refused() {
    let stack = Stack::new().await;
    assert_eq!(stack.get("terms:batchGet").await.headers["allow"], "POST");
    let many = format!("{{\"ids\":[{}]}}", vec!["1"; 101].join(","));
    let long = " ".repeat(64 * 1024 + 1);
    for (body, expect) in [
        ("{", "400 invalid-body /body"),
        (r#"{"ids":"113"}"#, "400 invalid-body /body"),
        (&many, "400 too-many-ids /body/ids"),
        (&long, "413 body-too-large /body"),
    ] {
        assert_eq!(stack.post(BATCH, body).await.refused(), expect);
    }
    let posted = stack.post("terms", "{}").await;
    assert_eq!(posted.refused(), "405 method-not-allowed");
    assert_eq!(posted.headers["allow"], "GET, HEAD");
}

/// A parameter of another operation, that of a signature, and what no URI may hold.
#[tokio::test]
async fn an_odd_query_is_answered_all_the_same_and_has_at_most_8_kib() {
    let stack = Stack::new().await;
    for query in [
        "depth=1",
        "X-Amz-Signature=1",
        "q=<y>",
        "q=a b",
        "q=\u{1}",
        "q={a|b}\"^`\\",
        "q=é",
        "q=#",
        "q=%zz",
        "&&=&=&",
    ] {
        stack.found(&format!("terms/101?{query}")).await;
    }
    let stack = Stack::new().await;
    let target = |bytes: usize| format!("terms/101?q={}", "x".repeat(bytes - "q=".len()));
    stack.found(&target(8 * 1024)).await;
    stack.requests();
    let refused = stack.refused(&target(8 * 1024 + 1)).await;
    assert_eq!(refused, "414 uri-too-long /query");
    assert_eq!(stack.requests(), [""; 0]);
}

#[tokio::test]
async fn a_body_is_json_by_its_content_type_or_has_none() {
    let stack = Stack::new().await;
    let post = async |content_type: &str, body: &str| {
        let headers = [("content-type", content_type)];
        stack.post_with(BATCH, &headers, body).await
    };
    let body = r#"{"ids":[101]}"#;
    for content_type in ["application/json", "application/json; charset=utf-8"] {
        post(content_type, body).await.found();
    }
    for content_type in ["application/x-www-form-urlencoded", "text/plain"] {
        let refused = post(content_type, body).await;
        assert_eq!(refused.refused(), "415 unsupported-media-type", "{content_type}");
        assert_eq!(refused.headers["accept"], "application/json");
    }
    let mut event = stack.event_of("POST", BATCH);
    event["headers"]["content-type"] = json!("application/octet-stream");
    let empty = stack.send(event).await;
    assert_eq!(empty.refused(), "400 invalid-body /body", "nothing has no type");
}

#[tokio::test]
async fn a_cursor_works_for_its_list_and_tenant_alone_and_only_unchanged() {
    let stack = Stack::new().await;
    stack.publish("globex", &[crate::stack::SMALL]).await;
    let page = stack.found("categories?limit=1").await;
    let cursor = page["nextCursor"].as_str().unwrap();
    for target in [
        format!("/v1/tenants/globex/categories?cursor={cursor}"),
        format!("terms/100/children?cursor={cursor}"),
        format!("/v1/tenants?cursor={cursor}"),
        format!("categories?cursor={}", &cursor[1..]),
        format!("categories?cursor={cursor}AAAA"),
        "categories?cursor=nonsense".to_owned(),
        "/v1/tenants?cursor=x".to_owned(),
    ] {
        assert_eq!(stack.refused(&target).await, CURSOR, "{target}");
    }
    let next = stack.found(&format!("categories?cursor={cursor}")).await;
    assert_eq!(crate::stack::ids(&next), [2]);
}
