//! Tests of delayed requests and of requests at a gate: a request reaches its service even if its sender no longer waits.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]

use std::time::Duration;

use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use taxonomy_testkit::dynamodb::{item, key, n, s};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, S3Fake, Transport, When};
use tokio::time::{Instant, timeout};

const MINUTE: Duration = Duration::from_secs(60);

fn db() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

/// Writes an item with the time-outs of production, three seconds for each attempt.
async fn put(db: &EmbeddedDynamoDb, version: u64) -> bool {
    let timeouts = TimeoutConfig::builder().operation_attempt_timeout(Duration::from_secs(3));
    let client = db.config().timeout_config(timeouts.build()).build();
    let put = aws_sdk_dynamodb::Client::from_conf(client)
        .put_item()
        .table_name(TABLE);
    let put = put.set_item(Some(item("a", "b", [("V", n(version))])));
    put.send().await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn a_slow_request_is_applied_before_its_answer() {
    let db = db();
    db.transport()
        .inject(When::nth(1), Fault::SlowAnswer(Duration::from_secs(2)));
    let start = Instant::now();
    let writing = put(&db, 1);
    let mut writing = std::pin::pin!(writing);
    assert!(timeout(Duration::from_secs(1), &mut writing).await.is_err());
    assert_eq!(db.dump(TABLE), ["a | b | V=1"]);
    assert!(writing.await);
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!(
        db.exchanges().lines(),
        ["DynamoDB.PutItem taxonomy a b -> 200, 1 item (SlowAnswer(2s))"]
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_slower_than_the_attempt_is_asked_for_again() {
    let db = db();
    db.transport().inject(When::nth(1), Fault::SlowAnswer(MINUTE));
    assert!(put(&db, 1).await);
    assert_eq!(db.exchanges().count("PutItem"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_given_up_arrives_after_those_that_came_later() {
    let db = db();
    db.transport()
        .inject(When::nth(1), Fault::SlowBeforeApply(MINUTE));
    assert!(put(&db, 1).await, "the SDK's second attempt");
    assert!(put(&db, 2).await);
    assert_eq!(db.dump(TABLE), ["a | b | V=2"]);
    db.transport().settle().await;
    assert_eq!(db.dump(TABLE), ["a | b | V=1"], "the zombie has the last word");
    insta::assert_snapshot!(db.exchanges().lines().join("\n"), @"
    DynamoDB.PutItem taxonomy a b -> 200, 1 item
    DynamoDB.PutItem taxonomy a b -> 200, 1 item
    DynamoDB.PutItem taxonomy a b -> no answer (SlowBeforeApply(60s))
    ");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_late_and_waited_for_is_answered() {
    let db = db();
    db.transport()
        .inject(When::nth(1), Fault::SlowBeforeApply(Duration::from_secs(2)));
    assert!(put(&db, 1).await);
    assert_eq!(
        db.exchanges().lines(),
        ["DynamoDB.PutItem taxonomy a b -> 200, 1 item (SlowBeforeApply(2s))"]
    );
}

/// Runs all tasks until their requests wait at the gate.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

#[tokio::test(start_paused = true)]
async fn at_a_closed_gate_the_test_says_who_goes_first() {
    let db = db();
    db.transport().close_gate();
    let writers = ["first", "second"].map(|actor| {
        let db = db.acting_as(actor);
        tokio::spawn(async move { put(&db, actor.len() as u64).await })
    });
    settle().await;
    let pending = db.transport().pending();
    let id = |actor| pending.iter().find(|one| one.actor == actor).unwrap().id;
    let ids: Vec<_> = pending.iter().map(|one| one.id).collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(pending[0].to_string(), "DynamoDB.PutItem taxonomy a b");
    assert!(db.items(TABLE).is_empty());
    db.transport().release(id("second"), None);
    assert_eq!(
        db.dump(TABLE),
        ["a | b | V=6"],
        "applied before the release returns"
    );
    db.transport().release(id("first"), None);
    for writer in writers {
        assert!(writer.await.unwrap());
    }
    assert_eq!(db.dump(TABLE), ["a | b | V=5"]);
    insta::assert_snapshot!(db.exchanges().lines().join("\n"), @"
    second: DynamoDB.PutItem taxonomy a b -> 200, 1 item
    first: DynamoDB.PutItem taxonomy a b -> 200, 1 item
    ");
}

#[tokio::test(start_paused = true)]
async fn a_write_at_the_gate_outlives_its_writer_even_where_its_answer_is_lost() {
    for fault in [None, Some(Fault::AnswerLost), Some(Fault::ServerErrorAfterApply)] {
        let db = db();
        db.transport().close_gate();
        let writer = db.acting_as("dead");
        let writer = tokio::spawn(async move { put(&writer, 1).await });
        settle().await;
        writer.abort();
        settle().await;
        assert!(db.transport().pending()[0].is_abandoned);
        assert!(db.items(TABLE).is_empty());
        db.transport().release(1, fault);
        assert_eq!(db.dump(TABLE), ["a | b | V=1"], "{fault:?}");
        let exchange = &db.exchanges().all()[0];
        assert_eq!((exchange.status, exchange.fault), (None, fault));
        assert_eq!(exchange.effect.as_deref(), Some("200"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_lost_at_the_gate_is_sent_again() {
    let db = db();
    db.transport().close_gate();
    let writer = db.acting_as("A");
    let writer = tokio::spawn(async move { put(&writer, 1).await });
    settle().await;
    db.transport().release(1, Some(Fault::DropBeforeSend));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(db.transport().pending()[0].id, 2);
    db.transport().open_gate();
    assert!(writer.await.unwrap());
    assert!(put(&db, 2).await, "the gate is open");
}

#[tokio::test(start_paused = true)]
async fn a_request_at_the_gate_keeps_the_fault_that_was_injected_for_it() {
    let transport = Transport::new();
    let s3 = S3Fake::on(&transport);
    transport.inject(When::nth(1), Fault::ServerErrorAfterApply);
    transport.close_gate();
    let put = s3.client().put_object().bucket(SOURCE_BUCKET).key("k").send();
    let put = tokio::spawn(put);
    settle().await;
    transport.open_gate();
    put.await.unwrap().unwrap();
    let faults: Vec<_> = transport
        .exchanges()
        .all()
        .iter()
        .map(|exchange| exchange.fault)
        .collect();
    assert_eq!(faults, [Some(Fault::ServerErrorAfterApply), None]);
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_too_long_at_the_gate_knocks_again() {
    let db = db();
    db.transport().close_gate();
    let writer = db.acting_as("A");
    let writer = tokio::spawn(async move { put(&writer, 1).await });
    tokio::time::sleep(Duration::from_secs(5)).await;
    let abandoned: Vec<_> = db
        .transport()
        .pending()
        .iter()
        .map(|one| one.is_abandoned)
        .collect();
    assert_eq!(abandoned, [true, false]);
    db.transport().release(2, None);
    assert!(writer.await.unwrap());
    let update = db
        .client()
        .get_item()
        .table_name(TABLE)
        .set_key(Some(key("a", "b")));
    db.transport().release(1, None);
    db.transport().open_gate();
    assert_eq!(update.send().await.unwrap().item.unwrap()["PK"], s("a"));
}
