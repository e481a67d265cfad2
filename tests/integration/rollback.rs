//! Tests of versions that operators make: a rollback, a rebuild, and a build with another projection format.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_model::changeset::Cause;
use taxonomy_store::Answer;
use taxonomy_tests::prelude::*;
use tokio::time::sleep;

fn version(number: u64) -> Version {
    Version::new(number).unwrap()
}

fn file(number: u64) -> Vec<u8> {
    match number {
        1 => small(&[(1, "IT"), (2, "Law"), (3, "Mining")]),
        2 => small(&[(1, "Computing"), (3, "Mining"), (4, "Teaching")]),
        _ => small(&[(3, "Mines")]),
    }
}

async fn three_versions() -> World {
    let world = World::new();
    for number in 1..=3 {
        world.push(TENANT, &file(number)).await;
    }
    world
}

#[tokio::test]
async fn rolling_back_is_a_new_version_with_older_content() {
    let world = three_versions().await;
    assert_eq!(world.roll_back(TENANT, 1).await, version(4));
    assert_eq!(world.live(TENANT), expected(TENANT, &file(1)));
    let log = world.service().history(&tenant(), None, 10).await.unwrap();
    assert_eq!(log[0].cause, Cause::Rollback { to: 1 });
    assert_eq!(log[0].state, log[3].state);
    // Nothing is stored twice.
    assert_eq!(log[0].snapshot_key, log[3].snapshot_key);
}

/// An upload with the head's content attaches the head to its source again.
#[tokio::test]
async fn an_upload_of_what_was_restored_attaches_the_head_again() {
    let world = three_versions().await;
    world.roll_back(TENANT, 2).await;
    assert!(world.committed(TENANT).await.detached);
    world.push(TENANT, &file(2)).await;
    let head = world.committed(TENANT).await;
    assert_eq!((head.version, head.detached), (version(4), false));
}

#[tokio::test]
async fn rolling_back_to_what_is_there_changes_nothing() {
    let world = three_versions().await;
    assert_eq!(world.roll_back(TENANT, 3).await, version(3));
    assert_eq!(world.committed(TENANT).await.version, version(3));
}

#[tokio::test]
async fn nobody_rolls_back_to_a_version_that_never_was() {
    let world = three_versions().await;
    let service = world.service();
    let unknown = service
        .roll_back(&tenant(), version(4), Provenance::default())
        .await;
    assert!(matches!(unknown, Err(VersioningError::UnknownVersion(_))));
    let nobody = service
        .roll_back(&"nobody".parse().unwrap(), version(1), Provenance::default())
        .await;
    assert!(matches!(nobody, Err(VersioningError::NoVersion)));
}

/// The table was changed by hand: a rebuild writes every item again, including those of terms that were removed long before.
#[tokio::test]
async fn a_rebuild_repairs_whatever_happened_to_the_table() {
    let world = three_versions().await;
    let before = world.live(TENANT);
    for item in world.db.items(TABLE) {
        let (pk, sk) = (item["PK"].as_s().unwrap(), item["SK"].as_s().unwrap());
        if !pk.starts_with("TERM#") {
            continue;
        }
        let delete = pk.ends_with('3') && sk != pk;
        let mut broken = item.clone();
        broken.insert("FinalName".to_owned(), AttributeValue::S("nonsense".to_owned()));
        broken.remove("Removed");
        if delete {
            world.delete_by_hand(&item).await;
        } else {
            world.put_by_hand(broken).await;
        }
    }
    assert!(!world.verdict().await.is_clean());
    assert_eq!(world.rebuild(TENANT).await, version(4));
    assert_eq!(world.live(TENANT), before);
    world.clean().await;
    let entry = world.entry(TENANT, 4).await;
    let made = (entry.cause, entry.full, entry.facts);
    assert_eq!(made, (Cause::Rebuild, true, 0));
}

/// The response to a request may be lost for so long that the projector answers it before it is sent again.
#[tokio::test(start_paused = true)]
async fn a_request_that_is_answered_before_its_response_arrives_is_asked_once() {
    let world = three_versions().await;
    let (service, acme) = (world.service(), tenant());
    let asks = When::nth(1).operation("UpdateItem");
    world.inject(asks, Fault::SlowAnswer(Duration::from_mins(1)));
    let (asked, carried_out) = tokio::join!(
        Box::pin(service.ask(&acme, Request::Rebuild, Provenance::default())),
        Box::pin(async {
            sleep(Duration::from_secs(1)).await;
            world.service().reconcile(&acme, Deadline::NONE).await
        })
    );
    assert_eq!(carried_out.unwrap(), Outcome::AtRest);
    let answer = service.answer(&acme, &asked.unwrap()).await;
    assert_eq!(answer.unwrap(), Some(Answer::Committed { version: version(4) }));
    assert_eq!(world.committed(TENANT).await.version, version(4));
}

/// A build with a new projection format commits a version that writes all items.
#[tokio::test]
async fn a_newer_format_is_a_full_version_of_every_tenant() {
    let world = three_versions().await;
    let newer = world.service_in_format(2);
    world.exchanges().clear();
    let outcome = newer.reconcile(&tenant(), Deadline::NONE).await.unwrap();
    assert_eq!(outcome, Outcome::AtRest);
    let head = world.committed(TENANT).await;
    assert_eq!(
        (head.version, head.format, head.full),
        (version(4), 2, Some(version(4)))
    );
    // The category, the one remaining term, and the tombstones of three removed terms.
    assert_eq!(world.exchanges().count("PutItem"), 5);
    let verdict = newer.verify(&tenant(), BTreeSet::new()).await.unwrap();
    assert!(verdict.is_clean(), "{verdict:?}");
}

/// During a deployment an old build must not write old items over new ones.
#[tokio::test]
async fn an_older_build_leaves_a_newer_format_alone() {
    let world = three_versions().await;
    let newer = world.service_in_format(2);
    newer.reconcile(&tenant(), Deadline::NONE).await.unwrap();
    let table = world.db.dump(TABLE);
    let event = world.upload(TENANT, &file(1));
    assert!(world.deliver(event.clone()).await.is_err());
    assert_eq!(world.db.dump(TABLE), table);
    // The new build ingests it.
    newer.reconcile(&tenant(), Deadline::NONE).await.unwrap();
    assert_eq!(world.committed(TENANT).await.version, version(5));
}

/// The same holds for an operator with older tools.
#[tokio::test]
async fn an_older_build_neither_rolls_back_nor_rebuilds_a_newer_format() {
    let world = three_versions().await;
    let newer = world.service_in_format(2);
    newer.reconcile(&tenant(), Deadline::NONE).await.unwrap();
    let (older, table) = (world.service(), world.db.dump(TABLE));
    for refused in [
        older
            .roll_back(&tenant(), version(1), Provenance::default())
            .await,
        older.rebuild(&tenant(), Provenance::default()).await,
    ] {
        assert!(
            matches!(refused, Err(VersioningError::NewerFormat(2))),
            "{refused:?}"
        );
    }
    assert_eq!(world.db.dump(TABLE), table);
}
