//! Tests of the provenance of a version (release, author and reason): from the object's metadata or the operator to the changeset, the log,
//! the head and the notification.

use taxonomy_store::LogEntry;
use taxonomy_tests::prelude::*;

fn of(json: Value) -> Provenance {
    serde_json::from_value(json).unwrap()
}

/// Returns the provenance in the stored bytes of a changeset.
fn in_changeset(world: &World, entry: &LogEntry) -> Value {
    let body = zstd::decode_all(&*world.body(&entry.changeset_key)).unwrap();
    assert_eq!(Hash::digest(&body), entry.changeset);
    serde_json::from_slice::<Value>(&body).unwrap()["provenance"].clone()
}

#[tokio::test]
async fn the_metadata_of_an_upload_is_kept_with_its_version() {
    let world = World::new();
    let metadata = [
        ("release", "2026.2"),
        ("author", " Ada Lovelace "),
        ("other", "x"),
    ];
    let event = world.upload_with(TENANT, &small(&[(1, "One")]), &metadata);
    world.deliver(event).await.unwrap();
    let said = json!({"release": "2026.2", "author": "Ada Lovelace"});
    let first = world.entry(TENANT, 1).await;
    assert_eq!(first.provenance, of(said.clone()));
    assert_eq!(in_changeset(&world, &first), said);
    assert_eq!(world.committed(TENANT).await.provenance, of(said));

    // The next version has its own provenance, or none.
    let event = world.upload_with(TENANT, &small(&[(1, "Two")]), &[]);
    world.deliver(event).await.unwrap();
    let second = world.entry(TENANT, 2).await;
    assert!(second.provenance.is_empty());
    assert_eq!(in_changeset(&world, &second), Value::Null);
    assert!(world.committed(TENANT).await.provenance.is_empty());
}

#[tokio::test]
async fn other_metadata_with_the_same_content_is_no_version() {
    let world = World::new();
    for release in ["1", "2"] {
        let event = world.upload_with(TENANT, &small(&[(1, "One")]), &[("release", release)]);
        world.deliver(event).await.unwrap();
    }
    let head = world.committed(TENANT).await;
    assert_eq!(head.version, Version::FIRST);
    assert_eq!(head.provenance, of(json!({"release": "1"})));
}

/// A process dies before each of its requests in turn; the next delivery of the same event makes the same changeset.
#[tokio::test]
async fn a_delivery_that_is_repeated_keeps_the_changeset_id() {
    let mut ids = Vec::new();
    for request in 1..=40 {
        let world = World::new();
        let event = world.upload_with(
            TENANT,
            &small(&[(1, "One")]),
            &[("release", "1"), ("reason", "r")],
        );
        let died = world.dies(event.clone(), When::nth(request), Fault::Crash).await;
        world.deliver(event).await.unwrap();
        let entry = world.entry(TENANT, 1).await;
        assert_eq!(entry.provenance, of(json!({"release": "1", "reason": "r"})));
        ids.push(entry.changeset);
        if !died {
            break;
        }
    }
    assert!(ids.len() > 8, "{} requests", ids.len());
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test]
async fn a_version_made_by_an_operator_carries_the_operators_words() {
    let world = World::new();
    for name in ["One", "Two"] {
        let event = world.upload_with(TENANT, &small(&[(1, name)]), &[("release", name)]);
        world.deliver(event).await.unwrap();
    }
    let (tenant, service) = (TENANT.parse().unwrap(), world.service());
    let said = json!({"author": "operator", "reason": "wrong names"});
    let third = service
        .roll_back(&tenant, Version::FIRST, of(said.clone()))
        .await
        .unwrap();
    let third = world.entry(TENANT, third.get()).await;
    assert_eq!(third.provenance, of(said.clone()));
    assert_eq!(in_changeset(&world, &third), said);
    let rebuilt = json!({"reason": "repair"});
    service.rebuild(&tenant, of(rebuilt.clone())).await.unwrap();
    assert_eq!(world.committed(TENANT).await.provenance, of(rebuilt));
}
