//! Builds of different age beside each other: loads that the next build gives up, requests of theirs that arrive late, and files that another
//! build packed otherwise.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use taxonomy_tests::budget::in_paused_time;
use taxonomy_tests::prelude::*;
use tokio::time::timeout;

use crate::draft::Draft;
use crate::raw::{head, number};

use super::files::{first, second, third};
use super::script::Run;
use super::step::Step;

/// The time after which a request of a dead process arrives.
const LATE: Duration = Duration::from_secs(60);
/// Longer than a write of a load can be under way, in seconds.
const NOTHING_UNDER_WAY: u64 = 1_000;

/// Reconciles the tenant by the older build, whose process dies while one of its requests is under way.
async fn die_during(run: &Run, request: When) {
    let world = &run.world;
    world.transport.inject(request, Fault::SlowBeforeApply(LATE));
    let (service, tenant) = (world.service(), tenant());
    let process = Box::pin(service.reconcile(&tenant, Deadline::NONE));
    let ended = timeout(Duration::from_secs(1), process).await;
    assert!(ended.is_err(), "it waits for the request");
    world.transport.reset_faults();
}

/// Reconciles the tenant by the next build, once.
async fn reconcile_by_the_next_build(run: &Run) {
    let (service, tenant) = (run.world.service_in_format(2), tenant());
    let process = Box::pin(service.reconcile(&tenant, Deadline::NONE));
    run.world.transport.until_crash(process).await;
    run.world.transport.reset_faults();
}

fn names(names: [&str; 2], french: &[u64]) -> Value {
    let draft = Draft::of(&[(1, &[(1, 0), (2, 1)])]);
    let draft = draft.with_term(1, names[0]).with_term(2, names[1]);
    draft.with_french(&[], french).file()
}

/// Returns the object as a build packs it that compresses harder: other bytes of the same content. The name of a search object is that of its bytes,
/// so that it stays.
fn packed_harder(key: &str, bytes: &[u8]) -> Vec<u8> {
    const LEVEL: i32 = 19;
    if key.ends_with(".zst") {
        return zstd::encode_all(zstd::decode_all(bytes).unwrap().as_slice(), LEVEL).unwrap();
    }
    if !key.ends_with(".index") {
        return bytes.to_vec();
    }
    // The last 40 bytes have the place of the footer: offset, packed bytes, bytes, and the beginning of its SHA-256.
    let (file, trailer) = bytes.split_at(bytes.len() - 40);
    let offset = u64::from_le_bytes(trailer[..8].try_into().unwrap());
    let (parts, footer) = file.split_at(usize::try_from(offset).unwrap());
    let footer = zstd::decode_all(footer).unwrap();
    let footer = zstd::bulk::compress(&footer, LEVEL).unwrap();
    let size = (footer.len() as u64).to_le_bytes();
    let sum = &Sha256::digest(&footer)[..8];
    [
        parts,
        &footer,
        &trailer[..8],
        &size,
        &trailer[16..24],
        sum,
        &trailer[32..],
    ]
    .concat()
}

#[test]
fn files_that_another_build_packed_are_taken_as_they_are() {
    in_paused_time(async {
        let uploads = [Step::Upload(first()), Step::Upload(second())];
        let other = Run::after(&uploads).await.unwrap();
        let mut run = Run::after(&uploads[..1]).await.unwrap();
        let mut repacked = 0;
        let mut keys = other.world.s3.keys(CHANGESETS_BUCKET);
        // A report of an upload is no file of a version.
        keys.retain(|key| {
            !key.starts_with("reports/") && run.world.s3.versions(CHANGESETS_BUCKET, key).is_empty()
        });
        for key in &keys {
            let mut object = other.world.s3.object(CHANGESETS_BUCKET, key).unwrap();
            let harder = packed_harder(key, &object.bytes);
            repacked += usize::from(harder != object.bytes);
            object.bytes = harder;
            run.store(key, &object);
        }
        assert_eq!(repacked, 3, "snapshot, changeset and index file");
        run.perform(&uploads[1]).await.unwrap();
        run.finish().await.unwrap();
        for key in &keys {
            assert_eq!(run.world.s3.versions(CHANGESETS_BUCKET, key).len(), 1, "{key}");
        }
        assert_eq!(
            run.world.s3.keys(CHANGESETS_BUCKET),
            other.world.s3.keys(CHANGESETS_BUCKET)
        );
    });
}

/// The item of a culture that neither the version before nor the next one names: a full load that has passed its place would never see it.
#[test]
fn a_load_is_given_up_once_none_of_its_writes_can_arrive() {
    in_paused_time(async {
        let past = [
            Step::Upload(names(["One", "Two"], &[])),
            Step::Unloaded(names(["One", "Two"], &[2])),
        ];
        let mut run = Run::after(&past).await.unwrap();
        die_during(&run, When::nth(1).operation("PutItem").containing("CULTURE#")).await;
        run.put(&Step::Upload(names(["Uno", "Due"], &[])));
        reconcile_by_the_next_build(&run).await;
        run.world.transport.settle().await;
        run.world.pass(NOTHING_UNDER_WAY);
        run.update_build();
        run.finish().await.unwrap();
    });
}

#[test]
fn the_late_end_of_a_load_leaves_the_cursor_of_another() {
    in_paused_time(async {
        let past = [Step::Upload(first()), Step::CutOff(second(), 14)];
        let mut run = Run::after(&past).await.unwrap();
        run.put(&Step::Upload(third()));
        // The first update takes the load over; the second ends it.
        die_during(&run, When::nth(2).operation("UpdateItem")).await;
        run.world.pass(NOTHING_UNDER_WAY);
        let half = When::nth(5).operation("PutItem");
        run.world.transport.inject(half, Fault::Crash);
        reconcile_by_the_next_build(&run).await;
        let state = |run: &Run| {
            let head = head(&run.world, TENANT);
            (number(&head, "Projected"), number(&head, "Cursor.To"))
        };
        assert_eq!(state(&run), (1, 4), "another load was begun");
        run.world.transport.settle().await;
        assert_eq!(state(&run), (2, 4), "the cursor of another load is gone");
        run.world.pass(NOTHING_UNDER_WAY);
        run.update_build();
        run.finish().await.unwrap();
    });
}
