//! Tests of conditions, transactions and capacity.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
    Update,
};
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::dynamodb::{item, key, n, s};
use taxonomy_testkit::fixtures::TABLE;

use crate::common::{db, put};

/// Puts an item if the stored one is older than `version`, as every write of a projection does.
async fn put_newer(db: &EmbeddedDynamoDb, version: u64) -> bool {
    let put = db.client().put_item().table_name(TABLE).set_item(Some(item(
        "TERM#acme#1",
        "TERM#acme#1",
        [("V", n(version))],
    )));
    let put = put
        .condition_expression("attribute_not_exists(PK) OR V < :v")
        .expression_attribute_values(":v", n(version));
    match put
        .send()
        .await
        .map_err(aws_sdk_dynamodb::error::SdkError::into_service_error)
    {
        Ok(_) => true,
        Err(PutItemError::ConditionalCheckFailedException(_)) => false,
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_conditional_put_keeps_the_newer_item() {
    let db = db();
    assert!(put_newer(&db, 2).await);
    assert!(put_newer(&db, 3).await);
    assert!(!put_newer(&db, 2).await);
    assert_eq!(db.dump(TABLE), ["TERM#acme#1 | TERM#acme#1 | V=3"]);
    insta::assert_snapshot!(db.exchanges().lines().join("\n"), @"
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 200, 1 item
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 200, 1 item
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 400 ConditionalCheckFailedException
    ");
}

/// Returns the head's compare-and-set and the log entry, as a commit writes them.
fn commit(head_is: u64) -> [TransactWriteItem; 2] {
    let update = Update::builder()
        .table_name(TABLE)
        .set_key(Some(key("TAXONOMY#acme", "HEAD")));
    let update = update
        .update_expression("SET V = :new")
        .condition_expression("V = :old");
    let update = update
        .expression_attribute_values(":new", n(head_is + 1))
        .expression_attribute_values(":old", n(head_is));
    let update = update.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let log = item("TAXONOMY#acme", &format!("CHANGESET#{:012}", head_is + 1), []);
    let log = Put::builder()
        .table_name(TABLE)
        .set_item(Some(log))
        .condition_expression("attribute_not_exists(PK)");
    [
        TransactWriteItem::builder()
            .update(update.build().unwrap())
            .build(),
        TransactWriteItem::builder().put(log.build().unwrap()).build(),
    ]
}

#[tokio::test]
async fn a_transaction_applies_as_a_whole_or_says_which_part_failed() {
    let db = db();
    put(&db, item("TAXONOMY#acme", "HEAD", [("V", n(1))])).await;
    let send = |head_is| {
        let write = db
            .client()
            .transact_write_items()
            .set_transact_items(Some(commit(head_is).to_vec()));
        write
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
    };
    let done = send(1).await.unwrap();
    assert_eq!(
        done.consumed_capacity()[0].capacity_units,
        Some(4.0),
        "twice a plain write"
    );

    let refused = send(1).await.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(refused) =
        refused
    else {
        panic!("{refused:?}")
    };
    let reasons: Vec<_> = refused
        .cancellation_reasons()
        .iter()
        .map(|reason| reason.code().unwrap())
        .collect();
    assert_eq!(reasons, ["ConditionalCheckFailed", "ConditionalCheckFailed"]);
    assert_eq!(
        refused.cancellation_reasons()[0].item,
        Some(item("TAXONOMY#acme", "HEAD", [("V", n(2))]))
    );
    assert_eq!(
        db.dump(TABLE),
        [
            "TAXONOMY#acme | CHANGESET#000000000002",
            "TAXONOMY#acme | HEAD | V=2"
        ]
    );
    insta::assert_snapshot!(db.exchanges().lines()[1..].join("\n"), @"
    DynamoDB.TransactWriteItems taxonomy TAXONOMY#acme HEAD, taxonomy TAXONOMY#acme CHANGESET#000000000002 -> 200, 2 items, 4 units
    DynamoDB.TransactWriteItems taxonomy TAXONOMY#acme HEAD, taxonomy TAXONOMY#acme CHANGESET#000000000002 -> 400 TransactionCanceledException
    ");
}

#[tokio::test]
async fn capacity_units_are_those_of_aws() {
    let db = db();
    let term = |more: [(&str, AttributeValue); 2]| item("TERM#acme#1", "TERM#acme#1", more);
    let listed = [("GSI1PK", s("CHILDREN#acme#TERM#9")), ("GSI1SK", s("a"))];
    let unlisted = [("Name", s("a")), ("Path", s("a"))];
    assert_eq!(put(&db, term(unlisted.clone())).await, 1.0, "1 KB");
    assert_eq!(
        put(&db, term(listed.clone())).await,
        2.0,
        "and an index entry appears"
    );
    assert_eq!(
        put(
            &db,
            term([("GSI1PK", s("CHILDREN#acme#TERM#9")), ("GSI1SK", s("b"))])
        )
        .await,
        3.0,
        "and moves"
    );
    assert_eq!(put(&db, term(unlisted)).await, 2.0, "and disappears");
    assert_eq!(
        put(&db, term([("Name", s("a")), ("Metadata", s(&"m".repeat(1100)))])).await,
        2.0,
        "more than 1 KB"
    );

    let get = |consistent| {
        let get = db
            .client()
            .get_item()
            .table_name(TABLE)
            .set_key(Some(key("TERM#acme#1", "TERM#acme#1")));
        get.consistent_read(consistent)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
    };
    assert_eq!(
        get(false)
            .await
            .unwrap()
            .consumed_capacity
            .unwrap()
            .capacity_units,
        Some(0.5)
    );
    assert_eq!(
        get(true).await.unwrap().consumed_capacity.unwrap().capacity_units,
        Some(1.0)
    );
    assert_eq!(db.exchanges().units_of("GetItem"), 1.5);
    assert_eq!(db.exchanges().units(), 11.5);
    db.exchanges().clear();
    assert!(db.exchanges().is_empty());
}

#[tokio::test]
async fn an_update_sets_inside_maps_counts_and_removes() {
    let db = db();
    let head = [
        ("V", n(1)),
        ("GSI1PK", s("BEHIND")),
        ("GSI1SK", s("acme")),
        ("Source", AttributeValue::M(key("x", "y"))),
    ];
    put(&db, item("TAXONOMY#acme", "HEAD", head)).await;
    let update = db
        .client()
        .update_item()
        .table_name(TABLE)
        .set_key(Some(key("TAXONOMY#acme", "HEAD")));
    let update = update.update_expression(
        "SET #s.ETag = :etag, Projected = if_not_exists(Projected, :one) + :one REMOVE GSI1PK, GSI1SK ADD Added :one",
    );
    let update = update
        .expression_attribute_names("#s", "Source")
        .expression_attribute_values(":etag", s("e"));
    let update = update
        .expression_attribute_values(":one", n(1))
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    update.send().await.unwrap();
    assert_eq!(
        db.exchanges().units_of("UpdateItem"),
        2.0,
        "the item and its index entry"
    );
    assert_eq!(
        db.dump(TABLE),
        ["TAXONOMY#acme | HEAD | V=1 Added=1 Projected=2 Source={ETag: e, PK: x, SK: y}"]
    );
}
