//! Tests of a load's heartbeat, and of the processes that read it: they leave the load alone, or take it over.

use std::time::Duration;

use futures_util::future::join_all;
use taxonomy_store::{LoadCursor, LoadState};
use taxonomy_tests::prelude::*;
use tokio::time::{Instant, sleep, timeout};

/// The time for which a heartbeat is fresh.
const VALID: Duration = Duration::from_secs(90);

/// The number of items of the first release of the job board.
const ITEMS: usize = 410;

fn job_board() -> Vec<u8> {
    sample("job-board-v1.json")
}

/// Delays the response to each item, so that a projection takes time.
fn slow_items(world: &World, each: Duration) {
    let items = When::always().operation("PutItem");
    world.inject(items, Fault::SlowAnswer(each));
}

/// Returns a file of `terms` terms in one category, all of which each release renames.
fn release(number: usize, terms: u64) -> Vec<u8> {
    named(1..=terms, |id| format!("Term {id} of {number}"))
}

async fn cursor(world: &World) -> LoadCursor {
    world.committed(TENANT).await.cursor.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_running_load_renews_its_heartbeat_and_says_how_far_it_is() {
    let world = World::in_tokios_time();
    slow_items(&world, Duration::from_secs(2));
    let event = world.upload(TENANT, &release(1, 1_400));
    let projector = world.projector();
    let run = Box::pin(projector.handle(event, Deadline::NONE));

    // The process dies.
    assert!(timeout(Duration::from_secs(80), run).await.is_err());
    let cursor = cursor(&world).await;
    assert_eq!(cursor.state, LoadState::Running);
    let since_begin = cursor.at - NEW_YEAR_MS;
    assert!((55_000..=80_000).contains(&since_begin), "{since_begin}");
    // Sixteen items a second.
    assert!((700..=1_280).contains(&cursor.done), "{}", cursor.done);
}

#[tokio::test(start_paused = true)]
async fn a_load_stores_its_cursor_before_its_first_write() {
    let world = World::in_tokios_time();
    world.push(TENANT, &release(1, 100)).await;
    world.exchanges().clear();
    world.push(TENANT, &release(2, 100)).await;
    let mut writes = world.operations();
    writes.retain(|operation| ["UpdateItem", "PutItem", "TransactWriteItems"].contains(&operation.as_str()));
    let mut expect = vec!["PutItem"; 103];
    // The commit, the cursor, and the end.
    (expect[0], expect[1], expect[102]) = ("TransactWriteItems", "UpdateItem", "TransactWriteItems");
    assert_eq!(writes, expect);
}

/// The loading process reads the head after its end, so no message is needed; if it is dead, the sweep finds the tenant.
#[tokio::test(start_paused = true)]
async fn a_process_that_finds_a_heartbeat_leaves_the_load_to_it() {
    let (world, file) = (World::in_tokios_time(), job_board());
    let event = world.upload(TENANT, &file);
    world.dies_at(event.clone(), 1, "PutItem").await;
    world.pass(20);
    world.exchanges().clear();
    world.deliver(event.clone()).await.unwrap();
    world.deliver(scheduled("sweep")).await.unwrap();
    assert_eq!(world.exchanges().count("PutItem"), 0);
    assert!(world.sqs.messages(RETRIES).is_empty());
    world.pass(VALID.as_secs());
    world.deliver(scheduled("sweep")).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
}

/// Two messages exist for one load that ran out of time: one of them continues it.
#[tokio::test(start_paused = true)]
async fn of_two_processes_that_take_a_load_over_one_writes() {
    let (world, file) = (World::in_tokios_time(), job_board());
    let event = world.upload(TENANT, &file);
    slow_items(&world, Duration::from_millis(100));
    world.deliver_within(event.clone(), 1).await.unwrap();
    let done = usize::try_from(cursor(&world).await.done).unwrap();
    assert!((32..ITEMS).contains(&done), "{done}");
    world.exchanges().clear();
    let (one, other) = (world.projector(), world.projector());
    let both = [
        Box::pin(one.handle(event.clone(), Deadline::NONE)),
        Box::pin(other.handle(event, Deadline::NONE)),
    ];
    for handled in join_all(both).await {
        handled.unwrap();
    }
    assert_eq!(world.exchanges().count("PutItem"), ITEMS - done, "each item once");
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
}

/// The process of the load finds the version when it reads the head after its end.
#[tokio::test(start_paused = true)]
async fn a_version_that_is_committed_during_a_load_is_the_next_load() {
    let (world, file) = (World::in_tokios_time(), job_board());
    let event = world.upload(TENANT, &file);
    slow_items(&world, Duration::from_secs(1));
    let (projector, operator, tenant) = (world.projector(), world.service(), TENANT.parse().unwrap());
    let load = Box::pin(projector.handle(event, Deadline::NONE));
    let rebuild = Box::pin(async {
        sleep(Duration::from_secs(6)).await;
        let begun = Instant::now();
        operator.rebuild(&tenant, Provenance::default()).await.unwrap();
        begun.elapsed()
    });
    let (handled, took) = tokio::join!(load, rebuild);
    handled.unwrap();
    assert!(took < Duration::from_secs(1), "it waits for the load: {took:?}");
    assert_eq!(world.exchanges().count("PutItem"), 2 * ITEMS);
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
    let head = world.committed(TENANT).await;
    assert_eq!((head.version.get(), head.is_settled()), (2, true));
}

/// Invocations end in the middle of a projection while uploads continue.
#[tokio::test(start_paused = true)]
async fn uploads_every_second_do_not_keep_loads_from_their_end() {
    const UPLOADS: usize = 60;
    let (world, begin) = (World::in_tokios_time(), Instant::now());
    // Each projection needs several invocations.
    slow_items(&world, Duration::from_secs(1));
    let uploads = (1..=UPLOADS).map(|number| {
        let world = &world;
        Box::pin(async move {
            sleep(Duration::from_secs(number as u64)).await;
            let event = world.upload(TENANT, &release(number, 300));
            world.deliver_within(event, 8).await.unwrap();
        })
    });
    let mut queue = Box::pin(async {
        loop {
            for message in world.sqs.take_visible(RETRIES) {
                world.work_off(RETRIES, &message, 8).await;
            }
            sleep(Duration::from_secs(1)).await;
            if begin.elapsed() > Duration::from_secs(240) {
                return;
            }
        }
    });
    tokio::join!(join_all(uploads), &mut queue);
    let head = world.committed(TENANT).await;
    assert!(head.is_settled());
    let newest = release(UPLOADS, 300);
    // The newest is served.
    assert_eq!(world.live(TENANT), expected(TENANT, &newest));
    assert_eq!(head.version.get(), UPLOADS as u64, "each upload is a version");
    let settled = world.exchanges().all().into_iter();
    let again =
        settled.filter(|exchange| exchange.error.as_deref() == Some("ConditionalCheckFailedException"));
    let again = again.filter(|exchange| exchange.operation == "PutItem").count();
    assert_eq!(again, 0, "no item was written twice");
    let messages = world.exchanges().count("SendMessage");
    assert!(messages < 40, "{messages} messages");
}
