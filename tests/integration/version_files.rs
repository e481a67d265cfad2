//! Tests of the files of versions: one index file for each version and one search object for each of its cultures, all of them stored before the
//! head names the version, whatever happens meanwhile. The tests of `taxonomy-index` check their content.

use std::collections::BTreeSet;

use taxonomy_store::Freeze;
use taxonomy_tests::prelude::*;

/// Returns the keys of all index files and search objects.
fn files(world: &World) -> Vec<String> {
    world.keys(|key| key.starts_with("indexes/"))
}

/// Checks that the tenant has these versions, is at rest, and has their files and no other.
async fn assert_files(world: &World, versions: u64) {
    let head = world.committed(TENANT).await;
    assert_eq!(head.version.get(), versions);
    assert!(head.is_settled());
    assert!(world.head(TENANT).await.attention.is_none());
    let mut expected = BTreeSet::new();
    for version in 1..=versions {
        let entry = world.entry(TENANT, version).await;
        let name = format!("indexes/{TENANT}/1/{version:012}-{}-", entry.changeset);
        assert!(entry.index_key.starts_with(&name), "{}", entry.index_key);
        let is_search = |key: &String| key.starts_with(&name) && key.ends_with(".search-en-GB");
        let search: Vec<String> = files(world).into_iter().filter(is_search).collect();
        assert_eq!(search.len(), 1, "{search:?}");
        expected.extend(search);
        expected.insert(entry.index_key);
    }
    assert!(expected.contains(&head.index_key));
    assert_eq!(files(world), expected.into_iter().collect::<Vec<_>>());
    for key in files(world) {
        let writes = world.s3.versions(CHANGESETS_BUCKET, &key).len();
        assert_eq!(writes, 1, "{key} was written again");
    }
}

fn one() -> Vec<u8> {
    small(&[(1, "One"), (2, "Two")])
}

fn two() -> Vec<u8> {
    small(&[(1, "One"), (3, "Three")])
}

#[tokio::test]
async fn every_file_of_a_version_is_stored_before_the_commit() {
    let world = World::of(&[&one()]).await;
    world.exchanges().clear();
    world.push(TENANT, &two()).await;
    assert_files(&world, 2).await;
    let lines = world.exchanges().lines();
    let places = [
        "/snapshots/",
        "/changesets/",
        ".search-en-GB",
        ".index",
        "TransactWriteItems",
    ]
    .map(|word| {
        let is_write = |line: &&String| line.contains("PutObject") || line.contains("TransactWriteItems");
        let writes = lines.iter().filter(is_write);
        writes.clone().position(|line| line.contains(word)).unwrap()
    });
    assert_eq!(places, [0, 1, 2, 3, 4], "{lines:#?}");
}

/// The version before stays, and the next delivery commits.
#[tokio::test]
async fn a_version_whose_files_cannot_be_stored_is_not_committed() {
    for kind in [".search-", ".index"] {
        let world = World::of(&[&one()]).await;
        let puts = When::always().operation("PutObject").containing(kind);
        world.inject(puts, Fault::Throttle);
        let event = world.upload(TENANT, &two());
        assert!(world.deliver(event.clone()).await.is_err(), "{kind}");
        world.transport.reset_faults();
        assert_eq!(world.committed(TENANT).await.version, Version::FIRST, "{kind}");
        world.deliver(event).await.unwrap();
        assert_files(&world, 2).await;
    }
}

/// A process checks its deadline before each file; a later process stores the rest, and commits.
#[tokio::test]
async fn files_are_stored_while_there_is_time() {
    let world = World::new();
    let event = world.upload(TENANT, &sample("job-board-v1.json"));
    let mut stored = BTreeSet::new();
    for looks in 0..200 {
        // Without any time it asks to be called again.
        drop(world.deliver_within(event.clone(), looks).await);
        stored.insert(files(&world).len());
        if world.head(TENANT).await.committed.is_some() {
            break;
        }
    }
    // Small objects, here of three cultures, are sent at once.
    assert_eq!(stored, BTreeSet::from([0, 3, 4]));
    world.deliver(event).await.unwrap();
    for key in files(&world) {
        assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key).len(), 1, "{key}");
    }
    assert!(world.verdict().await.is_clean());
}

/// Releases requests until one names this, which is held.
async fn hold_at(world: &World, target: &str) -> u64 {
    loop {
        tokio::task::yield_now().await;
        for request in world.transport.pending() {
            if request.target.contains(target) {
                return request.id;
            }
            world.transport.release(request.id, None);
        }
    }
}

/// Releases every request but one.
async fn release_others(world: &World, held: u64) {
    loop {
        tokio::task::yield_now().await;
        let pending = world.transport.pending().into_iter();
        pending
            .filter(|request| request.id != held)
            .for_each(|request| world.transport.release(request.id, None));
    }
}

/// Files of a large version take a minute. What an operator changes meanwhile counts, here a freeze: the version is not committed.
#[tokio::test]
async fn a_tenant_that_moves_while_its_files_are_built_is_planned_again() {
    let world = World::of(&[&one()]).await;
    let event = world.upload(TENANT, &two());
    world.transport.close_gate();
    let projector = world.projector();
    let meanwhile = async {
        let held = hold_at(&world, ".search-").await;
        let service = world.service();
        let frozen = Configuration {
            frozen: Some(Freeze::default()),
            ..Configuration::default()
        };
        let tenant = tenant();
        tokio::select! {
            configured = service.configure(&tenant, &frozen) => drop(configured.unwrap()),
            () = release_others(&world, held) => {}
        }
        world.transport.open_gate();
    };
    let (handled, ()) = tokio::join!(projector.handle(event.clone(), Deadline::NONE), meanwhile);
    handled.unwrap();
    assert_eq!(world.committed(TENANT).await.version, Version::FIRST);
    let thawed = Configuration {
        revision: 1,
        ..Configuration::default()
    };
    world.service().configure(&tenant(), &thawed).await.unwrap();
    world.deliver(event).await.unwrap();
    assert_files(&world, 2).await;
}

/// The head of a newer build, as this one reads it: nothing is committed onto it.
#[tokio::test]
async fn the_files_of_a_newer_build_are_left_alone() {
    let world = World::of(&[&one()]).await;
    let newer = world.committed(TENANT).await.index_key.replace("/1/", "/2/");
    let head = ("TAXONOMY#acme", "HEAD");
    world.alter(head, "IndexKey", Some(s(&newer))).await;
    let before = files(&world);
    let event = world.upload(TENANT, &two());
    let refused = world.deliver(event).await.unwrap_err();
    let causes = taxonomy_runtime::causes(&refused);
    assert!(
        causes.contains(&format!("{newer} has format 2, which this build does not know")),
        "{causes}"
    );
    assert_eq!(world.committed(TENANT).await.version, Version::FIRST);
    assert_eq!(files(&world), before);
}
