//! A repair in a new world over the same buckets: other processes, and a table that has lost almost everything. Afterwards every route answers as the
//! source file says.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::operator::Operator as _;
use taxonomy_tests::plain::{Plain, id, members, nodes};
use taxonomy_tests::world::{World, sample, scheduled};
use taxonomy_versioning::Deadline;

use crate::downloads::process;
use crate::examples;
use taxonomy_tests::asking::{get, pages};

const JOB_BOARD: &str = "job-board";

fn ids(items: &[Value]) -> BTreeSet<u64> {
    items.iter().map(id).collect()
}

/// Compares what the API answers about categories and terms with a file.
async fn is_as_the_file_says(world: &World, file: &[u8]) {
    let (lookup, nodes) = (process(world), nodes(&serde_json::from_slice(file).unwrap()));
    let root = format!("/v1/tenants/{JOB_BOARD}");
    let listed = pages(&lookup, &format!("{root}/categories")).await;
    let categories = nodes.iter().filter(|node| node.kind == "category");
    assert_eq!(ids(&listed), categories.map(Plain::id).collect());
    for node in &nodes {
        let target = format!("{root}/{}", node.path());
        let below = match node.kind {
            "category" => "terms?depth=1",
            _ => "children",
        };
        let listed = pages(&lookup, &format!("{target}/{below}")).await;
        assert_eq!(ids(&listed), ids(node.children()), "{target}");
        for name in members(&node.raw, "names") {
            let culture = name["culture"].as_str().unwrap();
            let (status, answer) = get(&lookup, &format!("{target}?culture={culture}")).await;
            assert_eq!((status, &answer["name"]), (200, &name["name"]), "{target}");
            if node.kind == "term" {
                let ancestors = members(&answer, "ancestors").iter().map(id);
                let found = (id(&answer["category"]), ancestors.collect::<Vec<u64>>());
                assert_eq!(found, (node.category, node.above.clone()), "{target}");
            }
        }
    }
}

async fn lose_items(world: &World, is_kept: impl Fn(&str) -> bool) {
    for item in world.db.items(TABLE) {
        if !is_kept(item["SK"].as_s().unwrap()) {
            world.delete_by_hand(&item).await;
        }
    }
}

/// Repairs the tenant as the command does, and returns the number of differences that were mended.
async fn mend(world: &World) -> u64 {
    let (service, tenant): (_, TenantId) = (world.service(), JOB_BOARD.parse().unwrap());
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    let report = service.mend(&tenant, Vec::new()).await.unwrap();
    assert_eq!(report.findings.left(), 0, "{:?}", report.findings.listed);
    let verdict = service.verify(&tenant, BTreeSet::new()).await.unwrap();
    assert!(verdict.is_clean() && verdict.counted.is_some(), "{verdict:?}");
    report.findings.mended
}

/// Of the table the newest log entry alone is left; the head, the older entry, the configuration, every item and every count follow from the buckets.
#[tokio::test]
async fn a_repair_over_the_same_buckets_brings_every_route_back() {
    let before = examples::job_board().await;
    let world = before.copy();
    lose_items(&world, |sort_key| sort_key == "CHANGESET#000000000002").await;
    let (status, problem) = get(&process(&world), &format!("/v1/tenants/{JOB_BOARD}/terms/100")).await;
    assert_eq!(
        (status, &problem["type"]),
        (503, &json!("/problems/tenant-damaged"))
    );
    assert!(mend(&world).await > 0, "the older entry");
    is_as_the_file_says(&world, &sample("job-board-v2.json")).await;
    examples::are_answers(&world).await;
    let now = world.bodies();
    assert!(before.bodies().iter().all(|(key, bytes)| now[key] == *bytes));
}

/// Nothing of the table is left. The daily sweep finds the source object, which becomes version 1 again; what is left of the older versions is not touched.
#[tokio::test]
async fn without_any_item_the_source_objects_are_published_again() {
    let before = examples::job_board().await;
    let world = before.copy();
    lose_items(&world, |_| false).await;
    let sweep = scheduled("sweep-sources");
    world.deliver(sweep).await.unwrap();
    assert_eq!(world.committed(JOB_BOARD).await.version.get(), 1);
    assert_eq!(mend(&world).await, 0);
    is_as_the_file_says(&world, &sample("job-board-v2.json")).await;
    let now = world.bodies();
    assert!(before.bodies().iter().all(|(key, bytes)| now[key] == *bytes));
}
