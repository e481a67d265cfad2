//! The engine refuses what AWS refuses, so that no test passes on requests that AWS would turn down.

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, Put, ReturnConsumedCapacity, TransactWriteItem,
};
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::dynamodb::{Item, item, key, n, s};
use taxonomy_testkit::fixtures::TABLE;

use crate::common::{db, put};

/// Sends a request and says `accepted`, or the code and the start of the message.
macro_rules! verdict {
    ($request:expr) => {
        match $request.send().await {
            Ok(_) => "accepted".to_owned(),
            Err(error) => {
                let message: String = error.message().unwrap_or("-").chars().take(70).collect();
                format!("{}: {message}", error.code().unwrap_or("-"))
            }
        }
    };
}

fn putting(db: &EmbeddedDynamoDb, item: Item) -> PutItemFluentBuilder {
    db.client().put_item().table_name(TABLE).set_item(Some(item))
}

fn actions(count: usize) -> Vec<TransactWriteItem> {
    let put = |i: usize| {
        Put::builder()
            .table_name(TABLE)
            .set_item(Some(key("a", &i.to_string())))
            .build()
            .unwrap()
    };
    (0..count)
        .map(|i| TransactWriteItem::builder().put(put(i)).build())
        .collect()
}

fn keys(count: usize) -> KeysAndAttributes {
    let keys = (0..count).map(|i| key("a", &i.to_string())).collect();
    KeysAndAttributes::builder().set_keys(Some(keys)).build().unwrap()
}

