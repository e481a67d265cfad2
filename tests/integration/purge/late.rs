//! Tests of events that arrive after a purge: uploads, messages, sweeps, stream records and commits of processes that read the head before.

use std::collections::BTreeSet;
use std::time::Duration;

use taxonomy_testkit::Exchange;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::PURGE_QUIET;

use super::id;
use super::support::{all_but, assert_gone, everything_happened, few, left_of, purge};

fn message(world: &World, queue: &str, body: &str) -> Vec<Message> {
    world.sqs.send(queue, body);
    world.sqs.take(queue)
}

/// Delivers an upload with its event, a message for the tenant, a sweep over all files, an audit, and the whole stream.
pub(super) async fn everything_comes_late(world: &World) {
    let event = world.upload(TENANT, &small(&[(1, "Late")]));
    // A repeated purge may be in any state; a failed message comes again and changes nothing then either.
    drop(world.deliver(event).await);
    for (queue, body) in [
        (RETRIES, json!({ "tenant": TENANT })),
        (AUDITS, json!({ "audit": TENANT, "full": true })),
    ] {
        let messages = message(world, queue, &body.to_string());
        drop(world.deliver(sqs_event(queue, &messages)).await);
    }
    let sweep = scheduled("sweep-sources");
    drop(world.deliver(sweep).await);
    world.aggregate().await;
}

/// Returns a world whose purge was interrupted after its first step, which marks the tenant.
async fn marked() -> World {
    let world = World::in_tokios_time();
    everything_happened(&world, TENANT).await;
    everything_happened(&world, "acme2").await;
    let service = world.service();
    let (tenant, options) = (id(TENANT), super::options(PURGE_QUIET));
    let purge = service.purge(&tenant, &options, &|_| ());
    let stopped = tokio::time::timeout(Duration::from_secs(1), purge).await;
    assert!(stopped.is_err(), "it waits");
    world
}

#[tokio::test(start_paused = true)]
async fn nothing_is_taken_loaded_counted_or_audited_of_a_marked_tenant() {
    let world = marked().await;
    let before = (left_of(&world, TENANT), all_but(&world, TENANT));
    let event = world.upload(TENANT, &small(&[(1, "Late")]));
    let uploaded = left_of(&world, TENANT).len();
    assert_eq!(uploaded, before.0.len() + 1);
    world.deliver(event).await.unwrap();
    everything_comes_late(&world).await;
    assert_eq!(left_of(&world, TENANT).len(), uploaded + 1, "the uploads alone");
    assert_eq!(all_but(&world, TENANT), before.1);
    assert_eq!(
        world.parked().len(),
        2,
        "no record is parked: {:?}",
        world.parked()
    );
}

/// No process takes over a projection that died before the mark, although frozen tenants are projected.
#[tokio::test(start_paused = true)]
async fn a_marked_tenant_that_is_behind_is_not_loaded() {
    let world = World::in_tokios_time();
    let event = world.upload(TENANT, &few());
    world.dies_at(event, 2, "PutItem").await;
    let waits = tokio::time::timeout(Duration::from_secs(1), purge(&world, PURGE_QUIET)).await;
    assert!(waits.is_err());
    let before = left_of(&world, TENANT);
    tokio::time::sleep(Duration::from_secs(300)).await;
    let messages = message(&world, RETRIES, &json!({ "tenant": TENANT }).to_string());
    world.deliver(sqs_event(RETRIES, &messages)).await.unwrap();
    assert_eq!(left_of(&world, TENANT), before);
    purge(&world, PURGE_QUIET).await.unwrap();
    assert_gone(&world, "");
}

