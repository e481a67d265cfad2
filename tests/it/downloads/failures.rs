//! Downloads that fail, and what callers and operators see of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;
use taxonomy_formats::Format;
use taxonomy_store::redrive;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::sqs::{queue_url, sqs_event};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{DOWNLOAD_DEAD_LETTERS, DOWNLOADS, TENANT, World, small};

use super::{DAY_MS, NEW_YEAR_MS, downloaded, form, newest, process_by, target, work};
use crate::asking::{ask, get};

async fn with_a_version() -> World {
    let world = World::new();
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world
}

/// A clock for lookups that shows the world's time.
fn clock(world_ms: u64) -> Arc<AtomicU64> {
    Arc::new(AtomicU64::new(world_ms))
}

/// A snapshot is missing: no further try would help.
#[tokio::test(start_paused = true)]
async fn a_damaged_version_is_a_dead_letter_at_once_and_answered_as_failed_for_an_hour() {
    let world = with_a_version().await;
    let head = world.committed(TENANT).await;
    let snapshot = world.s3.object(CHANGESETS_BUCKET, &head.snapshot_key).unwrap();
    world.s3.delete(CHANGESETS_BUCKET, &head.snapshot_key);
    let now = clock(NEW_YEAR_MS);
    let lookup = process_by(&world, &now);
    let target = target(1, form(Format::Csv));
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(work(&world).await, 1);
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    let failed = ask(&lookup, "GET", &target, None).await;
    assert_eq!(
        (failed.status_code, failed.headers["retry-after"].as_str()),
        (503, "600")
    );
    assert_eq!(crate::asking::body(&failed)["type"], "/problems/download-failed");
    // An hour later it is tried anew, and fails anew.
    now.store(NEW_YEAR_MS + DAY_MS, Ordering::SeqCst);
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(work(&world).await, 1);
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 2);
    // Mended and redriven, it is served in spite of the note.
    world
        .s3
        .put(CHANGESETS_BUCKET, &head.snapshot_key, snapshot.bytes);
    let (dead, queue) = (queue_url(DOWNLOAD_DEAD_LETTERS), queue_url(DOWNLOADS));
    let moved = redrive(&world.sqs.client(), &dead, &queue, 10).await.unwrap();
    assert_eq!((moved, work(&world).await), (2, 2));
    now.store(NEW_YEAR_MS, Ordering::SeqCst);
    assert_eq!(get(&lookup, &target).await.0, 200);
}

/// S3 refuses the object on every try, ten times; until then the caller waits.
#[tokio::test(start_paused = true)]
async fn a_download_that_fails_on_every_try_becomes_a_dead_letter() {
    let world = with_a_version().await;
    let puts = When::always().operation("PutObject").containing("/downloads/");
    world.wire.inject(puts, Fault::Throttle);
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
    let body: serde_json::Value = serde_json::from_str(&dead[0].body).unwrap();
    assert_eq!(
        body.to_string(),
        serde_json::from_str::<serde_json::Value>(&download.message())
            .unwrap()
            .to_string()
    );
    assert_eq!(get(&lookup, &target).await.0, 503);
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
}

/// The process died each time before it could count.
#[tokio::test]
async fn a_message_that_was_received_again_and_again_is_given_up() {
    let world = with_a_version().await;
    let download = newest(&world, TENANT, form(Format::Csv)).await;
    let received = |times: u64| {
        let message = world.sqs.send(DOWNLOADS, &download.message());
        world.sqs.take(DOWNLOADS);
        let mut event = sqs_event(DOWNLOADS, &[message]);
        event["Records"][0]["attributes"]["ApproximateReceiveCount"] = json!(times.to_string());
        event
    };
    world.deliver(received(4)).await.unwrap();
    assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
    assert!(
        world
            .s3
            .object(CHANGESETS_BUCKET, &download.failure_key())
            .is_some()
    );
    world.deliver(received(3)).await.unwrap();
    assert!(world.s3.object(CHANGESETS_BUCKET, &download.key()).is_some());
    assert_eq!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).len(), 1);
}

/// The note comes before the dead letter: where it cannot be written, the message stays.
#[tokio::test(start_paused = true)]
async fn a_failure_that_cannot_be_noted_leaves_the_message_in_its_queue() {
    let world = with_a_version().await;
    let download = newest(&world, TENANT, form(Format::Csv)).await;
    let head = world.committed(TENANT).await;
    world.s3.delete(CHANGESETS_BUCKET, &head.snapshot_key);
    let notes = When::always().containing("/download-failures/");
    world.wire.inject(notes, Fault::Throttle);
    let message = world.sqs.send(DOWNLOADS, &download.message());
    let response = world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
    assert_eq!(response["batchItemFailures"].as_array().unwrap().len(), 1);
    assert!(world.sqs.messages(DOWNLOAD_DEAD_LETTERS).is_empty());
}

/// An invocation that comes to its end leaves nothing behind but the message, which is tried again.
#[tokio::test]
async fn a_download_for_which_there_is_no_time_is_made_later() {
    let world = with_a_version().await;
    let lookup = process_by(&world, &clock(NEW_YEAR_MS + DAY_MS));
    for format in [Format::Csv, Format::History] {
        let download = newest(&world, TENANT, form(format)).await;
        let message = world.sqs.send(DOWNLOADS, &download.message());
        world.sqs.take(DOWNLOADS);
        let event = sqs_event(DOWNLOADS, &[message]);
        let response = world.projector().handle(event, world.deadline_in(0)).await;
        assert!(response.unwrap().batch_item_failures.is_empty());
        assert_eq!(world.s3.object(CHANGESETS_BUCKET, &download.key()), None);
        let again = world.sqs.take(DOWNLOADS);
        let body: serde_json::Value = serde_json::from_str(&again[0].body).unwrap();
        assert_eq!((again.len(), &body["tries"]), (1, &json!(1)));
        downloaded(&world, &lookup, &target(1, form(format))).await;
    }
}
