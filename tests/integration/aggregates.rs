//! Tests of the aggregates that the aggregator writes after a version is projected.

use insta::assert_snapshot;
use taxonomy_tests::prelude::*;

/// Returns the stored aggregates as lines; the sort key is the second column.
fn stats(world: &World) -> Vec<String> {
    let lines = world.db.dump(TABLE).into_iter();
    lines.filter(|line| line.starts_with("STATS#")).collect()
}

fn line(world: &World, sort_key: &str) -> String {
    let start = format!("STATS#acme | {sort_key} | ");
    let mut lines = stats(world).into_iter();
    lines
        .find(|line| line.starts_with(&start))
        .unwrap_or_else(|| panic!("nothing is stored under {sort_key}"))
}

/// Returns a file of categories by id, each with the ids of its terms.
fn taxonomy(categories: &[(u64, &[u64])]) -> Vec<u8> {
    let categories = categories.iter().map(|(id, terms)| {
        let terms: Vec<Value> = terms
            .iter()
            .map(|id| json!({"id": id, "name": format!("term {id}")}))
            .collect();
        json!({"id": id, "name": format!("category {id}"), "terms": terms})
    });
    of_categories(&categories.collect())
}

#[tokio::test]
async fn what_is_stored_is_this() {
    let world = World::of(&[&taxonomy(&[(1, &[10, 11]), (2, &[20])])]).await;
    world.aggregate().await;
    world.push(TENANT, &taxonomy(&[(1, &[10]), (3, &[11, 30])])).await;
    world.aggregate().await;
    assert_snapshot!(stats(&world).join("\n"));
}

#[tokio::test]
async fn more_versions_than_a_page_of_the_log_are_taken_page_by_page() {
    let world = World::new();
    for version in 0..103_u64 {
        world
            .push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20 + version])]))
            .await;
    }
    world.aggregate().await;
    assert!(line(&world, "TENANT").contains("V=103"));
    let proofs = stats(&world)
        .iter()
        .filter(|line| line.contains("| DONE#"))
        .count();
    assert_eq!(proofs, 103);
    assert!(line(&world, "CATEGORY#1").contains("V=1 "));
}

#[tokio::test]
async fn a_rebuild_writes_anew_what_is_counted() {
    let world = World::of(&[&taxonomy(&[(1, &[10]), (2, &[20])])]).await;
    world.aggregate().await;
    let key = ("STATS#acme", "CATEGORY#1");
    world.alter(key, "Terms", Some(n(99))).await;
    world.alter(key, "SK", Some(s("CATEGORY#9"))).await;
    world.rebuild(TENANT).await;
    world.aggregate().await;
    assert!(line(&world, "CATEGORY#1").contains("Terms=1"));
    assert!(line(&world, "CATEGORY#9").contains("Removed=true Terms=0"));
}

/// The stream's filter passes heads only, and the handler handles no other record.
#[tokio::test]
async fn a_load_costs_three_records_and_a_write_for_each_touched_category() {
    let world = World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    let records = world.db.stream_records(TABLE);
    // Commit, begin and end of the load, for each of two versions.
    assert_eq!(world.head_records().len(), 6);
    world.exchanges().clear();
    world.aggregate_records(&records).await;
    assert!(records.len() > 300);
    let touched = stats(&world)
        .iter()
        .filter(|line| line.contains("| CATEGORY#") && line.contains("V=2"))
        .count();
    let seen = world.exchanges();
    let count = |operation: &str| seen.count(operation);
    // Head, totals, log and changeset, once a version.
    assert_eq!((count("GetItem"), count("Query"), count("GetObject")), (2, 4, 2));
    assert_eq!(count("PutItem"), 5 + 1 + touched + 1);
    assert_eq!(count("TransactWriteItems"), 2);
    assert_eq!(
        (seen.units_of("PutItem"), seen.units_of("TransactWriteItems")),
        ((5 + 1 + touched + 1) as f64, 8.0)
    );
    let own: Vec<Value> = world.db.stream_records(TABLE).split_off(records.len());
    world.exchanges().clear();
    world.aggregate_records(&own).await;
    // Its own writes are none of its business.
    assert!(!own.is_empty() && world.exchanges().is_empty());
}

#[tokio::test]
async fn a_changeset_that_is_not_what_its_id_says_is_not_counted() {
    let world = World::of(&[&taxonomy(&[(1, &[10])])]).await;
    let key = world.entry(TENANT, 1).await.changeset_key;
    let text = String::from_utf8(zstd::decode_all(&world.body(&key)[..]).unwrap()).unwrap();
    let other = text.replace("\"terms\":1", "\"terms\":7");
    assert_ne!(other, text);
    let other = zstd::encode_all(other.as_bytes(), 3).unwrap();
    world.put_body(&key, other);
    let failed = world.aggregate_records(&world.db.stream_records(TABLE)).await;
    assert_eq!((failed, world.parked().len()), (json!([]), 1));
    assert_eq!(stats(&world), Vec::<String>::new());
}
