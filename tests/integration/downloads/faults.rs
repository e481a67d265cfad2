//! Tests of faults at each request of a download: no partial download is ever visible, and repeated messages reach the same result.

use taxonomy_formats::Format;
use taxonomy_store::{Download, PutOutcome};
use taxonomy_tests::budget::{sample, scaled};
use taxonomy_tests::prelude::*;

use super::{form, large, newest};

/// Returns the bytes of the download without faults.
async fn whole(world: &World, download: &Download) -> Vec<u8> {
    let made = world.service().make_download(download, Deadline::NONE).await;
    assert_eq!(made.unwrap(), Some(PutOutcome::Now));
    let bytes = world.body(&download.key());
    world.lose(&download.key());
    bytes
}

/// Makes the download under a fault, then without one; returns the operation that met the fault.
async fn under(world: &World, download: &Download, whole: &[u8], n: usize, fault: Fault) -> Option<String> {
    let key = download.key();
    let there = || world.s3.object(CHANGESETS_BUCKET, &key);
    let event = |body: &str| sqs_event(DOWNLOADS, &[world.received(DOWNLOADS, body)]);
    let before = world.s3.versions(CHANGESETS_BUCKET, &key).len();
    world.exchanges().clear();
    world.inject(When::nth(n), fault);
    let first = world.deliver(event(&download.message()));
    let handled = world.transport.until_crash(first).await;
    let met = world.operations().get(n - 1).cloned();
    assert!(handled.is_some() || fault.is_crash());
    world.transport.reset_faults();
    if let Some(object) = there() {
        assert!(object.bytes == whole, "{fault:?} at request {n}");
    }
    let sent_again = world.sqs.take(DOWNLOADS);
    let body = sent_again
        .first()
        .map_or_else(|| download.message(), |message| message.body.clone());
    world.deliver(event(&body)).await.unwrap();
    assert!(
        there().is_some_and(|object| object.bytes == whole),
        "{fault:?} at request {n}"
    );
    let written = world.s3.versions(CHANGESETS_BUCKET, &key).len() - before;
    assert_eq!(written, 1, "{fault:?} at request {n}");
    assert!(world.sqs.take(DOWNLOADS).is_empty());
    world.lose(&key);
    met
}

#[tokio::test(start_paused = true)]
async fn a_small_download_survives_every_fault_at_every_request() {
    let world = World::of(&[
        &small(&[(1, "IT"), (2, "Law")]),
        &small(&[(1, "IT"), (3, "Music")]),
    ])
    .await;
    for format in [Format::Csv, Format::History] {
        let download = newest(&world, TENANT, form(format)).await;
        let whole = whole(&world, &download).await;
        for fault in sample(Fault::ALL.to_vec(), 2, 0) {
            for n in 1.. {
                if under(&world, &download, &whole, n, fault).await.is_none() {
                    assert!(n > 4, "only {n} requests");
                    break;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_download_in_parts_survives_every_fault_at_every_request() {
    let world = large(&World::new(), TENANT).await;
    let download = newest(&world, TENANT, form(Format::Ndjson)).await;
    let whole = whole(&world, &download).await;
    assert!(whole.len() > 9 << 20, "{}", whole.len());
    let mut left = 0;
    // The first requests are those of a small download, and the tests of `taxonomy-store` cover the other faults.
    for n in (4..).step_by(scaled(3, 1)) {
        let fault = [Fault::CrashAfterApply, Fault::ServerErrorAfterApply][n % 2];
        let Some(operation) = under(&world, &download, &whole, n, fault).await else {
            assert!(n > 7, "only {n} requests");
            break;
        };
        // If the response to the creation was lost, the id of the upload is unknown; the bucket's lifecycle aborts the upload.
        let may_be_left = fault.is_crash() || operation == "CreateMultipartUpload";
        let now = world.s3.unfinished_uploads(CHANGESETS_BUCKET).len();
        assert!(
            now == left || may_be_left,
            "{fault:?} at {operation}, request {n}"
        );
        left = now;
    }
}

#[tokio::test]
async fn two_projectors_at_once_write_it_once() {
    for (in_parts, operation) in [(false, "PutObject"), (true, "CompleteMultipartUpload")] {
        let world = match in_parts {
            true => large(&World::new(), TENANT).await,
            false => World::of(&[&small(&[(1, "IT")])]).await,
        };
        let download = newest(&world, TENANT, form(Format::Json)).await;
        world.exchanges().clear();
        let (a, b) = (world.service(), world.service());
        let (first, second) = tokio::join!(
            a.make_download(&download, Deadline::NONE),
            b.make_download(&download, Deadline::NONE)
        );
        let mut made = [first.unwrap(), second.unwrap()];
        made.sort_by_key(|made| *made != Some(PutOutcome::Now));
        assert_eq!(made, [Some(PutOutcome::Now), Some(PutOutcome::Before)]);
        // Neither saw the other one's object before.
        assert_eq!(world.exchanges().count(operation), 2);
        assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &download.key()).len(), 1);
        assert!(world.s3.unfinished_uploads(CHANGESETS_BUCKET).is_empty());
    }
}
