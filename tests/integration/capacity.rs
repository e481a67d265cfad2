//! Tests of the capacity units of each access pattern, as DynamoDB reports them, against the budget of docs/access-patterns.md.

mod operations;

use taxonomy_keys::Attention;
use taxonomy_model::units;
use taxonomy_store::{CheckpointNote, StoredNote};
use taxonomy_tests::prelude::*;

fn assert_cost(world: &World, operation: &str, requests: usize, units: f64) {
    let exchanges = world.exchanges();
    assert_eq!(
        (exchanges.len(), exchanges.count(operation)),
        (requests, requests),
        "{:?}",
        exchanges.lines()
    );
    assert!(
        (exchanges.units() - units).abs() < 1e-9,
        "{operation}: {} units instead of {units}",
        exchanges.units()
    );
    exchanges.clear();
}

#[tokio::test]
async fn the_projectors_own_reads_are_within_their_budget() {
    let world = World::of(&[&sample("job-board-v1.json")]).await;
    world.exchanges().clear();
    let (tenant, heads) = (tenant(), world.heads());

    heads.read(&tenant).await.unwrap();
    assert_cost(&world, "Query", 1, 1.0);
    heads.entry(&tenant, Version::FIRST).await.unwrap().unwrap();
    assert_cost(&world, "GetItem", 1, 1.0);
    let behind = heads.attention(Attention::Behind, None, 100).await.unwrap();
    assert!(behind.tenants.is_empty());
    assert_cost(&world, "Query", 1, 0.5);
}

#[tokio::test]
async fn reads_of_operators_are_within_their_budget() {
    let world = World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    world.exchanges().clear();
    let (tenant, heads) = (tenant(), world.heads());
    let second = Version::new(2).unwrap();

    assert_eq!(heads.tenants(None, 100).await.unwrap().tenants.len(), 1);
    assert_cost(&world, "Query", 1, 0.5);
    let entries = heads.entries(&tenant, Version::FIRST, second).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert_cost(&world, "Query", 1, 1.0);
    let newest = heads.entry_at(&tenant, second, u64::MAX).await.unwrap().unwrap();
    assert_eq!(newest.version, second);
    assert_cost(&world, "GetItem", 2, 2.0);

    let note = CheckpointNote::default();
    let written = heads.write_audit_note(&tenant, StoredNote::Nothing, &note).await;
    assert!(written.unwrap());
    assert_cost(&world, "PutItem", 1, 1.0);
    assert_eq!(heads.audit_note(&tenant).await.unwrap(), Some(note));
    assert_cost(&world, "GetItem", 1, 1.0);
}

/// A transaction costs twice its writes, and the index once: head, log entry and the entry in the list of tenants that need attention cost five
/// units, the tenant and its entry in the list of all tenants, which shows the newest version, three more. The end of the load costs five as well: the head, its entry, and
/// the check of the configuration.
#[tokio::test]
async fn a_commit_costs_a_few_units() {
    let world = World::new();
    for (name, expect) in [
        ("job-board-v1.json", 13.0),
        ("job-board-v2.json", 13.0),
        ("job-board-v2.json", 0.0),
    ] {
        world.exchanges().clear();
        world.push(TENANT, &sample(name)).await;
        let units = world.exchanges().units_of("TransactWriteItems");
        assert!(
            (units - expect).abs() < 1e-9,
            "{units} units for a first commit or another"
        );
    }
}

/// The estimate of `taxonomy plan` equals the units that the engine reports.
#[tokio::test]
async fn a_projection_costs_what_was_planned() {
    let world = World::new();
    let tenant = TENANT.parse().unwrap();
    let files = [sample("job-board-v1.json"), sample("job-board-v2.json")];
    let mut before = None;
    for (file, version) in files.iter().zip(1..) {
        world.exchanges().clear();
        world.push(TENANT, file).await;
        let after = read(file);
        let planned = units::cost(&tenant, before.as_ref(), &after, version);
        let puts = world.exchanges().count("PutItem") as u64;
        assert_eq!(puts, planned.items + planned.tombstones, "version {version}");
        let units = planned.units as f64;
        assert!(
            (world.exchanges().units_of("PutItem") - units).abs() < 1e-9,
            "version {version}: {} units instead of {units}",
            world.exchanges().units_of("PutItem")
        );
        before = Some(after);
    }
}
