//! Tests of downloads that fail, as callers and operators see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use taxonomy_formats::Format;
use taxonomy_store::redrive;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::sqs::{Message, queue_url, sqs_event};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{DOWNLOAD_DEAD_LETTERS, DOWNLOADS, TENANT, World, small};

use super::{DAY_MS, NEW_YEAR_MS, downloaded, form, newest, process_by, target, work};
use taxonomy_tests::asking::{ask, get};

async fn with_a_version() -> World {
    let world = World::new();
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world
}

/// A clock for lookups that shows the world's time.
fn clock(world_ms: u64) -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(world_ms))
}

/// Loses everything from which the content of the version follows.
fn lose_content(world: &World) {
    let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
    let lost = keys.filter(|key| !key.contains(".search-"));
    lost.for_each(|key| world.lose(&key));
}

/// The content is lost, so no further try would help.
#[tokio::test(start_paused = true)]
async fn a_damaged_version_is_a_dead_letter_at_once_and_answered_as_failed_for_an_hour() {
    let world = with_a_version().await;
    let head = world.committed(TENANT).await;
    let snapshot = world.s3.object(CHANGESETS_BUCKET, &head.snapshot_key).unwrap();
    lose_content(&world);
    let now = clock(NEW_YEAR_MS);
    let lookup = process_by(&world, &now);
    let target = target(1, form(Format::Csv));
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(work(&world).await, 1);
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    let failed = ask(&lookup, "GET", &target, None).await;
    assert_eq!(
        (failed.status_code, failed.headers["retry-after"].as_ref()),
        (503, "600")
    );
    assert_eq!(
        taxonomy_tests::asking::body(&failed)["type"],
        "/problems/download-failed"
    );
    // An hour later it is tried again, and fails again.
    now.store(NEW_YEAR_MS + DAY_MS, Ordering::SeqCst);
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(work(&world).await, 1);
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 2);
    // Repaired and redriven, it is served in spite of the failure record.
    world
        .s3
        .put(CHANGESETS_BUCKET, &head.snapshot_key, snapshot.bytes);
    let (dead, queue) = (queue_url(DOWNLOAD_DEAD_LETTERS), queue_url(DOWNLOADS));
    let moved = redrive(&world.sqs.client(), &dead, &queue, 10).await.unwrap();
    assert_eq!((moved, work(&world).await), (2, 2));
    now.store(NEW_YEAR_MS, Ordering::SeqCst);
    assert_eq!(get(&lookup, &target).await.0, 200);
}

/// S3 refuses the object on each of ten tries; until then the caller waits.
#[tokio::test(start_paused = true)]
async fn a_download_that_fails_on_every_try_becomes_a_dead_letter() {
    let world = with_a_version().await;
    let puts = When::always().operation("PutObject").containing("/downloads/");
    world.inject(puts, Fault::Throttle);
    let lookup = process_by(&world, &clock(NEW_YEAR_MS));
    let target = target(1, form(Format::Skos));
    assert_eq!(get(&lookup, &target).await.0, 202);
    for tries in 1..=projector::TRIES {
        assert!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).is_empty(), "{tries}");
        assert_eq!(get(&lookup, &target).await.0, 202, "{tries}");
        assert_eq!(work(&world).await, 1, "{tries}");
        world.pass(900);
    }
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
    let dead = world.sqs.messages(DOWNLOAD_DEAD_LETTERS);
    let download = newest(&world, TENANT, form(Format::Skos)).await;
    let body: Value = serde_json::from_str(&dead[0].body).unwrap();
    assert_eq!(
        body.to_string(),
        serde_json::from_str::<Value>(&download.message())
            .unwrap()
            .to_string()
    );
    assert_eq!(get(&lookup, &target).await.0, 503);
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
}

