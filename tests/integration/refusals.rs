//! Tests of refused files: the last good version remains, the reason is stored, and no file is read twice.

use taxonomy_keys::Attention;
use taxonomy_tests::prelude::*;

fn report(world: &World, key: &str) -> Value {
    serde_json::from_slice(&world.body(key)).unwrap()
}

#[tokio::test]
async fn a_refused_file_leaves_the_last_good_version() {
    let (world, good) = (World::new(), small(&[(1, "IT")]));
    world.push(TENANT, &good).await;
    world.push(TENANT, &sample("invalid/several-mistakes.json")).await;

    assert_eq!(world.live(TENANT), expected(TENANT, &good));
    let head = world.head(TENANT).await;
    assert_eq!(head.committed.unwrap().version.get(), 1);
    let refused = head.refused.unwrap();
    assert_eq!((refused.code.as_str(), refused.validator), ("invalid-culture", 2));
    assert_eq!(refused.report_key, format!("reports/acme/{}.json", refused.etag));
    let report = report(&world, &refused.report_key);
    assert_eq!(
        (&report["accepted"], &report["errors"]),
        (&Value::from(false), &Value::from(3))
    );
    assert_eq!(
        report["issues"][0]["pointer"],
        "/categories/0/terms/0/names/1/culture"
    );
}

#[tokio::test]
async fn a_refused_object_is_not_looked_at_twice() {
    let world = World::new();
    let event = world.upload(TENANT, b"{");
    world.deliver(event.clone()).await.unwrap();
    world.exchanges().clear();
    world.deliver(event).await.unwrap();
    assert_eq!(world.exchanges().len(), 2, "{:?}", world.exchanges().lines());
    assert_eq!(world.head(TENANT).await.committed, None);
}

/// Another transaction is no sign that somebody else lists the tenant.
#[tokio::test]
async fn a_refused_upload_is_listed_although_another_transaction_was_under_way() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let listing = When::nth(1).operation("TransactWriteItems");
    world.inject(listing, Fault::TransactionConflict);
    world.push(TENANT, b"{").await;
    assert_eq!(world.head(TENANT).await.attention, Some(Attention::Refused));
}

#[tokio::test]
async fn a_refused_upload_does_not_keep_a_load_from_its_end() {
    let (world, good) = (World::new(), small(&[(1, "IT"), (2, "Law")]));
    let event = world.upload(TENANT, &good);
    world.dies_at(event, 2, "PutItem").await;
    // The heartbeat of the dead process is stale.
    world.pass(91);
    world.push(TENANT, b"{").await;
    assert_eq!(world.live(TENANT), expected(TENANT, &good));
    assert!(world.committed(TENANT).await.is_settled());
    assert_eq!(world.head(TENANT).await.attention, Some(Attention::Refused));
}

#[tokio::test]
async fn warnings_are_stored_and_stop_nothing() {
    let world = World::new();
    let file = small(&[(1, " IT")]);
    world.push(TENANT, &file).await;
    let key = world.keys(|key| key.starts_with("reports/")).remove(0);

    assert_eq!(report(&world, &key)["issues"][0]["code"], "edge-space");
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
}

/// The refusal belongs to the object; a version that an operator makes does not change it.
#[tokio::test]
async fn a_version_that_is_no_upload_leaves_the_refusal_where_it_is() {
    let world = World::of(&[&small(&[(1, "IT")]), b"{"]).await;
    let refused = world.head(TENANT).await.refused;
    world.exchanges().clear();
    world.rebuild(TENANT).await;
    assert_eq!(world.head(TENANT).await.refused, refused);
    let stored = world.exchanges().lines();
    let is_report = |line: &String| line.contains("PutObject") && line.contains("/reports/");
    // No second report of the same object.
    assert!(!stored.iter().any(is_report));
}
