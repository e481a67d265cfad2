//! Tests of repairs: a request that examines everything that is stored of a tenant, puts right what differs, and says what it could not.

mod invocations;

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::RepairReport;
use tokio::time::sleep;

use crate::restores::Loss;

/// Three versions, all of them counted; the second removes terms, and the third has another content.
async fn three_versions() -> World {
    let world = World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    world.replace(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world.aggregate().await;
    world
}

async fn mend(world: &World) -> RepairReport {
    world.service().mend(&tenant(), Vec::new()).await.unwrap()
}

fn lines(report: &RepairReport) -> Vec<String> {
    report.findings.listed.iter().map(ToString::to_string).collect()
}

/// Returns every item but the head, which holds the request and its answer, and the tombstones that expire.
pub(crate) fn items(world: &World) -> Vec<String> {
    let items = world.db.items(TABLE).into_iter();
    let kept = items.filter(|item| item["SK"].as_s().unwrap() != "HEAD" && !item.contains_key("ExpiresAt"));
    // A repair writes the head's version into what it mends.
    let without_version = kept.map(|mut item| {
        item.remove("V");
        // Of the source object of an older version its changeset has the hash alone.
        if let Some(AttributeValue::M(source)) = item.get_mut("Source") {
            source.retain(|name, _| name == "Sha256");
        }
        taxonomy_testkit::dynamodb::line(&item)
    });
    without_version.collect()
}

#[tokio::test]
async fn a_sound_tenant_is_left_as_it_is() {
    let world = three_versions().await;
    let (before, stored) = (items(&world), world.bodies());
    let report = mend(&world).await;
    assert_eq!(
        (report.findings.mended, report.findings.left(), report.version),
        (0, 0, 3)
    );
    assert!(items(&world) == before);
    let mut now = world.bodies();
    now.retain(|key, _| stored.contains_key(key));
    assert_eq!(now, stored);
}

#[tokio::test]
async fn what_nothing_is_left_of_is_named_as_left() {
    let world = three_versions().await;
    let kinds = ["changesets/", "snapshots/", ".index"];
    let is_lost = |key: &str| key.contains("/000000000002-") && kinds.iter().any(|kind| key.contains(kind));
    let keys: Vec<String> = world.bodies().into_keys().filter(|key| is_lost(key)).collect();
    keys.iter().for_each(|key| Loss::Missing.of(&world, key));
    let report = mend(&world).await;
    assert_eq!(
        (report.findings.mended, report.findings.left()),
        (0, 3),
        "{:?}",
        lines(&report)
    );
    for key in &keys {
        let named = |line: &String| line.contains(key) && line.contains("(left: ");
        assert!(lines(&report).iter().any(named), "{key}: {:?}", lines(&report));
    }
    // The newest version goes on.
    world.push(TENANT, &small(&[(1, "IT"), (3, "Care")])).await;
    assert!(world.committed(TENANT).await.is_settled());
}

/// Nothing may delete, so what should not exist becomes void: no reader takes it, and it expires.
#[tokio::test]
async fn what_no_version_has_becomes_void() {
    let world = three_versions().await;
    let before = items(&world);
    for (pk, sk) in [
        ("TERM#acme#1", "CULTURE#xx"),
        ("CATEGORY#acme#1", "CULTURE#xx"),
        ("STATS#acme", "DONE#000000000009"),
        ("STATS#acme", "ODD"),
    ] {
        let world = world.copy();
        let mut stray = world.item("TERM#acme#1", "TERM#acme#1");
        stray.insert("PK".to_owned(), AttributeValue::S(pk.to_owned()));
        stray.insert("SK".to_owned(), AttributeValue::S(sk.to_owned()));
        world.put_by_hand(stray).await;
        let report = mend(&world).await;
        assert_eq!(lines(&report), [format!("foreign   {pk} {sk} (mended)")]);
        assert!(world.clean().await.is_some(), "{pk} {sk}");
        let void = world.item(pk, sk);
        let mut names: Vec<&str> = void.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["EntityType", "ExpiresAt", "PK", "Removed", "SK", "V"]);
        assert!(items(&world) == before);
    }
}

/// The item was another one when it was compared, so nothing is known of it.
#[tokio::test(start_paused = true)]
async fn a_repair_leaves_what_is_written_at_the_same_time() {
    let world = three_versions().await;
    let key = ["TERM#acme#1", "TERM#acme#1"];
    let named = |name: &str| {
        let mut item = world.item(key[0], key[1]);
        item.insert("Name".to_owned(), AttributeValue::S(name.to_owned()));
        world.put_by_hand(item)
    };
    named("damaged").await;
    let replaces = When::nth(1).operation("TransactWriteItems").containing(key[0]);
    let delay = Duration::from_secs(2);
    world.inject(replaces, Fault::SlowBeforeApply(delay));
    let other = async {
        sleep(delay / 2).await;
        named("of another").await;
    };
    let (report, ()) = tokio::join!(mend(&world), other);
    assert_eq!(
        lines(&report),
        ["altered   TERM#acme#1 TERM#acme#1 Name (left: it changed at the same time)"]
    );
    let item = world.item(key[0], key[1]);
    assert_eq!(item["Name"].as_s().unwrap(), "of another");
}
