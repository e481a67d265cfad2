//! Tests of the versions of a tenant over HTTP: as in the log, page by page, with their provenance.

use taxonomy_tests::asking::small_pages;
use taxonomy_tests::prelude::*;

/// Returns a world of three uploads, the second with a release, and a rollback to the first version.
async fn four_versions() -> World {
    let world = World::new();
    for (terms, release) in [
        (vec![(1, "One"), (2, "Two")], &[][..]),
        (
            vec![(1, "Uno"), (3, "Three")],
            &[("release", "2026.2"), ("author", "Ada")][..],
        ),
        (vec![(1, "Uno"), (3, "Three"), (4, "Four")], &[][..]),
    ] {
        let event = world.upload_with(TENANT, &small(&terms), release);
        world.deliver(event).await.unwrap();
    }
    world.roll_back(TENANT, 1).await;
    world
}

#[tokio::test]
async fn versions_come_newest_first_with_what_they_did() {
    let world = four_versions().await;
    let lookup = process(&world);
    let (status, all) = get(&lookup, "versions").await;
    assert_eq!(status, 200, "{all}");
    let numbers = |page: &Value| -> Vec<u64> {
        page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["version"].as_u64().unwrap())
            .collect()
    };
    assert_eq!((numbers(&all), all.get("nextCursor")), (vec![4, 3, 2, 1], None));
    let paged = small_pages(&lookup, "versions", 1).await;
    assert_eq!(json!(paged), all["items"]);
    let [fourth, third, second, first] = all["items"].as_array().unwrap().as_slice() else {
        panic!("{all}")
    };
    assert_eq!(
        (&fourth["cause"], &fourth["rolledBackTo"]),
        (&json!("rollback"), &json!(1))
    );
    assert_eq!(
        second["provenance"],
        json!({"release": "2026.2", "author": "Ada"})
    );
    assert_eq!(first.get("provenance"), None);
    let changes = |added: u64, changed: u64, removed: u64, renamed: u64| json!({"added": added, "changed": changed, "removed": removed, "renamed": renamed, "moved": 0, "deprecated": 0, "restored": 0, "finalNames": renamed});
    assert_eq!(first["changes"], changes(2, 0, 0, 0));
    assert_eq!(second["changes"], changes(1, 1, 1, 1));
    assert_eq!(third["changes"], changes(1, 0, 0, 0));
    assert_eq!(
        third["totals"],
        json!({"categories": 1, "terms": 3, "leaves": 3, "deprecated": 0})
    );
    for item in all["items"].as_array().unwrap() {
        let (status, one) = get(&lookup, &format!("versions/{}", item["version"])).await;
        assert_eq!((status, &one), (200, item));
        let as_of = get(
            &lookup,
            &format!("categories?asOf={}", item["committedAt"].as_str().unwrap()),
        )
        .await;
        let by_number = get(&lookup, &format!("categories?version={}", item["version"])).await;
        assert_eq!(as_of, by_number);
    }
}

#[tokio::test]
async fn a_version_that_never_was_is_none() {
    let world = four_versions().await;
    let lookup = process(&world);
    let table = "
        versions/5         404 version-not-found
        versions/0         400 invalid-parameter
        versions/x         400 invalid-parameter
        versions/+1        400 invalid-parameter
        versions?limit=101 400 invalid-parameter
    ";
    problems(&lookup, table).await;
}
