//! Tests of each fault through the real SDK with its retries on. The commit relies on these results.
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{Put, ReturnValue, TransactWriteItem};
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_testkit::dynamodb::{n, s};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, S3Fake, When};

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
    seen(update.return_values(ReturnValue::AllNew).send().await)
}

/// Returns what a caller sees: `ok` or the error's code.
fn seen<T, E: ProvideErrorMetadata>(outcome: Result<T, E>) -> String {
    match outcome {
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
        let result = seen(put.body(ByteStream::from_static(b"{}")).send().await);
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
