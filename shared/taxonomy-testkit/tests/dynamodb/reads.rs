//! Tests of queries, batches, the index and dumps.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{
    AttributeValue, Get, KeysAndAttributes, ReturnConsumedCapacity, TransactGetItem,
};
use taxonomy_testkit::dynamodb::{item, key, n, s};
use taxonomy_testkit::fixtures::TABLE;

use crate::common::{db, put};

#[tokio::test]
async fn a_dump_reads_like_a_table() {
    let db = db();
    let names = HashMap::from([("fr-FR".to_owned(), AttributeValue::M(key("a", "b")))]);
    let category = [
        ("EntityType", s("Category")),
        ("V", n(1)),
        ("Name", s("Sector")),
        ("Path", s("the sector")),
        ("Names", AttributeValue::M(names)),
        ("ReplacedBy", AttributeValue::L(vec![n(2), n(3)])),
        ("Deprecated", AttributeValue::Bool(true)),
    ];
    put(&db, item("CATEGORY#acme#1", "CATEGORY#acme#1", category)).await;
    put(&db, item("CATEGORY#acme#0", "CATEGORY#acme#0", [])).await;
    insta::assert_snapshot!(db.dump(TABLE).join("\n"), @r#"
    CATEGORY#acme#0 | CATEGORY#acme#0
    CATEGORY#acme#1 | CATEGORY#acme#1 | Category V=1 Deprecated=true Name=Sector Names={fr-FR: {PK: a, SK: b}} Path="the sector" ReplacedBy=[2, 3]
    "#);
}

#[tokio::test]
async fn a_query_between_sort_keys_reads_a_term_with_its_ancestors() {
    let db = db();
    for sort in [
        "CATEGORY#acme#1",
        "CULTURE#fr-FR",
        "PARENT#01",
        "PARENT#02",
        "TERM#acme#7",
    ] {
        put(&db, item("TERM#acme#7", sort, [])).await;
    }
    let query = db
        .client()
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk AND SK BETWEEN :from AND :to");
    let query = query.expression_attribute_values(":pk", s("TERM#acme#7"));
    let query = query
        .expression_attribute_values(":from", s("P"))
        .expression_attribute_values(":to", s("Z"));
    let answer = query
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    let found: Vec<_> = answer
        .items()
        .iter()
        .map(|item| item["SK"].as_s().unwrap().as_str())
        .collect();
    assert_eq!(found, ["PARENT#01", "PARENT#02", "TERM#acme#7"]);
    assert_eq!(
        db.exchanges().lines().last().unwrap(),
        "DynamoDB.Query taxonomy :from=P :pk=TERM#acme#7 :to=Z -> 200, 3 items, 0.5 units"
    );
}

#[tokio::test]
async fn the_index_is_sparse_ordered_and_shows_keys_alone() {
    let db = db();
    for (id, order) in [(1, "b#0000000000000001"), (2, "a#0000000000000002")] {
        let key = format!("TERM#acme#{id}");
        let listed = [
            ("GSI1PK", s("CHILDREN#acme#TERM#9")),
            ("GSI1SK", s(order)),
            ("Name", s("n")),
        ];
        put(&db, item(&key, &key, listed)).await;
    }
    put(
        &db,
        item("TERM#acme#3", "TERM#acme#3", [("Name", s("not listed"))]),
    )
    .await;
    let mut found = Vec::new();
    let mut start = None;
    loop {
        let query = db
            .client()
            .query()
            .table_name(TABLE)
            .index_name("GSI1")
            .key_condition_expression("GSI1PK = :pk");
        let query = query
            .expression_attribute_values(":pk", s("CHILDREN#acme#TERM#9"))
            .limit(1);
        let page = query.set_exclusive_start_key(start).send().await.unwrap();
        found.extend(page.items().iter().map(taxonomy_testkit::dynamodb::line));
        start = page.last_evaluated_key;
        if start.is_none() {
            break;
        }
    }
    insta::assert_snapshot!(found.join("\n"), @"
    TERM#acme#2 | TERM#acme#2 | GSI1PK=CHILDREN#acme#TERM#9 GSI1SK=a#0000000000000002
    TERM#acme#1 | TERM#acme#1 | GSI1PK=CHILDREN#acme#TERM#9 GSI1SK=b#0000000000000001
    ");
}

#[tokio::test]
async fn a_batch_get_answers_what_is_there() {
    let db = db();
    put(&db, item("TERM#acme#1", "TERM#acme#1", [])).await;
    let keys = ["TERM#acme#1", "TERM#acme#2"].map(|term| key(term, term));
    let keys = KeysAndAttributes::builder()
        .set_keys(Some(keys.to_vec()))
        .build()
        .unwrap();
    let get = db.client().batch_get_item().request_items(TABLE, keys);
    let answer = get.send().await.unwrap();
    assert_eq!(answer.responses.unwrap()[TABLE].len(), 1);
    assert!(answer.unprocessed_keys.unwrap_or_default().is_empty());
    assert_eq!(
        db.exchanges().lines().last().unwrap(),
        "DynamoDB.BatchGetItem taxonomy TERM#acme#1 TERM#acme#1, taxonomy TERM#acme#2 TERM#acme#2 -> 200, 1 item"
    );
}

#[tokio::test]
async fn a_transactional_read_answers_in_the_order_asked() {
    let db = db();
    put(&db, item("TAXONOMY#acme", "HEAD", [("V", n(1))])).await;
    let get = |sort| {
        Get::builder()
            .table_name(TABLE)
            .set_key(Some(key("TAXONOMY#acme", sort)))
            .build()
            .unwrap()
    };
    let read = ["TENANT", "HEAD"].map(|sort| TransactGetItem::builder().get(get(sort)).build());
    let answer = db
        .client()
        .transact_get_items()
        .set_transact_items(Some(read.to_vec()))
        .send()
        .await
        .unwrap();
    assert!(answer.responses()[0].item().is_none());
    assert!(answer.responses()[1].item().is_some());
    assert_eq!(db.exchanges().items_of("TransactGetItems"), 1);
}
