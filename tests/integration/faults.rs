//! Tests of requests that fail, are lost, or succeed although the response is lost.

use serde_json::json;
use taxonomy_testkit::{Fault, When};

/// The seconds after which a heartbeat is stale.
const STALE_SECONDS: u64 = 91;

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

/// Throttling slows a large projection down and does not end it.
#[tokio::test(start_paused = true)]
async fn a_load_that_is_throttled_goes_on_when_it_may() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    // Far more than the SDK's five attempts for any of the seven items.
    world
        .transport
        .inject(When::nth(1).operation("PutItem").times(70), Fault::Throttle);
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// Every response to the commit is lost, the SDK's retries included: the log shows that this process made it.
#[tokio::test(start_paused = true)]
async fn a_commit_whose_every_answer_is_lost_is_found_in_the_log() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world.transport.inject(
        When::nth(1).operation("TransactWriteItems").times(5),
        Fault::AnswerLost,
    );
    world.deliver(event).await.unwrap();
    assert_eq!(
        world.exchanges().count("TransactWriteItems"),
        6,
        "five attempts of the commit, and the end of the load"
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

/// A request of an older version arrives after the writes of a newer one.
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

/// The versions between are in no table: one term was renamed there before it was removed, one was added again and removed again.
#[tokio::test(start_paused = true)]
async fn a_load_over_several_versions_leaves_the_last_state_of_what_is_gone() {
    let world = World::new();
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world.push(TENANT, &small(&[(1, "IT")])).await;
    let event = world.upload(TENANT, &small(&[(1, "Computing"), (2, "Justice")]));
    assert!(
        world
            .dies(event, When::nth(1).operation("UpdateItem"), Fault::Crash)
            .await
    );
    world.replace(TENANT, &small(&[])).await;
    let head = world.committed(TENANT).await;
    assert_eq!((head.version.get(), head.is_settled()), (4, true));
    let tombstones = world.db.dump(TABLE).into_iter();
    let tombstones = tombstones
        .filter(|line| line.starts_with("TERM#"))
        .collect::<Vec<_>>();
    assert_eq!(tombstones.len(), 2);
    for (tombstone, name) in tombstones.iter().zip(["Sector:Computing", "Sector:Justice"]) {
        assert!(
            tombstone.contains(&format!("FinalName={name} ")) && tombstone.contains("Removed=true"),
            "{tombstone}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_sweep_finishes_who_was_left_behind_and_nobody_else() {
    let world = World::new();
    let sweep = || json!({"source": "taxonomy.schedule", "detail-type": "sweep"});
    let event = world.upload(TENANT, &before());
    assert!(
        world
            .dies(event, When::nth(2).operation("PutItem"), Fault::Crash)
            .await
    );

    world.exchanges().clear();
    world.deliver(sweep()).await.unwrap();
    assert_eq!(
        world.exchanges().count("PutItem"),
        0,
        "another process may still work on it"
    );
    world.pass(STALE_SECONDS);
    world.deliver(sweep()).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
    world.exchanges().clear();
    world.deliver(sweep()).await.unwrap();
    assert_eq!(world.exchanges().len(), 1, "one read of an empty list");
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
        .transport
        .inject(When::always().operation("PutItem"), Fault::Throttle);
    let error = world.deliver(event.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "1 tenants are unfinished");
    world.transport.reset_faults();
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}
