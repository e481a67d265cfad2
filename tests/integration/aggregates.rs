//! Tests of the aggregates that the aggregator writes after a version is projected.

use insta::assert_snapshot;
use serde_json::{Value, json};
use taxonomy_keys::Version;
use taxonomy_model::Provenance;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::budget;
use taxonomy_tests::operator::Operator as _;
use taxonomy_tests::world::{DEFERRED, TENANT, World, sample};
use taxonomy_versioning::Deadline;

async fn deliver(world: &World, records: &[Value]) -> Value {
    let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
    serde_json::to_value(world.aggregator().handle(batch, Deadline::NONE).await).unwrap()
}

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
    json!({"categories": categories.collect::<Vec<_>>()})
        .to_string()
        .into_bytes()
}

async fn two_versions() -> World {
    let world = World::new();
    world.push(TENANT, &sample("job-board-v1.json")).await;
    world.push(TENANT, &sample("job-board-v2.json")).await;
    world
}

#[tokio::test]
async fn totals_are_those_of_the_projected_version() {
    let world = two_versions().await;
    let committed_at = world.committed(TENANT).await.committed_at;
    world.aggregate().await;
    // Counted from samples/README.md: 4 terms removed, 5 added (135, 178, 136, 212, 213).
    let tenant = line(&world, "TENANT");
    assert!(
        tenant.contains("TenantStats V=2 Added=5 Categories=5 "),
        "{tenant}"
    );
    assert!(
        tenant.contains(&format!("ChangedAt={committed_at}")) && tenant.contains("Removed=4 Terms=145"),
        "{tenant}"
    );
}

#[tokio::test]
async fn what_is_stored_is_this() {
    let world = World::new();
    world.push(TENANT, &taxonomy(&[(1, &[10, 11]), (2, &[20])])).await;
    world.aggregate().await;
    world.push(TENANT, &taxonomy(&[(1, &[10]), (3, &[11, 30])])).await;
    world.aggregate().await;
    assert_snapshot!(stats(&world).join("\n"));
}

#[tokio::test]
async fn a_category_that_nothing_touched_is_not_written() {
    let world = World::new();
    world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
    world.aggregate().await;
    let before = line(&world, "CATEGORY#1");
    world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20, 21])])).await;
    let records = world.db.stream_records(TABLE);
    world.exchanges().clear();
    deliver(&world, &records).await;
    assert_eq!(line(&world, "CATEGORY#1"), before);
    assert_eq!(
        world.exchanges().items_of("PutItem"),
        2,
        "category 2 and the tenant"
    );
    assert!(line(&world, "CATEGORY#2").contains("V=2"));
}

#[tokio::test]
async fn doubled_replayed_and_disordered_records_change_nothing() {
    let world = two_versions().await;
    let records = world.db.stream_records(TABLE);
    deliver(&world, &records).await;
    let expect = stats(&world);
    deliver(&world, &records).await;
    let backwards: Vec<Value> = records.into_iter().rev().collect();
    deliver(&world, &backwards).await;
    assert_eq!(stats(&world), expect);
}

/// The record of the older version arrives after the newer one's: nothing of it may be missing, and nothing counted twice.
#[tokio::test]
async fn what_comes_in_another_order_comes_to_the_same() {
    let (forwards, backwards) = (two_versions().await, two_versions().await);
    let records = forwards.db.stream_records(TABLE);
    deliver(&forwards, &records).await;
    let records: Vec<Value> = backwards.db.stream_records(TABLE).into_iter().rev().collect();
    deliver(&backwards, &records).await;
    assert_eq!(stats(&forwards), stats(&backwards));
}

