//! A repair in a new world over the same buckets: other processes, and a table that has lost almost everything. Afterwards every route answers as the
//! source file says.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::operator::Operator as _;
use taxonomy_tests::world::{World, sample};
use taxonomy_versioning::Deadline;

use crate::downloads::process;
use crate::examples;
use crate::restores::objects;
use taxonomy_tests::asking::{get, pages};

const JOB_BOARD: &str = "job-board";

/// A term as a file has it.
struct FileTerm {
    names: BTreeMap<String, String>,
    category: u64,
    /// Nearest first.
    ancestors: Vec<u64>,
    children: BTreeSet<u64>,
}

fn id(node: &Value) -> u64 {
    node["id"].as_u64().unwrap()
}

fn members<'v>(node: &'v Value, name: &str) -> &'v [Value] {
    node[name].as_array().map_or(&[], Vec::as_slice)
}

/// Adds a term of a file, and the terms below it.
fn add(terms: &mut BTreeMap<u64, FileTerm>, node: &Value, category: u64, ancestors: &[u64]) {
    let text = |name: &Value, member: &str| name[member].as_str().unwrap().to_owned();
    let names = members(node, "names").iter();
    let children = members(node, "children");
    let term = FileTerm {
        names: names
            .map(|name| (text(name, "culture"), text(name, "name")))
            .collect(),
        category,
        ancestors: ancestors.to_vec(),
        children: children.iter().map(id).collect(),
    };
    terms.insert(id(node), term);
    let ancestors = [&[id(node)], ancestors].concat();
    for child in children {
        add(terms, child, category, &ancestors);
    }
}

fn ids(items: &[Value]) -> BTreeSet<u64> {
    items.iter().map(id).collect()
}

/// Compares what the API answers about categories and terms with a file.
async fn is_as_the_file_says(world: &World, file: &[u8]) {
    let (lookup, file) = (process(world), serde_json::from_slice::<Value>(file).unwrap());
    let root = format!("/v1/tenants/{JOB_BOARD}");
    let mut terms = BTreeMap::new();
    for category in members(&file, "categories") {
        let number = id(category);
        for term in members(category, "terms") {
            add(&mut terms, term, number, &[]);
        }
        let listed = pages(&lookup, &format!("{root}/categories/{number}/terms")).await;
        let of_category = terms.iter().filter(|(_, term)| term.category == number);
        assert_eq!(ids(&listed), of_category.map(|(id, _)| *id).collect(), "{number}");
    }
    let categories = pages(&lookup, &format!("{root}/categories")).await;
    assert_eq!(ids(&categories), ids(members(&file, "categories")));
    for (number, term) in terms {
        let target = format!("{root}/terms/{number}");
        for (culture, name) in &term.names {
            let (status, answer) = get(&lookup, &format!("{target}?culture={culture}")).await;
            let found = (status, answer["name"].as_str(), answer["category"]["id"].as_u64());
            assert_eq!(found, (200, Some(&**name), Some(term.category)), "{target}");
            let ancestors = members(&answer, "ancestors").iter().map(id);
            assert_eq!(ancestors.collect::<Vec<u64>>(), term.ancestors, "{target}");
        }
        let children = pages(&lookup, &format!("{target}/children")).await;
        assert_eq!(ids(&children), term.children, "{target}");
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
    let now = objects(&world);
    assert!(objects(&before).iter().all(|(key, bytes)| now[key] == *bytes));
}

/// Nothing of the table is left. The daily sweep finds the source object, which becomes version 1 again; what is left of the older versions is not touched.
#[tokio::test]
async fn without_any_item_the_source_objects_are_published_again() {
    let before = examples::job_board().await;
    let world = before.copy();
    lose_items(&world, |_| false).await;
    let sweep = json!({"source": "taxonomy.schedule", "detail-type": "sweep-sources"});
    world.deliver(sweep).await.unwrap();
    assert_eq!(world.committed(JOB_BOARD).await.version.get(), 1);
    assert_eq!(mend(&world).await, 0);
    is_as_the_file_says(&world, &sample("job-board-v2.json")).await;
    let now = objects(&world);
    assert!(objects(&before).iter().all(|(key, bytes)| now[key] == *bytes));
}
