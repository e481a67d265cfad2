//! Up to a hundred terms.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use taxonomy_testkit::dynamodb::key;

use crate::stack::{BATCH, Stack};

/// Id and status of each item.
fn outcomes(body: &Value) -> Vec<(u64, u64)> {
    let items = body["items"].as_array().unwrap().iter();
    let outcome = |item: &Value| (item["id"].as_u64().unwrap(), item["status"].as_u64().unwrap());
    items.map(outcome).collect()
}

#[tokio::test]
async fn each_id_is_answered_in_the_order_asked_as_alone_and_read_once() {
    let stack = Stack::new().await;
    let by_query = stack.found("terms?ids=102,7,100,102").await;
    let expect = [(102, 200), (7, 404), (100, 200), (102, 200)];
    assert_eq!(outcomes(&by_query), expect);
    // The file for the one that is missing.
    assert_eq!(stack.costs(), ["Head 1", "BatchGetItem 1.5", "GetObject"]);
    let items = &by_query["items"];
    assert_eq!(items[0], items[3]);
    assert_eq!(items[0]["term"], stack.found("terms/102").await);
    assert_eq!(items[1]["problem"]["type"], "/problems/term-not-found");
    assert!(items[1].get("term").is_none() && items[0].get("problem").is_none());
    let by_body = stack.post(BATCH, r#"{"ids":[102,7,100,102]}"#).await.found();
    assert_eq!(by_body, by_query);
    stack.costs();
    let nothing = stack.post(BATCH, r#"{"ids":[]}"#).await.found();
    assert_eq!((nothing, stack.costs().len()), (json!({"items": []}), 0));
}

#[tokio::test]
async fn a_hundred_terms_are_one_request_and_half_a_unit_each() {
    let term = |id: u64| json!({"id": id, "name": format!("Term {id}")});
    let terms: Vec<Value> = (1..=100).map(term).collect();
    let file = json!({"categories": [{"id": 1, "name": "Many", "terms": terms}]});
    let stack = Stack::of(&[&file.to_string()]).await;
    let ids: Vec<u64> = (1..=100).rev().collect();
    let answer = stack.post(BATCH, &json!({ "ids": ids }).to_string()).await;
    let expect: Vec<(u64, u64)> = ids.iter().map(|id| (*id, 200)).collect();
    assert_eq!(outcomes(&answer.found()), expect);
    assert_eq!(stack.costs(), ["Head 1", "BatchGetItem 50"]);
}

#[tokio::test]
async fn a_batch_speaks_one_culture_as_far_as_it_can() {
    let stack = Stack::new().await;
    let got = stack.get("terms?ids=101,102&culture=fr").await;
    assert_eq!(got.headers["content-language"], "en-GB, fr-FR");
    let items = &got.found()["items"];
    assert_eq!(items[0]["term"]["finalName"], "Secteur:Rust");
    assert_eq!(items[1]["term"]["finalName"], "Secteur:Async");
    // One item a term is asked for; the one that is not there costs as much.
    assert_eq!(stack.costs()[1], "BatchGetItem 1");
}

/// The index file has what the table lost: the answer is the same, under the same tag.
#[tokio::test]
async fn a_damaged_or_lost_item_is_answered_from_the_file() {
    const TARGET: &str = "terms?ids=102,100,7,101,0,100";
    let whole = Stack::new().await.get(TARGET).await;
    let pk = ("TERM#acme#100", "TERM#acme#100");
    for damage in [
        Some(("FinalName", AttributeValue::N("7".to_owned()))),
        Some(("V", AttributeValue::S("1".to_owned()))),
        Some(("Metadata", AttributeValue::S("{secret".to_owned()))),
        None,
    ] {
        let stack = Stack::new().await;
        match damage.clone() {
            Some((attribute, value)) => stack.set(pk, attribute, value).await,
            None => stack.writers().delete_by_hand(&key(pk.0, pk.1)).await,
        }
        assert_eq!(stack.get(TARGET).await, whole, "{damage:?}");
        assert_eq!(stack.found("terms/100").await["name"], "IT");
        // It replaces this one.
        assert_eq!(stack.found("terms/101").await["replacedBy"], json!([100]));
    }
}

#[tokio::test]
async fn what_is_no_id_fails_itself() {
    let stack = Stack::new().await;
    let whole = stack.found("terms?ids=102,100").await;
    let by_query = stack.found("terms?ids=102,x,100").await;
    let by_body = stack.post(BATCH, r#"{"ids":[102,"100",100]}"#).await.found();
    for (mut body, place) in [(by_query, "/query/ids/1"), (by_body, "/body/ids/1")] {
        let bad = body["items"].as_array_mut().unwrap().remove(1);
        assert_eq!(body, whole);
        let (status, problem) = (&bad["status"], &bad["problem"]);
        let found = json!([status, problem["pointer"], problem["type"]]);
        assert_eq!(found, json!([400, place, "/problems/invalid-id"]));
        assert!(bad.get("id").is_none() && bad.get("term").is_none(), "{bad}");
    }
    let alone = stack.found("terms?ids=,").await;
    assert_eq!(alone["items"].as_array().unwrap().len(), 2);
}