/// This includes versions that were never projected themselves.
#[tokio::test]
async fn every_version_up_to_the_projected_one_is_counted() {
    let world = World::new();
    world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
    world.aggregate().await;
    world
        .leave_unfinished(&taxonomy(&[(1, &[10, 11]), (2, &[20])]))
        .await;
    world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20, 21])])).await;
    world.aggregate().await;
    let month = stats(&world).into_iter().find(|line| line.contains("| MONTH#"));
    let month = month.unwrap();
    assert!(
        month.contains("Versions=3") && month.contains("Added=4") && month.contains("Removed=1"),
        "{month}"
    );
    // The counts are unchanged, but a late writer of version 2 must be refused by the version.
    assert!(line(&world, "CATEGORY#1").contains("V=3"));
}

/// The stored aggregate of a category is the same whether each version was counted by itself or several at once.
#[tokio::test]
async fn a_category_says_which_version_touched_it_last_whatever_was_lost() {
    let mut stored = Vec::new();
    for lost in [false, true] {
        let world = World::new();
        world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
        world.push(TENANT, &taxonomy(&[(1, &[10, 11]), (2, &[20])])).await;
        let seen = world.db.stream_records(TABLE).len();
        let last = taxonomy(&[(1, &[10, 11]), (2, &[20, 21])]);
        world.push(TENANT, &last).await;
        let mut records = world.db.stream_records(TABLE);
        let newest = records.split_off(seen);
        deliver(&world, if lost { &[] } else { &records }).await;
        deliver(&world, &newest).await;
        assert!(line(&world, "CATEGORY#1").contains("V=2 "));
        assert!(line(&world, "CATEGORY#2").contains("V=3 "));
        stored.push(stats(&world));
    }
    assert_eq!(stored[0], stored[1]);
}

/// The same holds for a rebuild that is counted together with the version before it, which removed a category.
#[tokio::test]
async fn a_rebuild_touches_what_is_gone_as_well_whatever_was_lost() {
    let mut stored = Vec::new();
    for lost in [false, true] {
        let world = World::new();
        world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
        world.push(TENANT, &taxonomy(&[(1, &[10])])).await;
        let seen = world.db.stream_records(TABLE).len();
        let tenant = TENANT.parse().unwrap();
        let service = world.service();
        service.rebuild(&tenant, Provenance::default()).await.unwrap();
        service.reconcile(&tenant, Deadline::NONE).await.unwrap();
        let mut records = world.db.stream_records(TABLE);
        let newest = records.split_off(seen);
        deliver(&world, if lost { &[] } else { &records }).await;
        deliver(&world, &newest).await;
        assert!(line(&world, "CATEGORY#2").contains("V=3 "));
        stored.push(stats(&world));
    }
    assert_eq!(stored[0], stored[1]);
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
    let world = World::new();
    world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
    world.aggregate().await;
    let mut wrong = world.db.item(TABLE, "STATS#acme", "CATEGORY#1").unwrap();
    wrong.insert(
        "Terms".to_owned(),
        aws_sdk_dynamodb::types::AttributeValue::N("99".to_owned()),
    );
    world.put_by_hand(wrong.clone()).await;
    wrong.insert(
        "SK".to_owned(),
        aws_sdk_dynamodb::types::AttributeValue::S("CATEGORY#9".to_owned()),
    );
    world.put_by_hand(wrong).await;
    let tenant = TENANT.parse().unwrap();
    let service = world.service();
    service.rebuild(&tenant, Provenance::default()).await.unwrap();
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    world.aggregate().await;
    assert!(line(&world, "CATEGORY#1").contains("Terms=1"));
    assert!(line(&world, "CATEGORY#9").contains("Removed=true Terms=0"));
}

