//! Tests of the replica that eventually consistent reads are answered from.

use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem};
use taxonomy_testkit::dynamodb::{Item, Lag, item, key, n, s};
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, When};

use crate::common::{db, put};

const TERM: &str = "TERM#acme#1";

fn term(version: u64) -> Item {
    let listed = [
        ("V", n(version)),
        ("GSI1PK", s("CHILDREN#acme")),
        ("GSI1SK", s(&format!("{version}"))),
    ];
    item(TERM, TERM, listed)
}

/// Returns the version that each kind of read returns: get, batch, query, index; `-` if there is no item.
async fn seen(db: &EmbeddedDynamoDb, consistent: bool) -> String {
    let client = db.client();
    let get = client.get_item().table_name(TABLE).set_key(Some(key(TERM, TERM)));
    let got = get.consistent_read(consistent).send().await.unwrap().item;
    let keys = KeysAndAttributes::builder()
        .keys(key(TERM, TERM))
        .consistent_read(consistent);
    let batch = client
        .batch_get_item()
        .request_items(TABLE, keys.build().unwrap());
    let batch = batch
        .send()
        .await
        .unwrap()
        .responses
        .unwrap()
        .remove(TABLE)
        .unwrap()
        .pop();
    let query = client
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk");
    let query = query
        .expression_attribute_values(":pk", s(TERM))
        .consistent_read(consistent);
    let queried = query.send().await.unwrap().items.unwrap().pop();
    let index = client
        .query()
        .table_name(TABLE)
        .index_name("GSI1")
        .key_condition_expression("GSI1PK = :pk");
    let index = index.expression_attribute_values(":pk", s("CHILDREN#acme"));
    let listed = index.send().await.unwrap().items.unwrap().pop();
    // The index has keys alone; that of the entry is the version.
    let version = |item: Option<Item>| match item.map(|item| item["GSI1SK"].clone()) {
        Some(AttributeValue::S(version)) => version,
        _ => "-".to_owned(),
    };
    [got, batch, queried, listed].map(version).join(" ")
}

#[tokio::test]
async fn a_stale_read_is_older_and_a_consistent_one_is_not() {
    let db = db();
    put(&db, term(1)).await;
    db.hold_replica();
    put(&db, term(2)).await;
    let read = |consistent| {
        let get = db
            .client()
            .get_item()
            .table_name(TABLE)
            .set_key(Some(key(TERM, TERM)));
        async move {
            get.consistent_read(consistent)
                .send()
                .await
                .unwrap()
                .item
                .unwrap()["V"]
                .clone()
        }
    };
    assert_eq!(read(false).await, n(2), "without the fault");
    db.transport()
        .inject(When::always().operation("GetItem"), Fault::StaleRead);
    assert_eq!(read(false).await, n(1));
    assert_eq!(read(true).await, n(2));
    db.advance_replica_fully();
    assert_eq!(read(false).await, n(2));
    put(&db, term(3)).await;
    assert_eq!(read(false).await, n(2));
}

#[tokio::test]
async fn the_index_may_lag_alone_or_everything_does() {
    let db = db();
    put(&db, term(1)).await;
    assert_eq!(seen(&db, false).await, "1 1 1 1");
    db.lag(Lag::Index);
    put(&db, term(2)).await;
    assert_eq!(seen(&db, false).await, "2 2 2 1");
    db.lag(Lag::Everything);
    assert_eq!(seen(&db, false).await, "1 1 1 1");
    assert_eq!(
        seen(&db, true).await,
        "2 2 2 1",
        "an index has no consistent reads"
    );
    let delete = TransactWriteItem::builder().delete(
        aws_sdk_dynamodb::types::Delete::builder()
            .table_name(TABLE)
            .set_key(Some(key(TERM, TERM)))
            .build()
            .unwrap(),
    );
    db.client()
        .transact_write_items()
        .transact_items(delete.build())
        .send()
        .await
        .unwrap();
    assert_eq!(db.advance_replica(1), 1);
    assert_eq!(seen(&db, false).await, "2 2 2 2");
    assert_eq!(seen(&db, true).await, "- - - 2");
    assert_eq!(db.advance_replica(5), 1);
    assert_eq!(seen(&db, false).await, "- - - -");
    put(&db, term(3)).await;
    db.drop_replica();
    assert_eq!(seen(&db, false).await, "3 3 3 3");
}

#[tokio::test]
async fn a_transaction_arrives_item_by_item_and_partitions_do_not_wait_for_each_other() {
    let db = db();
    db.lag(Lag::Everything);
    let write = |partition: &str| {
        let put = Put::builder()
            .table_name(TABLE)
            .set_item(Some(key(partition, "x")))
            .build()
            .unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    let transaction = db.client().transact_write_items();
    transaction
        .transact_items(write("a"))
        .transact_items(write("b"))
        .send()
        .await
        .unwrap();
    let update = db
        .client()
        .update_item()
        .table_name(TABLE)
        .set_key(Some(key("a", "x")));
    let update = update
        .update_expression("SET V = :one")
        .expression_attribute_values(":one", n(1));
    update.send().await.unwrap();
    let waiting = |names: &[&str]| {
        names
            .iter()
            .map(|name| ((*name).to_owned(), "x".to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(db.behind(), waiting(&["a", "b", "a"]));
    assert_eq!(db.advance_partition("b", 9), 1);
    assert_eq!(db.behind(), waiting(&["a", "a"]));
    let scan = db
        .client()
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk");
    let found = |partition| {
        scan.clone()
            .expression_attribute_values(":pk", s(partition))
            .send()
    };
    assert_eq!(found("b").await.unwrap().count(), 1);
    assert_eq!(found("a").await.unwrap().count(), 0);
    db.advance_replica(1);
    assert!(!found("a").await.unwrap().items()[0].contains_key("V"));
}

#[tokio::test]
async fn what_fails_is_not_copied_and_what_expires_is() {
    let db = db();
    put(&db, item("a", "b", [("ExpiresAt", n(1))])).await;
    db.lag(Lag::Everything);
    let refused = db
        .client()
        .put_item()
        .table_name(TABLE)
        .set_item(Some(key("a", "b")));
    let refused = refused.condition_expression("attribute_not_exists(PK)").send();
    refused.await.unwrap_err();
    assert!(db.behind().is_empty());
    assert_eq!(db.expire_items(), 1);
    assert_eq!(db.behind().len(), 1);
    let get = db
        .client()
        .get_item()
        .table_name(TABLE)
        .set_key(Some(key("a", "b")));
    assert!(get.clone().send().await.unwrap().item.is_some());
    db.advance_replica_fully();
    assert!(get.send().await.unwrap().item.is_none());
}

#[tokio::test]
#[should_panic(expected = "a stale read needs a replica")]
async fn a_stale_read_without_a_replica_is_a_mistake_of_the_test() {
    let db = db();
    db.transport().inject(When::always(), Fault::StaleRead);
    let _ = db
        .client()
        .get_item()
        .table_name(TABLE)
        .set_key(Some(key("a", "b")))
        .send()
        .await;
}
