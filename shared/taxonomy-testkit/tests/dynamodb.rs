//! The embedded DynamoDB through the real client.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{
    Delete, Get, KeysAndAttributes, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
    TransactGetItem, TransactWriteItem, Update,
};
use std::collections::HashMap;
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::fixtures::TABLE;

type Item = HashMap<String, AttributeValue>;

fn db() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

fn s(text: &str) -> AttributeValue {
    S(text.to_owned())
}

fn n(number: u64) -> AttributeValue {
    N(number.to_string())
}

fn key(partition: &str, sort: &str) -> Item {
    HashMap::from([("PK".to_owned(), s(partition)), ("SK".to_owned(), s(sort))])
}

fn item<const K: usize>(partition: &str, sort: &str, more: [(&str, AttributeValue); K]) -> Item {
    let mut item = key(partition, sort);
    item.extend(more.map(|(name, value)| (name.to_owned(), value)));
    item
}

async fn put(db: &EmbeddedDynamoDb, item: Item) -> f64 {
    let put = db.client().put_item().table_name(TABLE).set_item(Some(item));
    let answer = put
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    answer.consumed_capacity.unwrap().capacity_units.unwrap()
}

/// Puts where the item is older than `version`, as every projection write does.
async fn put_newer(db: &EmbeddedDynamoDb, version: u64) -> Result<(), Option<Item>> {
    let put = db.client().put_item().table_name(TABLE).set_item(Some(item(
        "TERM#acme#1",
        "TERM#acme#1",
        [("V", n(version))],
    )));
    let put = put
        .condition_expression("attribute_not_exists(PK) OR V < :v")
        .expression_attribute_values(":v", n(version));
    let put = put.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    match put.send().await {
        Ok(_) => Ok(()),
        Err(error) => match error.into_service_error() {
            aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(failed) => {
                Err(failed.item)
            }
            other => panic!("{other:?}"),
        },
    }
}

#[tokio::test]
async fn a_conditional_put_keeps_the_newer_item_and_shows_it() {
    let db = db();
    assert_eq!(put_newer(&db, 2).await, Ok(()));
    assert_eq!(put_newer(&db, 3).await, Ok(()));
    assert_eq!(
        put_newer(&db, 2).await,
        Err(Some(item("TERM#acme#1", "TERM#acme#1", [("V", n(3))])))
    );
    assert_eq!(db.dump(TABLE), ["TERM#acme#1 | TERM#acme#1 | V=3"]);
    insta::assert_snapshot!(db.exchanges().lines().join("\n"), @"
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 200, 1 item
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 200, 1 item
    DynamoDB.PutItem taxonomy TERM#acme#1 TERM#acme#1 -> 400 ConditionalCheckFailedException
    ");
}

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

/// The head's compare-and-set and the log item, as a commit writes them.
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
async fn the_index_is_sparse_ordered_and_shows_the_listed_attributes_only() {
    let db = db();
    for (id, order) in [(1, "b#0000000000000001"), (2, "a#0000000000000002")] {
        let key = format!("TERM#acme#{id}");
        let listed = [
            ("GSI1PK", s("CHILDREN#acme#TERM#9")),
            ("GSI1SK", s(order)),
            ("Name", s("n")),
            ("Lineage", s("l")),
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
    TERM#acme#2 | TERM#acme#2 | GSI1PK=CHILDREN#acme#TERM#9 GSI1SK=a#0000000000000002 Name=n
    TERM#acme#1 | TERM#acme#1 | GSI1PK=CHILDREN#acme#TERM#9 GSI1SK=b#0000000000000001 Name=n
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
    let answer = get
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.responses.unwrap()[TABLE].len(), 1);
    assert!(answer.unprocessed_keys.unwrap_or_default().is_empty());
    assert_eq!(
        db.exchanges().lines().last().unwrap(),
        "DynamoDB.BatchGetItem taxonomy TERM#acme#1 TERM#acme#1, taxonomy TERM#acme#2 TERM#acme#2 -> 200, 1 item, 1 units",
        "a key that is not there costs as much as a small item"
    );
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
async fn the_stream_tells_every_change_in_the_shape_of_a_lambda_event() {
    let db = db();
    put(&db, item("TAXONOMY#acme", "HEAD", [("V", n(1))])).await;
    put(&db, item("TAXONOMY#acme", "HEAD", [("V", n(2))])).await;
    put(&db, item("TAXONOMY#acme", "HEAD", [("V", n(2))])).await;
    let delete = Delete::builder()
        .table_name(TABLE)
        .set_key(Some(key("TAXONOMY#acme", "HEAD")))
        .build()
        .unwrap();
    let delete = TransactWriteItem::builder().delete(delete).build();
    db.client()
        .transact_write_items()
        .transact_items(delete)
        .send()
        .await
        .unwrap();

    let event: aws_lambda_events::dynamodb::Event = serde_json::from_value(db.stream_event(TABLE)).unwrap();
    let mut lines = Vec::new();
    for record in &event.records {
        let version = |image: &serde_dynamo::Item| image.get("V").map(|v| format!("{v:?}"));
        lines.push(format!(
            "{} {:?} -> {:?}",
            record.event_name,
            version(&record.change.old_image),
            version(&record.change.new_image)
        ));
    }
    insta::assert_snapshot!(lines.join("\n"), @"");
    let sequence: Vec<_> = event
        .records
        .iter()
        .map(|record| record.change.sequence_number.clone().unwrap())
        .collect();
    assert!(sequence.is_sorted());
}

#[tokio::test]
async fn expired_items_leave_through_the_stream_as_removed_by_the_service() {
    let db = db();
    put(
        &db,
        item("TERM#acme#1", "PARENT#01", [("ExpiresAt", n(1_767_225_600 + 10))]),
    )
    .await;
    assert_eq!(db.expire_items(), 0);
    db.set_time(1_767_225_600_000 + 11_000);
    assert_eq!(db.expire_items(), 1);
    assert_eq!(
        db.stream_records(TABLE)[1]["userIdentity"]["principalId"],
        "dynamodb.amazonaws.com"
    );
}

#[tokio::test]
async fn more_than_a_page_is_dumped_and_streamed() {
    let db = db();
    for id in 0..30 {
        let sort = format!("CHANGESET#{id:012}");
        put(
            &db,
            item("TAXONOMY#acme", &sort, [("Source", s(&"x".repeat(50_000)))]),
        )
        .await;
    }
    assert_eq!(db.items(TABLE).len(), 30);
    assert_eq!(db.stream_records(TABLE).len(), 30);
}