/// The stream's filter passes heads only, and the handler handles no other record.
#[tokio::test]
async fn a_load_costs_three_records_and_a_write_for_each_touched_category() {
    let world = two_versions().await;
    let records = world.db.stream_records(TABLE);
    let heads = records
        .iter()
        .filter(|record| record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD")
        .count();
    assert_eq!(
        heads, 6,
        "commit, begin and end of the load, for each of two versions"
    );
    world.exchanges().clear();
    deliver(&world, &records).await;
    assert!(records.len() > 300);
    let touched = stats(&world)
        .iter()
        .filter(|line| line.contains("| CATEGORY#") && line.contains("V=2"))
        .count();
    let seen = world.exchanges();
    let count = |operation: &str| seen.count(operation);
    assert_eq!(
        (count("GetItem"), count("Query"), count("GetObject")),
        (2, 4, 2),
        "head, totals, log and changeset, once a version"
    );
    assert_eq!(count("PutItem"), 5 + 1 + touched + 1);
    assert_eq!(count("TransactWriteItems"), 2);
    assert_eq!(
        (seen.units_of("PutItem"), seen.units_of("TransactWriteItems")),
        ((5 + 1 + touched + 1) as f64, 8.0)
    );
    let own: Vec<Value> = world.db.stream_records(TABLE).split_off(records.len());
    world.exchanges().clear();
    deliver(&world, &own).await;
    assert!(
        !own.is_empty() && world.exchanges().is_empty(),
        "its own writes are none of its business"
    );
}

#[tokio::test(start_paused = true)]
async fn a_record_that_fails_is_deferred_and_done_from_the_queue() {
    let world = two_versions().await;
    let records = world.db.stream_records(TABLE);
    // All attempts of the SDK to read the second version's changeset.
    world
        .transport
        .inject(When::nth(2).operation("GetObject").times(10), Fault::Throttle);
    let answer = deliver(&world, &records).await;
    assert_eq!(answer["batchItemFailures"], json!([]), "the shard is not blocked");
    assert!(line(&world, "TENANT").contains("V=1"));
    let messages = world.sqs.messages(DEFERRED);
    assert_eq!(messages.len(), 1);
    assert!(messages[0].body.contains(r#""committed":{"version":2,"#));
    world.transport.reset_faults();
    assert_eq!(world.drain_deferred(3).await, 1);
    assert!(line(&world, "TENANT").contains("V=2"));
}

/// Whichever request is the last of a process, the next process reaches the same result.
#[tokio::test(start_paused = true)]
async fn a_crash_anywhere_changes_nothing() {
    async fn two_small_versions() -> World {
        let world = World::new();
        world.push(TENANT, &taxonomy(&[(1, &[10]), (2, &[20])])).await;
        world.push(TENANT, &taxonomy(&[(1, &[10, 11])])).await;
        world
    }
    let expect = {
        let world = two_small_versions().await;
        world.aggregate().await;
        stats(&world)
    };
    for fault in budget::sample(Fault::ALL.to_vec(), 2, 0) {
        for at in 1.. {
            let world = two_small_versions().await;
            let records = world.db.stream_records(TABLE);
            let seen = world.exchanges().len();
            world.transport.inject(When::nth(at), fault);
            let aggregator = world.aggregator();
            let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
            world
                .transport
                .until_crash(aggregator.handle(batch, Deadline::NONE))
                .await;
            let reached = world.exchanges().len() - seen >= at;
            world.transport.reset_faults();
            deliver(&world, &records).await;
            assert_eq!(stats(&world), expect, "{fault:?} at {at}");
            if !reached {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_changeset_that_is_not_what_its_id_says_is_not_counted() {
    let world = World::new();
    world.push(TENANT, &taxonomy(&[(1, &[10])])).await;
    let tenant = TENANT.parse().unwrap();
    let entry = world
        .heads()
        .entry(&tenant, Version::FIRST)
        .await
        .unwrap()
        .unwrap();
    let bucket = taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
    let body = world.s3.object(bucket, &entry.changeset_key).unwrap();
    let text = zstd::decode_all(&body.bytes[..]).unwrap();
    let other = String::from_utf8(text)
        .unwrap()
        .replace("\"terms\":1", "\"terms\":7");
    world.s3.put(
        bucket,
        &entry.changeset_key,
        zstd::encode_all(other.as_bytes(), 3).unwrap(),
    );
    let answer = deliver(&world, &world.db.stream_records(TABLE)).await;
    assert_eq!(answer["batchItemFailures"], json!([]));
    assert_eq!(world.parked().len(), 1);
    assert_eq!(stats(&world), Vec::<String>::new());
}
