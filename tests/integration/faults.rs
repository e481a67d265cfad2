//! Tests of requests that fail, are lost, or succeed although the response is lost.

use taxonomy_tests::prelude::*;

fn before() -> Vec<u8> {
    small(&[(1, "IT"), (2, "Law"), (3, "Mining")])
}

/// Throttling slows a large projection down and does not end it.
#[tokio::test(start_paused = true)]
async fn a_load_that_is_throttled_goes_on_when_it_may() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    // Far more than the SDK's five attempts for any of the seven items.
    world.inject(When::nth(1).operation("PutItem").times(70), Fault::Throttle);
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

fn after() -> Vec<u8> {
    small(&[(1, "Computing"), (2, "Law"), (3, "Mining")])
}

/// A first version whose load failed at an item, and the second that came behind it.
async fn two_versions(fault: Fault) -> World {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    let items = When::nth(3).operation("PutItem").times(usize::MAX);
    world.inject(items, fault);
    world.deliver(event).await.unwrap_err();
    world.transport.reset_faults();
    world.push(TENANT, &after()).await;
    assert_eq!(world.committed(TENANT).await.version.get(), 2);
    world
}

#[tokio::test(start_paused = true)]
async fn a_load_that_failed_goes_on_before_the_next_version() {
    let world = two_versions(Fault::DropBeforeSend).await;
    assert!(world.committed(TENANT).await.is_settled());
    assert_eq!(world.live(TENANT), expected(TENANT, &after()));
}

/// None of its writes can be under way after sixteen minutes.
#[tokio::test(start_paused = true)]
async fn a_load_that_cannot_succeed_is_given_up_for_the_next_version() {
    let world = two_versions(Fault::Refuse).await;
    assert_eq!(world.committed(TENANT).await.projected, None);
    world.pass(16 * 60);
    world.deliver(scheduled("sweep")).await.unwrap();
    assert!(world.committed(TENANT).await.is_settled());
    assert_eq!(world.live(TENANT), expected(TENANT, &after()));
}

/// Every response to the commit is lost, the SDK's retries included: the log shows that this process made it.
#[tokio::test(start_paused = true)]
async fn a_commit_whose_every_answer_is_lost_is_found_in_the_log() {
    let world = World::new();
    let event = world.upload(TENANT, &before());
    world.inject(
        When::nth(1).operation("TransactWriteItems").times(5),
        Fault::AnswerLost,
    );
    world.deliver(event).await.unwrap();
    // Five attempts of the commit, and the end of the load.
    assert_eq!(world.exchanges().count("TransactWriteItems"), 6);
    let log = world
        .db
        .dump(TABLE)
        .into_iter()
        .filter(|line| line.contains("CHANGESET#"))
        .count();
    assert_eq!((log, world.committed(TENANT).await.version.get()), (1, 1));
    assert_eq!(world.live(TENANT), expected(TENANT, &before()));
}

/// The versions between are in no table: one term was renamed there before it was removed, one was added again and removed again.
#[tokio::test(start_paused = true)]
async fn a_load_over_several_versions_leaves_the_last_state_of_what_is_gone() {
    let world = World::of(&[&small(&[(1, "IT"), (2, "Law")]), &small(&[(1, "IT")])]).await;
    let event = world.upload(TENANT, &small(&[(1, "Computing"), (2, "Justice")]));
    world.dies_at(event, 1, "UpdateItem").await;
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
