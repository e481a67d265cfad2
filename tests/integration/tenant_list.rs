//! Tests of the list of tenants: what it shows of each is what the files and the settings say, at every moment, by one request.

use std::collections::BTreeSet;

use taxonomy_tests::plain::{cultures, nodes};
use taxonomy_tests::prelude::*;

/// Sets display name and description of a tenant, each unless it is empty.
async fn describe(world: &World, tenant: &str, name: &str, description: &str) {
    let describe = |wanted: &mut Configuration| {
        wanted.display_name = name.parse().ok();
        wanted.description = description.parse().ok();
    };
    world.configure(tenant, describe).await;
}

async fn listed(world: &World) -> Vec<Value> {
    let (status, page) = get(&process(world), "/v1/tenants").await;
    assert_eq!(status, 200, "{page}");
    page["items"].as_array().unwrap().clone()
}

/// Returns the ids of the terms of a file.
fn terms(file: &Value) -> BTreeSet<u64> {
    let nodes = nodes(file).into_iter();
    nodes
        .filter(|node| node.kind == "term")
        .map(|node| node.id())
        .collect()
}

/// Checks the entry of a tenant against the files of its newest version and of the one before.
async fn check(world: &World, files: &[&Value]) {
    let items = listed(world).await;
    let newest = &items[0]["newest"];
    let file = files.last().unwrap();
    let (nodes, terms) = (nodes(file), terms(file));
    let before = files
        .len()
        .checked_sub(2)
        .map(|before| self::terms(files[before]));
    let before = before.unwrap_or_default();
    assert_eq!(newest["version"], json!(files.len()), "{newest}");
    assert_eq!(
        newest["totals"],
        json!({"categories": nodes.len() - terms.len(), "terms": terms.len()})
    );
    assert_eq!(newest["cultures"], json!(cultures(&nodes)));
    assert_eq!(
        newest["changes"]["added"],
        json!(terms.difference(&before).count())
    );
    assert_eq!(
        newest["changes"]["removed"],
        json!(before.difference(&terms).count())
    );
    let lookup = process(world);
    let (_, version) = get(&lookup, &format!("versions/{}", files.len())).await;
    let (_, head) = get(&lookup, &format!("/v1/tenants/{TENANT}")).await;
    for name in ["added", "changed", "removed"] {
        assert_eq!(newest["changes"][name], version["changes"][name], "{name}");
    }
    for name in ["version", "committedAt", "cultures", "totals"] {
        assert_eq!(newest[name], head[name], "{name}");
    }
}

#[tokio::test]
async fn each_tenant_is_shown_as_its_newest_file_and_its_settings_say() {
    let world = World::new();
    let files = ["job-board-v1.json", "job-board-v2.json"]
        .map(|name| -> Value { serde_json::from_slice(&sample(name)).unwrap() });
    world.replace(TENANT, files[0].to_string().as_bytes()).await;
    check(&world, &[&files[0]]).await;
    world.replace(TENANT, files[1].to_string().as_bytes()).await;
    check(&world, &[&files[0], &files[1]]).await;
    // A refused file changes nothing, and a display name makes no version.
    world.push(TENANT, b"{}").await;
    describe(&world, TENANT, " Job board ", "Sectors and skills").await;
    check(&world, &[&files[0], &files[1]]).await;
    let first = listed(&world).await.remove(0);
    assert_eq!(
        (&first["displayName"], &first["description"]),
        (&json!("Job board"), &json!("Sectors and skills"))
    );
    // A rollback is a version of its own, and keeps the settings.
    world.roll_back(TENANT, 1).await;
    check(&world, &[&files[0], &files[1], &files[0]]).await;
    assert_eq!(listed(&world).await[0]["displayName"], "Job board");
    describe(&world, TENANT, "", "").await;
    let item = listed(&world).await.remove(0);
    let members: Vec<&String> = item.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "newest"]);
}

#[tokio::test]
async fn a_tenant_without_a_version_has_its_name_alone() {
    let world = World::new();
    describe(&world, TENANT, "Soon", "").await;
    assert_eq!(
        listed(&world).await,
        [json!({"id": TENANT, "displayName": "Soon"})]
    );
}

/// The list of a hundred tenants is one request of a few units, whatever it shows of each.
#[tokio::test]
async fn the_list_is_one_request() {
    let world = World::new();
    for number in 0..100 {
        let tenant = format!("tenant-{number:03}");
        world.push(&tenant, &small(&[(1, "One"), (2, "Two")])).await;
        describe(&world, &tenant, &format!("Tenant {number}"), &"x".repeat(200)).await;
    }
    let lookup = process(&world);
    world.exchanges().clear();
    let answer = ask(&lookup, "GET", "/v1/tenants?limit=100", None).await;
    assert_eq!(answer.status_code, 200);
    let exchanges = world.exchanges();
    assert_eq!(
        (exchanges.len(), exchanges.count("Query")),
        (1, 1),
        "{:?}",
        exchanges.lines()
    );
    assert!(exchanges.units() <= 8.0, "{}", exchanges.units());
}

/// A lost item of the configuration is restored before the next version is committed, which then shows in the list.
#[tokio::test]
async fn a_lost_item_is_restored_with_the_newest_version() {
    let world = World::new();
    let files = [&[(1, "One")][..], &[(1, "Eins"), (2, "Two")]]
        .map(|terms| -> Value { serde_json::from_slice(&small(terms)).unwrap() });
    world.push(TENANT, files[0].to_string().as_bytes()).await;
    let lose = async || world.delete_by_hand(&world.item("TAXONOMY#acme", "TENANT")).await;
    lose().await;
    assert!(listed(&world).await.is_empty());
    let (service, tenant) = (world.service(), TENANT.parse().unwrap());
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    check(&world, &[&files[0]]).await;
    lose().await;
    world.push(TENANT, files[1].to_string().as_bytes()).await;
    check(&world, &[&files[0], &files[1]]).await;
}
