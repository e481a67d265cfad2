//! Requests that fail, are lost, or succeeded although the answer was lost.

use serde_json::json;
use taxonomy_protocol::Deadline;
use taxonomy_testkit::{Fault, When};

use taxonomy_keys::Version;
use taxonomy_model::writes;
use taxonomy_store::{Projection, Table};
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::world::{DEAD_LETTERS, RETRIES, TENANT, World, expected, read, small};

fn before() -> Vec<u8> {
    small(&[(1, "IT"), (2, "Law"), (3, "Mining")])
}

fn after() -> Vec<u8> {
    small(&[(1, "Computing"), (3, "Mining"), (4, "Teaching")])
}

/// Every kind of request of an upload, each with every fault: the SDK or the redelivery brings it to the same end.
#[tokio::test(start_paused = true)]
async fn whatever_fails_once_the_end_is_the_same() {
    let operations = [
        "Query",
        "HeadObject",
        "GetObject",
        "PutObject",
        "TransactWriteItems",
        "PutItem",
        "UpdateItem",
    ];
    let faults = [
        Fault::DropBeforeSend,
        Fault::AnswerLost,
        Fault::ServerErrorAfterApply,
        Fault::Throttle,
    ];
    for operation in operations {
        for fault in faults {
            let world = World::new();
            world.push(TENANT, &before()).await;
            let event = world.upload(TENANT, &after());
            world.wire.inject(When::nth(1).operation(operation), fault);
            if world.deliver(event.clone()).await.is_err() {
                world.deliver(event).await.unwrap();
            }
            let head = world.committed(TENANT).await;
            assert_eq!(
                (head.version.get(), head.is_settled()),
                (2, true),
                "{operation} {fault:?}"
            );
            assert_eq!(
                world.live(TENANT),
                expected(TENANT, &after()),
                "{operation} {fault:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflicting_transaction_is_tried_again() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world.wire.inject(
        When::nth(1).operation("TransactWriteItems").times(2),
        Fault::TransactionConflict,
    );
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// Throttling is the pace of a large load, not its end.
#[tokio::test(start_paused = true)]
async fn a_load_that_is_throttled_goes_on_when_it_may() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    // Far more than the SDK's five attempts for any of the seven items.
    world
        .wire
        .inject(When::nth(1).operation("PutItem").times(70), Fault::Throttle);
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// Every answer to the commit is lost, the SDK's retries included: the log says that it was ours.
#[tokio::test(start_paused = true)]
async fn a_commit_whose_every_answer_is_lost_is_found_in_the_log() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world.wire.inject(
        When::nth(1).operation("TransactWriteItems").times(5),
        Fault::AnswerLost,
    );
    world.deliver(event).await.unwrap();
    assert_eq!(
        world.exchanges().count("TransactWriteItems"),
        5,
        "no sixth attempt was needed"
    );
    let log = world
        .db
        .dump(TABLE)
        .into_iter()
        .filter(|line| line.contains("CHANGESET#"))
        .count();
    assert_eq!((log, world.committed(TENANT).await.version.get()), (1, 1));
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// A request of an older version arrives after a newer one was written.
#[tokio::test(start_paused = true)]
async fn a_late_writer_changes_nothing() {
    let world = World::new();
    let tenant = TENANT.parse().unwrap();
    world.push(TENANT, &before()).await;
    world.push(TENANT, &after()).await;
    let table = world.db.dump(TABLE);
    let old = read(&before());
    let late = Projection::new(Table::new(world.db.client(), TABLE), 4);
    let written = late
        .write(Version::FIRST, writes::between(&tenant, None, &old, 0), |_| true)
        .await
        .written;
    assert_eq!((written.put, written.already), (0, 4));
    assert_eq!(world.db.dump(TABLE), table);
}

/// A process dies at each of its requests in turn; a new one gets the same event.
#[tokio::test(start_paused = true)]
async fn a_process_that_dies_anywhere_is_followed_by_one_that_finishes() {
    for n in 1.. {
        let world = World::new();
        world.push(TENANT, &before()).await;
        let event = world.upload(TENANT, &after());
        world.wire.inject(When::nth(n), Fault::CrashAfterApply);
        let projector = world.projector();
        let died = world
            .wire
            .until_crash(projector.handle(event.clone(), Deadline::NONE))
            .await
            .is_none();
        world.wire.reset_faults();
        world.deliver(event).await.unwrap();
        assert_eq!(
            world.live(TENANT),
            expected(TENANT, &after()),
            "died after request {n}"
        );
        assert_eq!(
            world.committed(TENANT).await.version.get(),
            2,
            "died after request {n}"
        );
        if !died {
            assert!(n > 15, "only {n} requests");
            break;
        }
    }
}

/// A half-written version is overtaken by another upload: nothing of it may stay.
#[tokio::test(start_paused = true)]
async fn a_half_written_version_that_is_overtaken_leaves_nothing_behind() {
    // The term that is renamed, the one that goes and the one that comes.
    for n in 1..=3 {
        let world = World::new();
        world.push(TENANT, &before()).await;
        let event = world.upload(TENANT, &after());
        world.wire.inject(When::nth(n).operation("PutItem"), Fault::Crash);
        let projector = world.projector();
        assert!(
            world
                .wire
                .until_crash(projector.handle(event, Deadline::NONE))
                .await
                .is_none()
        );
        world.wire.reset_faults();
        world.push(TENANT, &before()).await;
        let head = world.committed(TENANT).await;
        assert_eq!((head.version.get(), head.is_settled()), (3, true));
        assert_eq!(
            world.live(TENANT),
            expected(TENANT, &before()),
            "died before write {n}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn two_processes_at_once_agree() {
    let world = World::new();
    world.push(TENANT, &before()).await;
    let event = world.upload(TENANT, &after());
    let (a, b) = (world.projector(), world.projector());
    let (first, second) = tokio::join!(
        a.handle(event.clone(), Deadline::NONE),
        b.handle(event, Deadline::NONE)
    );
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(world.committed(TENANT).await.version.get(), 2);
    assert_eq!(world.live(TENANT), expected(TENANT, &after()));
}

#[tokio::test(start_paused = true)]
async fn a_sweep_finishes_who_was_left_behind_and_nobody_else() {
    let world = World::new();
    let sweep = || json!({"source": "taxonomy.schedule", "detail-type": "sweep"});
    let event = world.upload(TENANT, &before());
    world.wire.inject(When::nth(2).operation("PutItem"), Fault::Crash);
    let projector = world.projector();
    assert!(
        world
            .wire
            .until_crash(projector.handle(event, Deadline::NONE))
            .await
            .is_none()
    );
    world.wire.reset_faults();

    world.exchanges().clear();
    world.deliver(sweep()).await.unwrap();
    assert_eq!(
        world.exchanges().count("PutItem"),
        0,
        "somebody may still be at it"
    );
    world.pass(900);
    world.deliver(sweep()).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
    world.exchanges().clear();
    world.deliver(sweep()).await.unwrap();
    assert_eq!(world.exchanges().len(), 1, "one look at an empty list");
}

#[tokio::test(start_paused = true)]
async fn of_a_batch_only_what_failed_comes_again() {
    let world = World::new();
    world.upload(TENANT, &before());
    drop(world.upload("globex", &before()));
    world.s3.deny("taxonomy-source", "taxonomies/globex.json");
    let message = |id: &str, body: &str| json!({"eventSource": "aws:sqs", "messageId": id, "body": body});
    let event = json!({"Records": [
        message("good", r#"{"tenant":"acme"}"#),
        message("failing", r#"{"tenant":"globex"}"#),
        message("strange", "{}"),
    ]});
    let response = world.deliver(event).await.unwrap();
    assert_eq!(response["batchItemFailures"], json!([]));
    let bodies = |queue: &str| -> Vec<String> {
        let messages = world.sqs.messages(queue).into_iter();
        messages.map(|message| message.body).collect()
    };
    assert_eq!(bodies(RETRIES), [r#"{"tenant":"globex","tries":1}"#]);
    assert_eq!(bodies(DEAD_LETTERS), ["{}"]);
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_fails_the_event() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world
        .wire
        .inject(When::always().operation("PutItem"), Fault::Throttle);
    let error = world.deliver(event.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "1 tenants are unfinished");
    world.wire.reset_faults();
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// Another commit of the same head is under way just when the head is to be settled.
#[tokio::test(start_paused = true)]
async fn a_head_in_conflict_is_looked_at_again() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world
        .wire
        .inject(When::nth(1).operation("UpdateItem"), Fault::TransactionConflict);
    world.deliver(event).await.unwrap();
    assert!(world.committed(TENANT).await.is_settled());
}
