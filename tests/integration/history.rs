//! Tests of the history: the log, the state at a version or a time, the facts between two versions, and the chain in both directions.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_model::changeset::Changeset;
use taxonomy_model::snapshot;
use taxonomy_store::{Committed, StoreError};
use taxonomy_tests::prelude::*;

fn version(number: u64) -> Version {
    Version::new(number).unwrap()
}

fn file(number: u64) -> Vec<u8> {
    small(&[(1, &format!("Name {number}")), (number + 1, "New")])
}

async fn versions(count: u64) -> World {
    let world = World::new();
    for number in 1..=count {
        world.push(TENANT, &file(number)).await;
    }
    world
}

#[tokio::test]
async fn the_log_is_told_newest_first_in_pages() {
    let world = versions(5).await;
    let service = world.service();
    let page = async |before: Option<u64>, limit| {
        let entries = service.history(&tenant(), before.map(version), limit).await;
        let entries = entries.unwrap();
        entries
            .iter()
            .map(|entry| entry.version.get())
            .collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2).await, [5, 4]);
    assert_eq!(page(Some(4), 2).await, [3, 2]);
    assert_eq!(page(Some(2), 2).await, [1]);
    assert_eq!(page(Some(1), 2).await, [] as [u64; 0]);
    assert_eq!(page(None, 1000).await, [5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn a_moment_shows_the_version_that_was_the_newest_then() {
    let world = versions(9).await;
    let service = world.service();
    let log = service.history(&tenant(), None, 9).await.unwrap();
    let at = async |time| {
        let state = service.state_at(&tenant(), time).await.unwrap()?;
        let number = state.entry.version.get();
        let numbered = service.state(&tenant(), version(number)).await.unwrap();
        let content = snapshot::hash(&read(&file(number)));
        assert!(
            [state, numbered]
                .iter()
                .all(|state| snapshot::hash(&state.taxonomy) == content)
        );
        Some(number)
    };
    for entry in &log {
        assert_eq!(at(entry.committed_at).await, Some(entry.version.get()));
        let before = Some(entry.version.get() - 1).filter(|before| *before > 0);
        assert_eq!(at(entry.committed_at - 1).await, before);
    }
    assert_eq!(at(0).await, None);
    assert_eq!(at(u64::MAX).await, Some(9));
}

/// Reads the changesets from a head back to the first, along their links: the id of one determines every earlier one.
async fn backwards(world: &World, head: Committed) -> Result<Vec<Changeset>, StoreError> {
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let (mut all, mut next) = (Vec::new(), Some((head.version, head.changeset)));
    while let Some((version, id)) = next {
        let changeset = archive.changeset(&tenant(), version, &id).await?;
        let parent = changeset.header.parent.clone();
        next = parent.map(|parent| (Version::new(version.get() - 1).unwrap(), parent));
        all.push(changeset);
    }
    Ok(all)
}

/// The number of versions exceeds a page of the log.
#[tokio::test]
async fn a_long_chain_is_followed_to_the_newest_version() {
    let world = versions(120).await;
    let (service, tenant) = (world.service(), tenant());
    let verdict = service.verify(&tenant, BTreeSet::new()).await.unwrap();
    assert_eq!(
        (verdict.findings.versions, verdict.is_clean()),
        (120, true),
        "{verdict:?}"
    );
    let log = service.history(&tenant, None, 1000).await.unwrap();
    assert_eq!(log.len(), 100, "a page");
}

/// The bodies are well-formed, but not those that were committed under their id.
#[tokio::test]
async fn a_body_that_was_replaced_ends_the_chain_with_its_name() {
    let world = versions(3).await;
    let (head, service, tenant) = (world.committed(TENANT).await, world.service(), tenant());
    let second = service.history(&tenant, None, 2).await.unwrap().remove(1);
    let stored = world.body(&second.changeset_key);
    let body = String::from_utf8(zstd::decode_all(&stored[..]).unwrap()).unwrap();
    assert!(body.contains("Name 2"));
    for (what, forged) in [
        ("a name", body.replace("Name 2", "Nome 2")),
        ("a tenant", body.replace(TENANT, "acne")),
        ("nothing but a byte behind it", format!("{body} ")),
    ] {
        let packed = zstd::encode_all(forged.as_bytes(), 3).unwrap();
        world.put_body(&second.changeset_key, packed);
        let read = backwards(&world, head.clone()).await;
        let Err(StoreError::Damaged { what: named, .. }) = read else {
            panic!("{what}: {read:?}")
        };
        assert!(named.ends_with(&second.changeset_key), "{what}: {named}");
        let lines = world.listed().await;
        assert!(
            matches!(&lines[..], [line] if line.contains(&second.changeset_key)),
            "{what}: {lines:?}"
        );
    }
}

/// Another process wrote a second version too, which was never committed: it is valid in itself, but the third version does not follow
/// from it.
#[tokio::test]
async fn a_version_that_lost_its_race_cannot_take_the_winners_place() {
    let (world, other, tenant) = (versions(3).await, versions(1).await, tenant());
    other.push(TENANT, &file(7)).await;
    let loser = other.service().history(&tenant, None, 1).await.unwrap().remove(0);
    let body = other.body(&loser.changeset_key);
    world.put_body(&loser.changeset_key, body);
    let mut items = world.db.items(TABLE).into_iter();
    let mut entry = items
        .find(|item| item["SK"].as_s().unwrap() == "CHANGESET#000000000002")
        .unwrap();
    for (name, value) in [("ChangesetId", &loser.changeset), ("StateHash", &loser.state)] {
        entry.insert(name.to_owned(), AttributeValue::S(value.to_string()));
    }
    world.put_by_hand(entry).await;
    assert_eq!(
        world.listed().await,
        ["altered   TAXONOMY#acme CHANGESET#000000000002 ChangesetId, StateHash"]
    );
}

/// Otherwise the newest version at a given time would be ambiguous.
#[tokio::test]
async fn commit_times_ascend_whatever_the_clock_does() {
    let world = versions(1).await;
    for number in 2..=4 {
        world.turn_back(3600);
        world.push(TENANT, &file(number)).await;
    }
    let log = world.service().history(&tenant(), None, 10).await.unwrap();
    assert!(log.is_sorted_by(|newer, older| newer.committed_at > older.committed_at));
}

/// The changeset is sound, of another version, and under its own id.
#[tokio::test]
async fn a_changeset_of_another_version_is_refused() {
    let world = versions(2).await;
    let first = world.entry(TENANT, 1).await;
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let moved = Archive::changeset_key(&tenant(), version(2), &first.changeset);
    let body = world.body(&first.changeset_key);
    world.put_body(&moved, body);
    let read = archive.changeset(&tenant(), version(2), &first.changeset).await;
    let Err(StoreError::Damaged { source, .. }) = read else {
        panic!("{read:?}")
    };
    assert!(source.to_string().contains("it is version 1 of"), "{source}");
}