#[tokio::test(start_paused = true)]
async fn operators_are_refused_a_marked_tenant() {
    let world = marked().await;
    let (tenant, service) = (id(TENANT), world.service());
    let none = Provenance::default;
    let refused = [
        service.rebuild(&tenant, none()).await.map(drop),
        service.roll_back(&tenant, Version::FIRST, none()).await.map(drop),
        service.verify(&tenant, BTreeSet::new()).await.map(drop),
        service.history(&tenant, None, 1).await.map(drop),
        whole_audit(&service, &tenant, Deadline::NONE).await.map(drop),
    ];
    for (n, refused) in refused.into_iter().enumerate() {
        assert!(
            matches!(refused, Err(VersioningError::Purging)),
            "{n}: {refused:?}"
        );
    }
    let mut wanted = service.configuration(&tenant).await.unwrap();
    assert!(wanted.frozen.is_some());
    wanted.frozen = None;
    let refused = service.configure(&tenant, &wanted).await;
    assert!(matches!(refused, Err(VersioningError::Purging)), "{refused:?}");
}

/// A process that read the head before the mark commits after it.
#[tokio::test(start_paused = true)]
async fn a_commit_that_began_before_the_mark_is_refused() {
    for with_a_version in [true, false] {
        let world = World::in_tokios_time();
        if with_a_version {
            world.push(TENANT, &few()).await;
        }
        let event = world.upload(TENANT, &small(&[(1, "Late")]));
        // The request for the snapshot is under way when the purge begins.
        let slow = Fault::SlowAnswer(Duration::from_secs(8));
        world.inject(When::nth(1).operation("PutObject"), slow);
        let projector = world.projector();
        let late = projector.handle(event, Deadline::NONE);
        let quiet = Duration::from_secs(60);
        let (late, purged) = tokio::join!(late, async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            purge(&world, quiet).await
        });
        assert!(late.is_err(), "it could not commit");
        purged.unwrap();
        assert_gone(&world, &format!("{with_a_version}"));
    }
}

/// A running load begins no write after its heartbeat met the mark, and its writes until then are deleted. Those under way may still pause for 3.2 s.
#[tokio::test(start_paused = true)]
async fn a_running_load_stops_at_the_mark() {
    let world = World::in_tokios_time();
    let event = world.upload(TENANT, &named(1..400, |id| format!("Term {id}")));
    world.transport.limit(When::always().operation("PutItem"), 5);
    let projector = world.projector();
    let load = projector.handle(event, Deadline::NONE);
    let begun = tokio::time::Instant::now();
    let (load, purged) = tokio::join!(async { (Box::pin(load).await, begun.elapsed()) }, async {
        tokio::time::sleep(Duration::from_secs(20)).await;
        purge(&world, Duration::from_secs(120)).await
    });
    assert!(load.0.is_ok(), "{load:?}");
    assert!(load.1 < Duration::from_secs(30 + 5), "{:?}", load.1);
    let sent = world.exchanges().all();
    let is_met = |sent: &Exchange| {
        sent.operation == "UpdateItem" && sent.error.as_deref() == Some("ConditionalCheckFailedException")
    };
    let met = sent.iter().position(is_met).unwrap();
    let items = |sent: &[Exchange]| -> BTreeSet<String> {
        let puts = sent.iter().filter(|sent| sent.operation == "PutItem");
        puts.map(|put| put.target.clone()).collect()
    };
    let (before, after) = (items(&sent[..met]), items(&sent[met..]));
    assert!(before.len() < 399, "the load was under way");
    assert!(after.is_subset(&before), "{after:?}");
    purged.unwrap();
    assert_gone(&world, "");
}

