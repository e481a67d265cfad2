//! A repair in a new world over the same buckets: other processes, and a table that has lost almost everything. Afterwards every route answers as the
//! source file says.

use std::collections::BTreeSet;

use taxonomy_tests::prelude::*;

use crate::downloads::process;
use crate::examples;
use crate::limits::samples::answers_what_the_file_says;

const JOB_BOARD: &str = "job-board";

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
    answers_what_the_file_says(&world, JOB_BOARD, &sample("job-board-v2.json")).await;
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
    answers_what_the_file_says(&world, JOB_BOARD, &sample("job-board-v2.json")).await;
    let now = world.bodies();
    assert!(before.bodies().iter().all(|(key, bytes)| now[key] == *bytes));
}
