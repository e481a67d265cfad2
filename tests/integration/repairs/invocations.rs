//! Tests of repairs that take several invocations, and of what happens between these.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_store::{Answer, Asked};
use taxonomy_tests::prelude::*;
use taxonomy_versioning::RepairReport;

use super::{items, lines, tenant, three_versions};
use crate::restores::Loss;

async fn ask_for_repair(world: &World) -> Asked {
    let request = Request::Repair {
        partitions: Vec::new(),
    };
    let asked = world
        .service()
        .ask(&tenant(), request, Provenance::default())
        .await
        .unwrap();
    world.sqs.send(RETRIES, &json!({ "tenant": TENANT }).to_string());
    asked
}

/// Carries a request on in an invocation that reads the clock so often, by another process than the one before, whose heartbeat is stale by then.
async fn carry_on(world: &World, looks: u64) {
    for message in world.next_retries() {
        world.pass(91);
        world.work_off(RETRIES, &message, looks).await;
    }
}

/// Carries a repair on until it is answered. Returns the number of invocations, and its report.
async fn answered(world: &World, asked: &Asked, looks: u64) -> (u64, RepairReport) {
    let service = world.service();
    for invocations in 0..40 {
        if let Some(Answer::Repaired { report, .. }) = service.answer(&tenant(), asked).await.unwrap() {
            return (invocations, service.report_of_repair(&report).await.unwrap());
        }
        carry_on(world, looks).await;
    }
    panic!("it does not end")
}

async fn mend_in_invocations(world: &World, looks: u64) -> (u64, RepairReport) {
    let asked = ask_for_repair(world).await;
    answered(world, &asked, looks).await
}

/// The deadline ends an invocation between two versions; the next one goes on there, by a message of the retry queue.
#[tokio::test]
async fn a_repair_that_runs_out_of_time_goes_on_in_the_next_invocation() {
    let world = World::new();
    for version in 1..=12 {
        world
            .push(TENANT, &small(&[(1, &format!("Version {version}"))]))
            .await;
    }
    world.aggregate().await;
    let before = world.bodies();
    for key in before.keys().filter(|key| key.ends_with(".index")) {
        Loss::Missing.of(&world, key);
    }
    let (invocations, report) = mend_in_invocations(&world, 14).await;
    assert!(invocations > 2, "{invocations}");
    let now = world.bodies();
    assert!(before.iter().all(|(key, bytes)| now[key] == *bytes));
    assert_eq!((report.findings.mended, report.findings.listed.len()), (12, 12));
}

/// The same between two partitions of items: each is mended and counted once.
#[tokio::test]
async fn the_items_of_a_repair_go_on_in_the_next_invocation() {
    let world = World::of(&[&named(100..160, |id| format!("Term {id}"))]).await;
    world.aggregate().await;
    let before = items(&world);
    for id in 100..160 {
        let key = format!("TERM#{TENANT}#{id}");
        world.alter((&key, &key), "Name", Some(s("damaged"))).await;
    }
    world.exchanges().clear();
    let (invocations, report) = mend_in_invocations(&world, 24).await;
    assert!(invocations > 2, "{invocations}");
    assert_eq!(
        (report.findings.mended, report.findings.left()),
        (60, 0),
        "{:?}",
        lines(&report)
    );
    let exchanges = world.exchanges().lines();
    let read = |id: u64| {
        let partition = format!(":pk=TERM#{TENANT}#{id} ");
        exchanges.iter().filter(|line| line.contains(&partition)).count()
    };
    // Only the sixteen that were under way when the time was over are read again.
    let again: usize = (100..160).map(|id| read(id) - 1).sum();
    assert!(again as u64 <= 16 * invocations, "{again} in {invocations}");
    assert!(items(&world) == before && world.clean().await.is_some());
}

/// What was compared of the version before says nothing about the newest one.
#[tokio::test]
async fn a_repair_begins_its_items_anew_where_a_version_came_between() {
    let world = World::of(&[&named(100..160, |id| format!("Term {id}"))]).await;
    world.aggregate().await;
    let asked = ask_for_repair(&world).await;
    carry_on(&world, 24).await;
    let note = world.head(TENANT).await.repair.unwrap();
    assert!(note.done > 3 && note.of == 61, "{note:?}");
    world
        .push(TENANT, &named(101..160, |id| format!("Term {id}")))
        .await;
    let damaged = ("TERM#acme#101", "TERM#acme#101");
    world.alter(damaged, "Name", Some(s("damaged"))).await;
    let lost = world.committed(TENANT).await.snapshot_key;
    Loss::Missing.of(&world, &lost);
    let (_, report) = answered(&world, &asked, 1_000).await;
    assert_eq!(
        lines(&report),
        [
            format!("missing   s3://{CHANGESETS_BUCKET}/{lost} (mended)"),
            "altered   TERM#acme#101 TERM#acme#101 Name (mended)".to_owned()
        ]
    );
    assert_eq!((report.version, report.findings.versions), (2, 2));
}

/// An upload is not held up by a repair, and what it publishes meanwhile is right.
#[tokio::test]
async fn an_upload_is_published_while_another_process_repairs() {
    let world = three_versions().await;
    let service = world.service();
    let request = Request::Repair {
        partitions: Vec::new(),
    };
    service
        .ask(&tenant(), request, Provenance::default())
        .await
        .unwrap();
    // Another process has begun the repair a moment ago.
    let head = ("TAXONOMY#acme", "HEAD");
    let asked = world.item(head.0, head.1)["Asked"].as_m().unwrap()["Id"].clone();
    let note = [
        ("Id", asked),
        ("Step", s("files")),
        ("Done", n(1)),
        ("Of", n(3)),
        ("At", n(world.now_ms())),
        ("By", s("another")),
    ];
    let note = note.map(|(name, value)| (name.to_owned(), value)).into();
    world.alter(head, "Repair", Some(AttributeValue::M(note))).await;
    let file = small(&[(1, "IT"), (3, "Care")]);
    world.push(TENANT, &file).await;
    let head = world.head(TENANT).await;
    assert_eq!(head.committed.unwrap().version.get(), 4);
    assert!(head.asked.is_some(), "the repair is the other process's");
    // It died. The next sweep takes the repair over.
    world.pass(120);
    let sweep = scheduled("sweep");
    world.deliver(sweep).await.unwrap();
    let head = world.head(TENANT).await;
    assert!(head.asked.is_none() && head.repair.is_none());
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
}
