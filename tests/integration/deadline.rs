//! Tests of projections that exceed an invocation: each invocation stops in time and stores its progress, and the next continues there.

use std::time::Duration;

use taxonomy_tests::prelude::*;
use tokio::time::Instant;

#[tokio::test]
async fn a_load_that_takes_many_invocations_writes_each_item_once() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    let event = world.upload(TENANT, &file);
    let first = world.deliver_within(event, 50).await.unwrap();
    assert_eq!(first["batchItemFailures"], json!([]), "acknowledged");
    let head = world.committed(TENANT).await;
    assert!(!head.is_settled());
    assert!(head.cursor.unwrap().done > 20);
    let more = world.drain_retries(50).await.len();
    assert!(more > 5, "{more} further invocations");
    assert!(world.committed(TENANT).await.is_settled());
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
    assert_eq!(world.exchanges().count("PutItem"), 410, "none was written twice");
}

#[tokio::test]
async fn an_upload_is_committed_while_a_load_is_unfinished() {
    let (world, v1, v2) = (
        World::new(),
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
    );
    for (file, version) in [(&v1, 1), (&v2, 2)] {
        let event = world.upload(TENANT, file);
        world.deliver_within(event, 100).await.unwrap();
        let head = world.committed(TENANT).await;
        assert_eq!((head.version.get(), head.cursor.unwrap().to.get()), (version, 1));
    }
    world.drain_retries(300).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &v2));
    assert!(world.committed(TENANT).await.is_settled());
    // Nothing was begun again.
    assert_eq!(world.exchanges().count("PutItem"), 410 + 117 + 11);
}

/// Two invocations of the same load: the first one does not renew the cursor after it was taken over.
#[tokio::test]
async fn a_heartbeat_is_written_onto_the_own_cursor_alone() {
    let world = World::new();
    let event = world.upload(TENANT, &sample("job-board-v1.json"));
    world.deliver_within(event.clone(), 60).await.unwrap();
    let noted = world.committed(TENANT).await;
    world.deliver_within(event, 300).await.unwrap();
    let further = world.committed(TENANT).await.cursor.unwrap();
    assert!(further.done > noted.cursor.as_ref().unwrap().done);
    // The progress that the slow invocation would store now.
    let (heads, tenant) = (world.heads(), TENANT.parse().unwrap());
    let late = noted.cursor.clone().unwrap();
    assert!(!heads.renew(&tenant, &late).await.unwrap());
    assert_eq!(world.committed(TENANT).await.cursor, Some(further.clone()));
    // A process recognises its own cursor, written twice because the response was lost.
    assert!(heads.renew(&tenant, &further).await.unwrap());
}

/// An invocation that sent itself a message without progress would do so forever, so it fails, and the message ends as a dead letter.
#[tokio::test]
async fn an_invocation_that_gets_nothing_done_fails_instead_of_asking_for_itself() {
    let world = World::new();
    let upload = world.upload(TENANT, &small(&[(1, "IT")]));
    for event in [upload, scheduled("sweep-sources")] {
        assert!(world.deliver_within(event, 0).await.is_err());
        assert!(world.sqs.messages(RETRIES).is_empty());
    }
}

#[tokio::test]
async fn tenants_that_time_did_not_suffice_for_come_again_one_by_one() {
    let world = World::new();
    for tenant in ["a", "b", "c"] {
        world.upload(tenant, &small(&[(1, "IT"), (2, "Law")]));
    }
    let event = world.event_of(&["a", "b", "c"]);

    world.deliver_within(event, 14).await.unwrap();
    assert!(!world.sqs.messages(RETRIES).is_empty());
    world.drain_retries(1000).await;
    for tenant in ["a", "b", "c"] {
        assert!(world.committed(tenant).await.is_settled(), "{tenant}");
    }
}

/// Work that was done before a store failed is not repeated.
#[tokio::test(start_paused = true)]
async fn a_load_that_fails_notes_how_far_it_came() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    let event = world.upload(TENANT, &file);
    let broken = When::nth(250).operation("PutItem").times(200);
    world.inject(broken, Fault::DropBeforeSend);
    assert!(world.deliver(event.clone()).await.is_err());
    let done = world.committed(TENANT).await.cursor.unwrap().done;
    assert!((150..=250).contains(&done), "{done}");
    world.transport.reset_faults();
    world.exchanges().clear();
    world.deliver(event).await.unwrap();
    assert!(world.exchanges().count("PutItem") < 300);
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
}

/// If the queue does not accept the message, the event comes again.
#[tokio::test(start_paused = true)]
async fn a_queue_that_fails_fails_the_event() {
    let world = World::new();
    let event = world.upload(TENANT, &sample("job-board-v1.json"));
    world.inject(When::always().operation("SendMessage"), Fault::Throttle);
    assert!(world.deliver_within(event, 100).await.is_err());
    assert!(world.committed(TENANT).await.cursor.is_some(), "nothing is lost");
}

/// If it were cut off in the middle of a large body, an invocation would begin the body again, and be cut off again.
#[tokio::test(start_paused = true)]
async fn a_body_that_time_does_not_suffice_for_is_left_to_the_next_invocation() {
    let mut world = World::in_tokios_time();
    world.max_file_bytes = 8 << 20;
    let mut file = small(&[(1, "IT")]);
    world.upload("a", &file);
    // Four seconds more than for a small body, for two attempts at two MiB a second.
    file.resize(4 << 20, b' ');
    let alone = world.upload("b", &file);
    let both = world.event_of(&["a", "b"]);
    let stuck = world.deliver_within(alone, 3).await;
    assert!(stuck.is_err(), "it got nothing done");
    assert_eq!(world.exchanges().count("GetObject"), 0);
    world.deliver_within(both, 3).await.unwrap();
    assert!(world.committed("a").await.is_settled());
    assert_eq!(world.head("b").await.committed, None);
    assert_eq!(world.sqs.messages(RETRIES).len(), 1);
    world.drain_retries(5).await;
    assert!(world.committed("b").await.is_settled());
}

/// A slow body keeps its connection busy, so that only a time-out for the whole body ends the wait. It applies to the upload and to
/// the stored snapshot.
#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_is_given_up() {
    for body_of in ["taxonomies", "snapshots"] {
        let world = World::in_tokios_time();
        let event = world.upload(TENANT, &small(&[(1, "IT"), (2, "Law")]));
        let body = || When::always().operation("GetObject").containing(body_of);
        world.inject(body(), Fault::SlowBody(Duration::from_secs(8)));
        world.deliver(event.clone()).await.unwrap();
        assert!(world.committed(TENANT).await.is_settled(), "{body_of} slow");
        world.transport.reset_faults();
        world.inject(body(), Fault::SlowBody(Duration::from_secs(3600)));
        let event = world.upload(TENANT, &small(&[(1, "IT"), (3, "Law")]));
        let began = Instant::now();
        assert!(world.deliver(event).await.is_err(), "{body_of} trickle");
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }
}
