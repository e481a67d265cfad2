//! Up to a hundred terms.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use taxonomy_testkit::dynamodb::key;
use taxonomy_testkit::fixtures::{ACME, TABLE};

use crate::stack::Stack;

const BATCH: &str = "/v1/tenants/acme/terms:batchGet";

fn outcomes(body: &Value) -> Vec<(u64, u64)> {
    let items = body["items"].as_array().unwrap().iter();
    items
        .map(|item| (item["id"].as_u64().unwrap(), item["status"].as_u64().unwrap()))
        .collect()
}

#[tokio::test]
async fn each_id_is_answered_in_the_order_asked_and_read_once() {
    let stack = Stack::new().await;
    let by_query = stack
        .get("/v1/tenants/acme/terms?ids=102,7,100,102")
        .await
        .found();
    assert_eq!(
        outcomes(&by_query),
        [(102, 200), (7, 404), (100, 200), (102, 200)]
    );
    assert_eq!(by_query["items"][0], by_query["items"][3]);
    assert_eq!(
        by_query["items"][1]["problem"]["type"],
        "/problems/term-not-found"
    );
    assert!(by_query["items"][1].get("term").is_none());
    assert!(by_query["items"][0].get("problem").is_none());
    let requests = stack.requests();
    assert_eq!(
        requests.len(),
        3,
        "the head, the items, and the file for the one that is missing"
    );
    assert!(requests[1].starts_with("DynamoDB.BatchGetItem "), "{requests:?}");
    assert!(
        requests[1].ends_with(" -> 200, 2 items, 1.5 units"),
        "{requests:?}"
    );
    let by_body = stack.post(BATCH, r#"{"ids":[102,7,100,102]}"#).await.found();
    assert_eq!(by_body, by_query);
}

#[tokio::test]
async fn a_term_is_what_it_is_alone() {
    let stack = Stack::new().await;
    let alone = stack.get("/v1/tenants/acme/terms/102").await.found();
    let batch = stack.get("/v1/tenants/acme/terms?ids=102").await.found();
    assert_eq!(batch["items"][0]["term"], alone);
}

#[tokio::test]
async fn a_hundred_terms_are_one_request_and_half_a_unit_each() {
    let terms: Vec<Value> = (1..=100)
        .map(|id| json!({"id": id, "names": [{"culture": "en-GB", "name": format!("Term {id}")}]}))
        .collect();
    let file = json!({"defaultCulture": "en-GB", "categories": [
        {"id": 1, "names": [{"culture": "en-GB", "name": "Many"}], "terms": terms}]});
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[&file.to_string()]).await;
    let ids: Vec<u64> = (1..=100).rev().collect();
    let body = json!({ "ids": ids }).to_string();
    let answer = stack.post(BATCH, &body).await.found();
    assert_eq!(
        outcomes(&answer),
        ids.iter().map(|id| (*id, 200)).collect::<Vec<_>>()
    );
    let exchanges = stack.db.exchanges();
    assert_eq!((exchanges.len(), exchanges.count("BatchGetItem")), (2, 1));
    assert_eq!(exchanges.units_of("BatchGetItem"), 50.0);
}

#[tokio::test]
async fn a_batch_speaks_one_culture_as_far_as_it_can() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/terms?ids=101,102&culture=fr").await;
    assert_eq!(got.headers["content-language"], "en-GB, fr-FR");
    let names = |item: &Value| item["term"]["finalName"].as_str().unwrap().to_owned();
    let items = got.found()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(names)
        .collect::<Vec<_>>();
    assert_eq!(items, ["Secteur:Rust", "Secteur:Async"]);
    assert_eq!(stack.db.exchanges().count("BatchGetItem"), 1);
    assert_eq!(
        stack.db.exchanges().units_of("BatchGetItem"),
        1.0,
        "one item a term is asked for; the one that is not there costs as much"
    );
}

/// Replaces an attribute of the stored item of a term.
async fn damage(stack: &Stack, term: u64, attribute: &str, value: AttributeValue) {
    let item = format!("TERM#acme#{term}");
    let update = stack.writer().update_item().table_name(TABLE);
    let update = update.set_key(Some(key(&item, &item)));
    let update = update.update_expression(format!("SET {attribute} = :value"));
    let update = update.expression_attribute_values(":value", value);
    update.send().await.unwrap();
}