/// The wait was too short and another process still projects: the purge refuses and deletes nothing.
#[tokio::test(start_paused = true)]
async fn a_fresh_heartbeat_after_the_wait_is_refused() {
    let world = World::in_tokios_time();
    let event = world.upload(TENANT, &few());
    world.dies_at(event, 2, "PutItem").await;
    // A second process takes the projection over with a heartbeat, and dies as well.
    tokio::time::sleep(Duration::from_secs(100)).await;
    world.inject(When::nth(1).operation("PutItem"), Fault::Crash);
    let service = world.service();
    let tenant = id(TENANT);
    let died = world
        .transport
        .until_crash(service.reconcile(&tenant, Deadline::NONE))
        .await;
    assert!(died.is_none());
    world.transport.reset_faults();
    let before = left_of(&world, TENANT).len();
    let refused = purge(&world, Duration::from_secs(1)).await;
    assert!(
        matches!(refused, Err(VersioningError::Loading(1..=100))),
        "{refused:?}"
    );
    assert_eq!(left_of(&world, TENANT).len(), before, "marked and not deleted");
    tokio::time::sleep(Duration::from_secs(100)).await;
    purge(&world, Duration::from_secs(1)).await.unwrap();
    assert_gone(&world, "");
}

/// Records of the stream and deferred records arrive after the purge, the records of its own deletions among them.
#[tokio::test(start_paused = true)]
async fn records_that_come_after_the_purge_ask_for_nothing() {
    let world = World::in_tokios_time();
    everything_happened(&world, TENANT).await;
    purge(&world, PURGE_QUIET).await.unwrap();
    let records = world.db.stream_records(TABLE);
    let removed =
        |record: &&Value| record["eventName"] == "REMOVE" && record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD";
    // The head's removal is among them.
    assert_eq!(records.iter().filter(removed).count(), 1);
    let published = world.sns.published().len();
    world.exchanges().clear();
    world.aggregate().await;
    let deferred = json!({"formatVersion": 1, "tenant": TENANT, "committed": {"version": 2, "at": 0},
        "refused": {"version": 2, "etag": "e", "versionId": "", "validator": 1, "defaults": "", "code": "c", "report": "r", "at": 0}});
    world.sqs.send(DEFERRED, &deferred.to_string());
    assert_eq!(world.drain_deferred(3).await, 1);
    let written = ["PutItem", "UpdateItem", "TransactWriteItems", "PutObject"];
    let written = written.map(|operation| world.exchanges().count(operation));
    assert_eq!(written, [0; 4]);
    assert_eq!(
        (world.sns.published().len(), world.parked().len()),
        (published, 0)
    );
    assert_gone(&world, "");
}

/// A record from before the purge has a higher version than the new head.
#[tokio::test(start_paused = true)]
async fn records_of_the_life_before_do_not_disturb_the_new_one() {
    let world = World::in_tokios_time();
    everything_happened(&world, TENANT).await;
    purge(&world, PURGE_QUIET).await.unwrap();
    world.push(TENANT, &few()).await;
    world.aggregate().await;
    assert_eq!(world.parked(), Vec::<String>::new());
    let totals = world.item(&format!("STATS#{TENANT}"), "TENANT");
    assert_eq!(totals["V"].as_n().unwrap(), "1");
    world.clean().await;
}

/// An object that is uploaded while the purge runs is deleted at its end.
#[tokio::test(start_paused = true)]
async fn an_upload_during_the_purge_does_not_bring_the_tenant_back() {
    let world = World::in_tokios_time();
    everything_happened(&world, TENANT).await;
    let service = world.service();
    let (tenant, options) = (id(TENANT), super::options(PURGE_QUIET));
    let uploaded = std::cell::Cell::new(false);
    let upload = |progress: taxonomy_versioning::PurgeProgress| {
        if progress.step == taxonomy_versioning::PurgeStep::Bodies && !uploaded.replace(true) {
            drop(world.upload(TENANT, &few()));
        }
    };
    service.purge(&tenant, &options, &upload).await.unwrap();
    assert!(uploaded.get());
    assert_gone(&world, "");
    assert_eq!(world.s3.everything(SOURCE_BUCKET), Vec::<String>::new());
    assert_eq!(world.s3.everything(CHANGESETS_BUCKET), Vec::<String>::new());
    let rest = service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    assert_eq!(rest, Outcome::AtRest);
    assert_gone(&world, "");
}
