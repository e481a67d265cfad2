//! Tests of later uploads, operators' requests and loads over a lost or altered body or file of a version: they restore what they need from what is left.

use taxonomy_tests::prelude::*;

/// Ways to lose an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss {
    /// It is deleted.
    Missing,
    /// A byte in its middle changes.
    Altered,
    /// It ends early.
    Short,
    /// It has no byte.
    Empty,
}

impl Loss {
    pub(crate) const ALL: [Self; 4] = [Self::Missing, Self::Altered, Self::Short, Self::Empty];

    pub(crate) fn of(self, world: &World, key: &str) {
        let mut bytes = world.body(key);
        let middle = bytes.len() / 2;
        match self {
            Self::Missing => return world.lose(key),
            Self::Altered => bytes[middle] ^= 1,
            Self::Short => bytes.truncate(middle),
            Self::Empty => bytes.clear(),
        }
        world.put_body(key, bytes);
    }
}

/// Three versions; the second removes terms, and the third is a third content.
async fn three_versions() -> World {
    let world = World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    world.replace(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world
}

fn named(world: &World, kind: &str, version: u64) -> Vec<String> {
    let part = format!("/{version:012}-");
    world.keys(|key| key.contains(&part) && key.contains(kind))
}

/// Whatever the head's version lost, the next upload is published, and what it needed is there again, byte for byte.
#[tokio::test]
async fn an_upload_restores_what_it_needs_of_the_version_before() {
    let world = three_versions().await;
    let before = world.bodies();
    let file = small(&[(1, "Computing"), (3, "Care")]);
    for kind in ["snapshots/", ".index"] {
        let key = named(&world, kind, 3).remove(0);
        for loss in Loss::ALL {
            let world = world.copy();
            loss.of(&world, &key);
            world.push(TENANT, &file).await;
            let head = world.committed(TENANT).await;
            assert_eq!(
                (head.version.get(), head.is_settled()),
                (4, true),
                "{key} {loss:?}"
            );
            assert_eq!(world.live(TENANT), expected(TENANT, &file));
            let now = world.bodies();
            assert!(
                before.iter().all(|(key, bytes)| now[key] == *bytes),
                "{key} {loss:?}"
            );
        }
    }
}

/// Without this the loss of one file would leave every later version without one.
#[tokio::test]
async fn lost_index_files_are_built_again_from_the_newest_whole_one() {
    let world = three_versions().await;
    let before = world.bodies();
    for lost in [&[2, 3][..], &[1, 2, 3]] {
        let world = world.copy();
        for version in lost {
            named(&world, ".index", *version)
                .iter()
                .for_each(|key| Loss::Missing.of(&world, key));
        }
        let service = world.service();
        world.upload(TENANT, &small(&[(1, "Computing")]));
        service.reconcile(&tenant(), Deadline::NONE).await.unwrap();
        assert_eq!(
            service.metrics.counted(Metric::AuditDifferences),
            lost.len() as u64
        );
        assert_eq!(world.committed(TENANT).await.version.get(), 4);
        let now = world.bodies();
        assert!(before.iter().all(|(key, bytes)| now[key] == *bytes), "{lost:?}");
    }
}

/// The snapshot of a version follows from its index file, or from an older version and the changesets after it.
#[tokio::test]
async fn an_upload_goes_on_where_two_of_three_are_lost() {
    let world = three_versions().await;
    for lost in [
        &["snapshots/", ".index"][..],
        &["snapshots/", "changesets/"],
        &[".index", "changesets/"],
    ] {
        let world = world.copy();
        for kind in lost {
            named(&world, kind, 3)
                .iter()
                .for_each(|key| Loss::Altered.of(&world, key));
        }
        world.push(TENANT, &small(&[(1, "Computing")])).await;
        assert_eq!(world.committed(TENANT).await.version.get(), 4, "{lost:?}");
    }
}

/// Nothing is committed that is built on a guess, and nothing of the version that is served is changed.
#[tokio::test]
async fn what_cannot_be_restored_stops_an_upload_and_is_named() {
    let world = three_versions().await;
    let kinds = ["snapshots/", ".index", "changesets/"];
    let keys: Vec<String> = kinds.iter().flat_map(|kind| named(&world, kind, 3)).collect();
    keys.iter().for_each(|key| Loss::Missing.of(&world, key));
    world.upload(TENANT, &small(&[(1, "Computing")]));
    let refused = world.service().reconcile(&tenant(), Deadline::NONE).await;
    let message = taxonomy_runtime::causes(&refused.unwrap_err());
    let snapshot = format!("s3://{CHANGESETS_BUCKET}/{} does not exist", keys[0]);
    assert!(message.contains(&snapshot), "{message}");
    assert_eq!(world.committed(TENANT).await.version.get(), 3);
}

#[tokio::test]
async fn operators_requests_restore_what_they_need() {
    let world = three_versions().await;
    let first = Version::FIRST;
    for (kind, version) in [("snapshots/", 1), ("snapshots/", 3), (".index", 3), (".index", 2)] {
        let key = named(&world, kind, version).remove(0);
        for loss in [Loss::Missing, Loss::Altered] {
            let rolled = world.copy();
            loss.of(&rolled, &key);
            let service = rolled.service();
            service
                .roll_back(&tenant(), first, Provenance::default())
                .await
                .unwrap();
            assert_eq!(
                rolled.live(TENANT),
                expected(TENANT, &sample("job-board-v1.json"))
            );
            let rebuilt = world.copy();
            loss.of(&rebuilt, &key);
            let service = rebuilt.service();
            service.rebuild(&tenant(), Provenance::default()).await.unwrap();
            assert!(rebuilt.committed(TENANT).await.is_settled(), "{key} {loss:?}");
        }
    }
}

/// A load that another process began needs snapshot and index file of its target.
#[tokio::test]
async fn a_load_restores_the_files_of_its_target() {
    let world = World::of(&[&small(&[(1, "IT"), (2, "Law"), (3, "Care")])]).await;
    let file = small(&[(1, "Computing"), (4, "Music")]);
    let event = world.upload_replacement(TENANT, &file);
    world.dies_at(event.clone(), 1, "PutItem").await;
    let before = world.bodies();
    for kind in ["snapshots/", ".index"] {
        for version in [1, 2] {
            let key = named(&world, kind, version).remove(0);
            for loss in [Loss::Missing, Loss::Altered] {
                let world = world.copy();
                loss.of(&world, &key);
                world.pass(91);
                world.deliver(event.clone()).await.unwrap();
                assert!(world.committed(TENANT).await.is_settled(), "{key} {loss:?}");
                assert_eq!(world.live(TENANT), expected(TENANT, &file), "{key} {loss:?}");
                assert!(key.contains(".index") || version == 1 || world.bodies() == before);
            }
        }
    }
}