/// The index file has what the table lost: the answer is the same, under the same tag.
#[tokio::test]
async fn a_damaged_item_is_answered_from_the_file() {
    for (attribute, value) in [
        ("FinalName", AttributeValue::N("7".to_owned())),
        ("V", AttributeValue::S("1".to_owned())),
        ("Metadata", AttributeValue::S("{secret".to_owned())),
    ] {
        let target = "/v1/tenants/acme/terms?ids=102,100,7,101,0,100";
        let whole = Stack::new().await.get(target).await;
        let stack = Stack::new().await;
        damage(&stack, 100, attribute, value).await;
        assert_eq!(stack.get(target).await, whole, "{attribute}");
        let alone = stack.get("/v1/tenants/acme/terms/100").await.found();
        assert_eq!(alone["name"], "IT");
        // It replaces this one.
        let replaced = stack.get("/v1/tenants/acme/terms/101").await.found();
        assert_eq!(replaced["replacedBy"], json!([100]));
    }
}

/// The same of an item that is gone.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "an item is lost by hand")]
async fn a_lost_item_is_answered_from_the_file() {
    let target = "/v1/tenants/acme/terms?ids=102,100,7";
    let whole = Stack::new().await.get(target).await;
    let stack = Stack::new().await;
    let delete = stack.writer().delete_item().table_name(TABLE);
    let delete = delete.set_key(Some(key("TERM#acme#100", "TERM#acme#100")));
    delete.send().await.unwrap();
    assert_eq!(stack.get(target).await, whole);
}

#[tokio::test]
async fn what_is_no_id_fails_itself() {
    let stack = Stack::new().await;
    let whole = stack.get("/v1/tenants/acme/terms?ids=102,100").await.found();
    for (got, place) in [
        (
            stack.get("/v1/tenants/acme/terms?ids=102,x,100").await,
            "/query/ids/1",
        ),
        (
            stack.post(BATCH, r#"{"ids":[102,"100",100]}"#).await,
            "/body/ids/1",
        ),
    ] {
        let mut body = got.found();
        let bad = body["items"].as_array_mut().unwrap().remove(1);
        assert_eq!(body, whole);
        assert_eq!(
            (&bad["status"], &bad["problem"]["pointer"]),
            (&json!(400), &json!(place))
        );
        assert_eq!(bad["problem"]["type"], "/problems/invalid-id");
        assert!(bad.get("id").is_none() && bad.get("term").is_none(), "{bad}");
    }
    let alone = stack.get("/v1/tenants/acme/terms?ids=,").await.found();
    assert_eq!(alone["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_misspelt_parameter_is_refused_with_those_that_there_are() {
    let stack = Stack::new().await;
    for (target, pointer) in [
        ("/v1/tenants/acme/terms/101?cultur=fr", "/query/cultur"),
        ("/v1/tenants?Limit=1", "/query/Limit"),
        ("/v1/tenants/acme/stats?a~1b%2F=1", "/query/a~01b~1"),
    ] {
        assert_eq!(
            stack.get(target).await.refused(),
            format!("400 invalid-parameter {pointer}")
        );
    }
    let problem = stack.get("/v1/tenants/acme/terms/101?cultur=fr").await.body;
    let detail = "There is no parameter cultur. The operation has asOf, culture, deprecated, fields, include, names, version.";
    assert_eq!(problem["detail"], detail);
    // Of another operation; of a signature.
    for query in ["depth=1", "X-Amz-Signature=1"] {
        stack
            .get(&format!("/v1/tenants/acme/terms/101?{query}"))
            .await
            .found();
    }
}

#[tokio::test]
async fn no_ids_are_no_request() {
    let stack = Stack::new().await;
    assert_eq!(
        stack.post(BATCH, r#"{"ids":[]}"#).await.found(),
        json!({"items": []})
    );
    assert_eq!(stack.requests().len(), 1, "the head alone");
}

#[tokio::test]
async fn what_is_no_batch_is_refused() {
    let stack = Stack::new().await;
    let many = vec!["1"; 101].join(",");
    for (target, expect) in [
        (
            "/v1/tenants/acme/terms".to_owned(),
            "400 invalid-parameter /query/ids",
        ),
        (
            format!("/v1/tenants/acme/terms?ids={many}"),
            "400 too-many-ids /query/ids",
        ),
        (
            "/v1/tenants/acme/terms?ids=1&culture=-".to_owned(),
            "400 invalid-culture /query/culture",
        ),
        (
            "/v1/tenants/nobody/terms?ids=1".to_owned(),
            "404 tenant-not-found",
        ),
    ] {
        assert_eq!(stack.get(&target).await.refused(), expect, "{target}");
    }
    for (body, expect) in [
        ("{", "400 invalid-body /body"),
        (r#"{"ids":"113"}"#, "400 invalid-body /body"),
        ("[]", "400 invalid-body /body"),
        (&format!(r#"{{"ids":[{many}]}}"#), "400 too-many-ids /body/ids"),
        (&" ".repeat(64 * 1024 + 1), "413 body-too-large /body"),
    ] {
        assert_eq!(stack.post(BATCH, body).await.refused(), expect);
    }
}
