//! Tests of the stream and the clock.

use aws_sdk_dynamodb::types::{Delete, TransactWriteItem};
use taxonomy_testkit::dynamodb::{item, key, n, s};
use taxonomy_testkit::fixtures::TABLE;

use crate::common::{db, put};

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
        let change = serde_json::to_value(&record.change).unwrap();
        let version = |image: &str| change[image]["V"]["N"].as_str().unwrap_or("nothing").to_owned();
        lines.push(format!(
            "{} {} -> {}",
            record.event_name,
            version("OldImage"),
            version("NewImage")
        ));
    }
    insta::assert_snapshot!(lines.join("\n"), @"
    INSERT nothing -> 1
    MODIFY 1 -> 2
    REMOVE 2 -> nothing
    ");
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
