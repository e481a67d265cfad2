//! Tests of each fault through the real SDK with its retries on. The commit relies on these results.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{Put, ReturnValue, TransactWriteItem};
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_testkit::dynamodb::{n, s};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, S3Fake, Transport, When};

fn db() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

/// Moves the head from one version to the next if it is unchanged; returns `ok` or the error's code.
async fn move_head(db: &EmbeddedDynamoDb, from: u64) -> String {
    let update = db
        .client()
        .update_item()
        .table_name(TABLE)
        .key("PK", s("TAXONOMY#acme"))
        .key("SK", s("HEAD"));
    let update = update
        .update_expression("SET V = :new")
        .condition_expression("attribute_not_exists(PK) OR V = :old");
    let update = update
        .expression_attribute_values(":new", n(from + 1))
        .expression_attribute_values(":old", n(from));
    match update.return_values(ReturnValue::AllNew).send().await {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.code().unwrap_or("no answer").to_owned(),
    }
}

/// Returns the caller's result, whether the head has moved, and the number of requests.
async fn head_under(fault: Fault, times: usize) -> (String, bool, usize) {
    let db = db();
    move_head(&db, 0).await;
    db.exchanges().clear();
    db.transport().inject(When::nth(1).times(times), fault);
    let result = move_head(&db, 1).await;
    let moved = db.dump(TABLE) == ["TAXONOMY#acme | HEAD | V=2"];
    (result, moved, db.exchanges().count("UpdateItem"))
}