/// The process died each time before it could count. Some receives may have been throttled polls, so only many are a reason to give up.
#[tokio::test]
async fn a_message_that_was_received_again_and_again_is_given_up() {
    let world = with_a_version().await;
    let download = newest(&world, TENANT, form(Format::Csv)).await;
    let send = || {
        let message = world.sqs.send(DOWNLOADS, &download.message());
        world.sqs.take(DOWNLOADS);
        message
    };
    let received = |message: Message, times: u64| {
        let mut event = sqs_event(DOWNLOADS, &[message]);
        event["Records"][0]["attributes"]["ApproximateReceiveCount"] = json!(times.to_string());
        event
    };
    let (first, second) = (send(), send());
    world.pass(1);
    world.deliver(received(first, 9)).await.unwrap();
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    assert!(
        world
            .s3
            .object(CHANGESETS_BUCKET, &download.failure_key())
            .is_some()
    );
    // This message was sent before the failure was recorded: it would end the process just as often.
    world.deliver(received(second, 9)).await.unwrap();
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    world.deliver(received(send(), 8)).await.unwrap();
    assert!(world.s3.object(CHANGESETS_BUCKET, &download.key()).is_some());
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
}

/// If the dead letter or the record cannot be written, the message remains until both are.
#[tokio::test(start_paused = true)]
async fn a_failure_that_cannot_be_recorded_leaves_the_message_in_its_queue() {
    let world = with_a_version().await;
    let download = newest(&world, TENANT, form(Format::Csv)).await;
    lose_content(&world);
    let message = world.sqs.send(DOWNLOADS, &download.message());
    let failed = || world.s3.object(CHANGESETS_BUCKET, &download.failure_key());
    let records = When::always().operation("PutObject");
    let records = records.containing("/download-failures/");
    for (fault, dead_letters) in [(When::always().operation("SendMessage"), 0), (records, 1)] {
        world.inject(fault, Fault::Throttle);
        let event = sqs_event(DOWNLOADS, std::slice::from_ref(&message));
        let response = world.deliver(event).await.unwrap();
        assert_eq!(response["batchItemFailures"].as_array().unwrap().len(), 1);
        assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), dead_letters);
        assert_eq!(failed(), None);
        world.transport.reset_faults();
    }
    let response = world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
    assert_eq!(response["batchItemFailures"], json!([]));
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 2);
    assert!(failed().is_some());
}

/// Delivers a message to an invocation that ends before the download is made.
async fn run_out_of_time(world: &World, message: Message) {
    let event = sqs_event(DOWNLOADS, &[message]);
    let response = world.projector().handle(event, world.deadline_in(0)).await;
    assert!(response.unwrap().batch_item_failures.is_empty());
}

/// A caller polls for minutes, and every minute sends a message. The first one runs out of time twice; then the others do no work, and
/// the download is made anew only for a message that is sent after the hour.
#[tokio::test]
async fn a_download_that_always_runs_out_of_time_is_tried_twice_and_its_queued_messages_do_no_work() {
    let world = with_a_version().await;
    let now = clock(NEW_YEAR_MS);
    let lookup = process_by(&world, &now);
    let target = target(1, form(Format::History));
    let pass = |seconds: u64| {
        world.pass(seconds);
        now.fetch_add(seconds * 1000, Ordering::SeqCst);
    };
    for _ in 0..5 {
        assert_eq!(get(&lookup, &target).await.0, 202);
        pass(60);
    }
    let mut queued = world.sqs.take(DOWNLOADS);
    assert_eq!(queued.len(), 5);
    run_out_of_time(&world, queued.remove(0)).await;
    assert!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).is_empty());
    assert_eq!(get(&lookup, &target).await.0, 202);
    let again = world.sqs.take(DOWNLOADS);
    let tries = |message: &Message| serde_json::from_str::<Value>(&message.body).unwrap()["tries"].clone();
    let (retry, late): (Vec<_>, Vec<_>) = again.into_iter().partition(|message| tries(message) == 1);
    assert_eq!((retry.len(), late.len()), (1, 1));
    queued.extend(late);
    pass(60);
    run_out_of_time(&world, retry.into_iter().next().unwrap()).await;
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    let download = newest(&world, TENANT, form(Format::History)).await;
    for message in queued {
        world.exchanges().clear();
        let response = world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
        assert_eq!(response["batchItemFailures"], json!([]));
        let sent = world.exchanges().all();
        let sent: Vec<&str> = sent.iter().map(|exchange| exchange.operation.as_str()).collect();
        assert_eq!(
            sent,
            ["HeadObject"],
            "a read of the recorded failure, and no other request"
        );
    }
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
    assert_eq!(get(&lookup, &target).await.0, 503);
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
    pass(3660);
    downloaded(&world, &lookup, &target).await;
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
}
