//! Tests of downloads that fail, as callers and operators see them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use taxonomy_formats::Format;
use taxonomy_store::redrive;
use taxonomy_tests::prelude::*;

use super::{DAY_MS, NEW_YEAR_MS, downloaded, form, newest, process_by, target, work};

async fn with_a_version() -> World {
    World::of(&[&small(&[(1, "IT"), (2, "Law")])]).await
}

/// A clock for lookups that shows the world's time.
fn clock(world_ms: u64) -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(world_ms))
}

/// Loses everything from which the content of the version follows.
fn lose_content(world: &World) {
    world.lose_all(|key| !key.contains(".search-"));
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
    assert_eq!(failed.headers["retry-after"], "600");
    problems(&lookup, &format!("{target} 503 download-failed")).await;
    // An hour later it is tried again, and fails again.
    now.store(NEW_YEAR_MS + DAY_MS, Ordering::SeqCst);
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(work(&world).await, 1);
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 2);
    // Repaired and redriven, it is served in spite of the failure record.
    world.put_body(&head.snapshot_key, snapshot.bytes);
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
    let body = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(body(&dead[0].body), body(&download.message()));
    assert_eq!(get(&lookup, &target).await.0, 503);
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
}

/// The process died each time before it could count. Some receives may have been throttled polls, so only many are a reason to give up.
#[tokio::test]
async fn a_message_that_was_received_again_and_again_is_given_up() {
    let world = with_a_version().await;
    let download = newest(&world, TENANT, form(Format::Csv)).await;
    let send = || world.received(DOWNLOADS, &download.message());
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
    let note = world.s3.object(CHANGESETS_BUCKET, &download.failure_key());
    assert!(note.is_some());
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
    world.work_off(DOWNLOADS, &queued.remove(0), 0).await;
    assert!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).is_empty());
    assert_eq!(get(&lookup, &target).await.0, 202);
    let again = world.sqs.take(DOWNLOADS);
    let tries = |message: &Message| serde_json::from_str::<Value>(&message.body).unwrap()["tries"].clone();
    let (retry, late): (Vec<_>, Vec<_>) = again.into_iter().partition(|message| tries(message) == 1);
    assert_eq!((retry.len(), late.len()), (1, 1));
    queued.extend(late);
    pass(60);
    world.work_off(DOWNLOADS, &retry[0], 0).await;
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    let download = newest(&world, TENANT, form(Format::History)).await;
    for message in queued {
        world.exchanges().clear();
        let response = world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
        assert_eq!(response["batchItemFailures"], json!([]));
        // A read of the recorded failure, and no other request.
        assert_eq!(world.operations(), ["HeadObject"]);
    }
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
    assert_eq!(get(&lookup, &target).await.0, 503);
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
    pass(3660);
    downloaded(&world, &lookup, &target).await;
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
}