#[tokio::test]
async fn items_and_keys_have_limits() {
    let db = db();
    let long = |length: usize| s(&"k".repeat(length));
    let listed = |order| item("a", "b", [("GSI1PK", s("p")), ("GSI1SK", order)]);
    let mut seen = Vec::new();
    for (what, item) in [
        ("empty sort key", key("a", "")),
        ("empty index key", listed(s(""))),
        ("index key of the wrong type", listed(n(1))),
        ("partition key of 2049 bytes", key(&"k".repeat(2049), "b")),
        ("sort key of 1024 bytes", key("a", &"k".repeat(1024))),
        ("sort key of 1025 bytes", key("a", &"k".repeat(1025))),
        ("index sort key of 1024 bytes", listed(long(1024))),
        ("index sort key of 1025 bytes", listed(long(1025))),
        ("item of 400 KB", item("a", "b", [("Metadata", long(400 * 1024))])),
        (
            "number of 39 digits",
            item("a", "b", [("V", AttributeValue::N("1".repeat(39)))]),
        ),
    ] {
        seen.push(format!("{what}: {}", verdict!(putting(&db, item))));
    }
    insta::assert_snapshot!(seen.join("\n"), @"
    empty sort key: ValidationException: One or more parameter values are not valid. The AttributeValue for a k
    empty index key: ValidationException: One or more parameter values are not valid. A value specified for a se
    index key of the wrong type: ValidationException: One or more parameter values were invalid: Type mismatch for Index Key
    partition key of 2049 bytes: ValidationException: One or more parameter values were invalid: Size of hashkey has exceede
    sort key of 1024 bytes: accepted
    sort key of 1025 bytes: ValidationException: One or more parameter values were invalid: Aggregated size of all rang
    index sort key of 1024 bytes: accepted
    index sort key of 1025 bytes: ValidationException: One or more parameter values were invalid: Size of GSI1SK is 1025 byte
    item of 400 KB: ValidationException: Item size has exceeded the maximum allowed size
    number of 39 digits: ValidationException: Attempting to store more than 38 significant digits in a Number at lin
    ");
}

#[tokio::test]
async fn expressions_are_checked() {
    let db = db();
    let put = || putting(&db, key("a", "b"));
    let index = db
        .client()
        .query()
        .table_name(TABLE)
        .index_name("GSI1")
        .key_condition_expression("GSI1PK = :pk");
    let index = index
        .expression_attribute_values(":pk", s("a"))
        .consistent_read(true);
    let filter = db
        .client()
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk")
        .filter_expression("SK > :pk");
    let filter = filter.expression_attribute_values(":pk", s("a"));
    let unused = put()
        .condition_expression("attribute_not_exists(PK)")
        .expression_attribute_values(":v", n(1));
    let seen = [
        (
            "reserved word",
            verdict!(put().condition_expression("attribute_not_exists(Name)")),
        ),
        ("unused value", verdict!(unused)),
        ("missing value", verdict!(put().condition_expression("V < :v"))),
        ("consistent read of an index", verdict!(index)),
        ("filter on a key", verdict!(filter)),
        ("unknown table", verdict!(put().table_name("other"))),
    ];
    insta::assert_snapshot!(seen.map(|(what, verdict)| format!("{what}: {verdict}")).join("\n"), @"
    reserved word: ValidationException: 1 validation error detected: Invalid ConditionExpression: Attribute na
    unused value: ValidationException: 1 validation error detected: Value provided in ExpressionAttributeValu
    missing value: ValidationException: 1 validation error detected: Invalid ConditionExpression: An expressio
    consistent read of an index: ValidationException: Consistent reads are not supported on global secondary indexes
    filter on a key: ValidationException: Filter Expression can only contain non-primary key attributes: Primary
    unknown table: ResourceNotFoundException: Requested resource not found
    ");
}

#[tokio::test]
async fn batches_and_transactions_have_limits() {
    let db = db();
    let get = |keys| db.client().batch_get_item().request_items(TABLE, keys);
    let write = |actions| {
        db.client()
            .transact_write_items()
            .set_transact_items(Some(actions))
    };
    let twice = KeysAndAttributes::builder()
        .keys(key("a", "0"))
        .keys(key("a", "0"))
        .build()
        .unwrap();
    let token = "00000000-0000-4000-8000-000000000001";
    let seen = [
        ("100 keys", verdict!(get(keys(100)))),
        ("101 keys", verdict!(get(keys(101)))),
        ("a key twice", verdict!(get(twice))),
        ("100 actions", verdict!(write(actions(100)))),
        ("101 actions", verdict!(write(actions(101)))),
        (
            "an item twice",
            verdict!(write([actions(1), actions(1)].concat())),
        ),
        ("a token", verdict!(write(actions(1)).client_request_token(token))),
        (
            "the token again",
            verdict!(write(actions(1)).client_request_token(token)),
        ),
        (
            "the token with other actions",
            verdict!(write(actions(2)).client_request_token(token)),
        ),
    ];
    insta::assert_snapshot!(seen.map(|(what, verdict)| format!("{what}: {verdict}")).join("\n"), @"
    100 keys: accepted
    101 keys: ValidationException: 1 validation error detected: Value at 'RequestItems.taxonomy.member.Ke
    a key twice: ValidationException: Provided list of item keys contains duplicates
    100 actions: accepted
    101 actions: ValidationException: 1 validation error detected: Value '[TransactWriteItem(conditionCheck=
    an item twice: ValidationException: Transaction request cannot include multiple operations on one item
    a token: accepted
    the token again: accepted
    the token with other actions: IdempotentParameterMismatchException: An error occurred (IdempotentParameterMismatchException)
    ");
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

#[tokio::test]
async fn answers_end_at_1_mb_and_batches_at_16() {
    let db = db();
    for id in 0..44 {
        put(
            &db,
            item("a", &id.to_string(), [("Metadata", s(&"m".repeat(390_000)))]),
        )
        .await;
    }
    let query = db
        .client()
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk");
    let query = query
        .expression_attribute_values(":pk", s("a"))
        .return_consumed_capacity(ReturnConsumedCapacity::Total);
    let page = query.send().await.unwrap();
    assert_eq!((page.count(), page.last_evaluated_key().is_some()), (2, true));
    assert_eq!(db.exchanges().units_of("Query"), 95.5);
    let answer = db
        .client()
        .batch_get_item()
        .request_items(TABLE, keys(44))
        .send()
        .await
        .unwrap();
    let unprocessed = answer
        .unprocessed_keys
        .unwrap_or_default()
        .get(TABLE)
        .map_or(0, |keys| keys.keys().len());
    assert_eq!((answer.responses.unwrap()[TABLE].len(), unprocessed), (43, 1));
}
