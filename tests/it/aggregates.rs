//! What follows a projected version.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{Fault, When};

use crate::world::{TENANT, World, sample};

async fn deliver(world: &World, records: &[Value]) -> Value {
    let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
    serde_json::to_value(world.aggregator().handle(batch).await).unwrap()
}

fn stats(world: &World) -> Vec<String> {
    world
        .db
        .dump(TABLE)
        .into_iter()
        .filter(|line| line.starts_with("STATS#"))
        .collect()
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
    let answer = deliver(&world, &world.db.stream_records(TABLE)).await;
    assert_eq!(answer["batchItemFailures"], json!([]));
    // Counted from samples/README.md: 4 terms removed, 5 added (135, 178, 136, 212, 213).
    let expect = "STATS#acme | TENANT | TenantStats V=2 Added=5 Categories=5 Changed=";
    let stats = stats(&world);
    assert_eq!(stats.len(), 1);
    assert!(stats[0].starts_with(expect), "{}", stats[0]);
    assert!(
        stats[0].contains(&format!("ChangedAt={committed_at}")) && stats[0].contains("Removed=4 Terms=145"),
        "{}",
        stats[0]
    );
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

/// The stream's filter passes heads only; the handler asks for nothing else either.
#[tokio::test]
async fn a_load_costs_two_records_a_version() {
    let world = two_versions().await;
    let records = world.db.stream_records(TABLE);
    let heads = records
        .iter()
        .filter(|record| record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD")
        .count();
    assert_eq!(
        heads, 4,
        "commit and end of the projection, for each of two versions"
    );
    world.exchanges().clear();
    deliver(&world, &records).await;
    assert!(records.len() > 1000);
    assert_eq!(
        (
            world.exchanges().count("GetItem"),
            world.exchanges().count("PutItem")
        ),
        (2, 2)
    );
    let own: Vec<Value> = world.db.stream_records(TABLE).split_off(records.len());
    world.exchanges().clear();
    deliver(&world, &own).await;
    assert!(
        !own.is_empty() && world.exchanges().is_empty(),
        "its own writes are none of its business"
    );
}

#[tokio::test]
async fn the_first_record_that_failed_comes_again() {
    let world = two_versions().await;
    let records = world.db.stream_records(TABLE);
    let moved = |record: &&Value| {
        let projected = |image: &str| {
            record["dynamodb"][image]["Projected"]["N"]
                .as_str()
                .unwrap_or("0")
                .to_owned()
        };
        record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD" && projected("OldImage") != projected("NewImage")
    };
    let heads: Vec<&Value> = records.iter().filter(moved).collect();
    assert_eq!(heads.len(), 2);
    // Three attempts of the test client's SDK for the second version's log entry.
    world
        .wire
        .inject(When::nth(2).operation("GetItem").times(10), Fault::Throttle);
    let answer = deliver(&world, &records).await;
    let failed = &answer["batchItemFailures"];
    assert_eq!(
        failed,
        &json!([{"itemIdentifier": heads[1]["dynamodb"]["SequenceNumber"]}])
    );
    assert!(stats(&world)[0].contains("V=1"));
    world.wire.reset_faults();
    deliver(&world, &records).await;
    assert!(stats(&world)[0].contains("V=2"));
}