#[tokio::test(start_paused = true)]
async fn a_compare_and_set_under_each_fault() {
    let mut table = Vec::new();
    for fault in Fault::ALL {
        let (result, moved, sent) = head_under(fault, 1).await;
        table.push(format!(
            "{fault:?}: caller sees {result}, moved {moved}, sent {sent}"
        ));
    }
    insta::assert_snapshot!(table.join("\n"), @"
    DropBeforeSend: caller sees ok, moved true, sent 2
    AnswerLost: caller sees ConditionalCheckFailedException, moved true, sent 2
    ServerErrorAfterApply: caller sees ConditionalCheckFailedException, moved true, sent 2
    Throttle: caller sees ok, moved true, sent 2
    TransactionConflict: caller sees TransactionConflictException, moved false, sent 1
    Crash: caller sees no answer, moved false, sent 1
    CrashAfterApply: caller sees no answer, moved true, sent 1
    ");
}

#[tokio::test(start_paused = true)]
async fn throttles_are_retried_until_the_attempts_are_used_up() {
    assert_eq!(head_under(Fault::Throttle, 4).await, ("ok".to_owned(), true, 5));
    assert_eq!(
        head_under(Fault::Throttle, 5).await,
        ("ProvisionedThroughputExceededException".to_owned(), false, 5)
    );
}

#[tokio::test(start_paused = true)]
async fn a_transaction_meets_itself_without_harm_because_it_carries_a_token() {
    for fault in [Fault::AnswerLost, Fault::ServerErrorAfterApply] {
        let db = db();
        db.transport().inject(When::nth(1), fault);
        let put = Put::builder()
            .table_name(TABLE)
            .item("PK", s("TAXONOMY#acme"))
            .item("SK", s("CHANGESET#000000000001"));
        let put = put
            .condition_expression("attribute_not_exists(PK)")
            .build()
            .unwrap();
        let write = db
            .client()
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put).build());
        write.send().await.unwrap();
        assert_eq!(db.exchanges().count("TransactWriteItems"), 2);
        assert_eq!(db.stream_records(TABLE).len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_names_the_reason_and_is_not_retried() {
    let db = db();
    db.transport().inject(When::nth(1), Fault::TransactionConflict);
    let put = Put::builder()
        .table_name(TABLE)
        .item("PK", s("a"))
        .item("SK", s("b"))
        .build()
        .unwrap();
    let write = db
        .client()
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build());
    let refused = write.send().await.unwrap_err().into_service_error();
    let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(refused) =
        refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!(
        refused.cancellation_reasons()[0].code(),
        Some("TransactionConflict")
    );
    assert_eq!(db.exchanges().len(), 1);
    assert!(db.items(TABLE).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_create_in_s3_under_each_fault() {
    let mut table = Vec::new();
    for fault in Fault::ALL {
        let s3 = S3Fake::new();
        s3.transport().inject(
            When::nth(1).operation("PutObject").containing("snapshots/"),
            fault,
        );
        let put = s3
            .client()
            .put_object()
            .bucket(SOURCE_BUCKET)
            .key("snapshots/1")
            .if_none_match("*");
        let result = match put.body(ByteStream::from_static(b"{}")).send().await {
            Ok(_) => "ok".to_owned(),
            Err(error) => error.code().unwrap_or("no answer").to_owned(),
        };
        let written = s3.object(SOURCE_BUCKET, "snapshots/1").is_some();
        table.push(format!(
            "{fault:?}: caller sees {result}, written {written}, sent {}",
            s3.exchanges().len()
        ));
    }
    insta::assert_snapshot!(table.join("\n"), @"
    DropBeforeSend: caller sees ok, written true, sent 2
    AnswerLost: caller sees PreconditionFailed, written true, sent 2
    ServerErrorAfterApply: caller sees PreconditionFailed, written true, sent 2
    Throttle: caller sees ok, written true, sent 2
    TransactionConflict: caller sees ConditionalRequestConflict, written false, sent 1
    Crash: caller sees no answer, written false, sent 1
    CrashAfterApply: caller sees no answer, written true, sent 1
    ");
}

#[tokio::test(start_paused = true)]
async fn faults_choose_their_requests_by_operation_target_and_number() {
    let db = db();
    db.transport().inject(
        When::nth(2).operation("UpdateItem").containing("HEAD"),
        Fault::Throttle,
    );
    db.transport()
        .inject(When::always().operation("GetItem"), Fault::Throttle);
    for version in 0..3 {
        assert_eq!(move_head(&db, version).await, "ok");
    }
    insta::assert_snapshot!(db.exchanges().lines().join("\n"), @"
    DynamoDB.UpdateItem taxonomy TAXONOMY#acme HEAD -> 200, 1 item
    DynamoDB.UpdateItem taxonomy TAXONOMY#acme HEAD -> 400 ProvisionedThroughputExceededException (Throttle)
    DynamoDB.UpdateItem taxonomy TAXONOMY#acme HEAD -> 200, 1 item
    DynamoDB.UpdateItem taxonomy TAXONOMY#acme HEAD -> 200, 1 item
    ");
}

#[tokio::test(start_paused = true)]
async fn a_crash_stops_every_service_on_the_wire_until_reset() {
    let transport = Transport::new();
    let (db, s3) = (EmbeddedDynamoDb::on(&transport), S3Fake::on(&transport));
    db.create_table(TABLE);
    transport.inject(When::nth(2), Fault::CrashAfterApply);
    assert_eq!(move_head(&db, 0).await, "ok");
    assert_eq!(move_head(&db, 1).await, "no answer");
    assert!(transport.is_crashed());
    assert!(
        s3.client()
            .get_object()
            .bucket(SOURCE_BUCKET)
            .key("k")
            .send()
            .await
            .is_err()
    );
    assert_eq!(
        db.dump(TABLE),
        ["TAXONOMY#acme | HEAD | V=2"],
        "the second write was applied"
    );
    transport.reset_faults();
    assert_eq!(move_head(&db, 2).await, "ok");
    assert_eq!(transport.exchanges().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_dead_process_runs_no_error_handling() {
    let db = db();
    let process = async {
        for version in 0.. {
            if move_head(&db, version).await != "ok" {
                unreachable!("a dead process does not see that it is dead");
            }
        }
    };
    db.transport().inject(When::nth(3), Fault::Crash);
    assert_eq!(db.transport().until_crash(process).await, None);
    assert_eq!(db.dump(TABLE), ["TAXONOMY#acme | HEAD | V=2"]);
    db.transport().reset_faults();
    assert_eq!(
        db.transport().until_crash(move_head(&db, 2)).await.as_deref(),
        Some("ok")
    );
}

#[tokio::test]
async fn requests_of_concurrent_tasks_take_turns() {
    let db = db();
    let put = |sort: &'static str| {
        let client = db.client();
        async move {
            for round in 0..2 {
                let put = client
                    .put_item()
                    .table_name(TABLE)
                    .item("PK", s(&round.to_string()))
                    .item("SK", s(sort));
                put.send().await.unwrap();
            }
        }
    };
    let tasks = [tokio::spawn(put("a")), tokio::spawn(put("b"))];
    for task in tasks {
        task.await.unwrap();
    }
    let rounds: Vec<_> = db
        .exchanges()
        .all()
        .into_iter()
        .map(|exchange| exchange.target[..10].to_owned())
        .collect();
    assert_eq!(rounds, ["taxonomy 0", "taxonomy 0", "taxonomy 1", "taxonomy 1"]);
}
