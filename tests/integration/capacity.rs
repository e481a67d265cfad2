//! Tests of the capacity units of each access pattern, as DynamoDB reports them, against the budget of docs/access-patterns.md.

mod operations;

use taxonomy_keys::{CategoryId, TermId, Version};
use taxonomy_model::units;
use taxonomy_store::{CheckpointNote, Consistency, Reader, StoredNote, Table, TermItem};
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::world::{TENANT, World, sample};

async fn world() -> (World, Reader) {
    let world = World::new();
    world.push(TENANT, &sample("job-board-v1.json")).await;
    world.exchanges().clear();
    let reader = Reader::new(Table::new(world.db.client(), TABLE));
    (world, reader)
}

fn term(id: u64) -> TermId {
    TermId::new(id).unwrap()
}

fn item(id: u64, culture: Option<&str>) -> TermItem {
    TermItem {
        id: term(id),
        culture: culture.map(|tag| tag.parse().unwrap()),
    }
}

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
async fn each_read_is_one_request_within_its_budget() {
    let (world, reader) = world().await;
    let tenant = TENANT.parse().unwrap();

    // A consistent read costs twice as much: the head is always read consistently, the other items while a version is young.
    for (consistency, price) in [(Consistency::Eventual, 1.0), (Consistency::Strong, 2.0)] {
        reader.head(&tenant, consistency).await.unwrap().unwrap();
        assert_cost(&world, "Query", 1, 0.5 * price);

        // The deepest term of the sample: 113, with four ancestors.
        let deepest = [item(113, None)];
        let deepest = reader.term_items(&tenant, &deepest, consistency).await.unwrap();
        let deepest = deepest[0].as_ref().unwrap().value.as_ref().unwrap();
        assert_eq!(deepest.lineage.len(), 4);
        assert_cost(&world, "GetItem", 1, 0.5 * price);

        let both = [item(113, Some("fr-FR")), item(113, None)];
        let both = reader.term_items(&tenant, &both, consistency).await.unwrap();
        let french = both[0].as_ref().unwrap().value.as_ref().unwrap();
        assert_eq!(french.culture.as_str(), "fr-FR");
        assert_cost(&world, "BatchGetItem", 1, 1.0 * price);

        let all: Vec<TermItem> = sample_ids().take(100).map(|id| item(id.get(), None)).collect();
        let found = reader.term_items(&tenant, &all, consistency).await.unwrap();
        assert_eq!(
            found
                .iter()
                .filter(|read| read.as_ref().unwrap().value.is_some())
                .count(),
            100
        );
        assert_cost(&world, "BatchGetItem", 1, 50.0 * price);

        let category = reader.category(&tenant, CategoryId::new(1).unwrap(), consistency);
        assert!(category.await.unwrap().value.is_some());
        assert_cost(&world, "GetItem", 1, 0.5 * price);

        let missing = [item(999_999, None)];
        let missing = reader.term_items(&tenant, &missing, consistency).await.unwrap();
        let missing = missing[0].as_ref().unwrap();
        assert_eq!((&missing.value, missing.modified_in), (&None, 0));
        assert_cost(&world, "GetItem", 1, 0.5 * price);
    }
}

fn sample_ids() -> impl Iterator<Item = TermId> {
    let ids = taxonomy_tests::world::read(&sample("job-board-v1.json"));
    let ids: Vec<TermId> = ids.terms().map(|term| term.id()).collect();
    ids.into_iter()
}

#[tokio::test]
async fn the_projectors_own_reads_are_within_their_budget() {
    let (world, _) = world().await;
    let tenant = TENANT.parse().unwrap();
    let heads = world.heads();

    heads.read(&tenant).await.unwrap();
    assert_cost(&world, "Query", 1, 1.0);
    heads.entry(&tenant, Version::FIRST).await.unwrap().unwrap();
    assert_cost(&world, "GetItem", 1, 1.0);
    assert!(
        heads
            .attention(taxonomy_keys::Attention::Behind, None, 100)
            .await
            .unwrap()
            .tenants
            .is_empty()
    );
    assert_cost(&world, "Query", 1, 0.5);
}

#[tokio::test]
async fn reads_of_operators_are_within_their_budget() {
    let (world, _) = world().await;
    world.push(TENANT, &sample("job-board-v2.json")).await;
    world.exchanges().clear();
    let tenant = TENANT.parse().unwrap();
    let heads = world.heads();
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
    assert!(
        heads
            .write_audit_note(&tenant, StoredNote::Nothing, &note)
            .await
            .unwrap()
    );
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
    world.push(TENANT, &sample("job-board-v1.json")).await;
    assert!(
        (world.exchanges().units_of("TransactWriteItems") - 13.0).abs() < 1e-9,
        "{} units for a first commit",
        world.exchanges().units_of("TransactWriteItems")
    );
    world.exchanges().clear();
    world.push(TENANT, &sample("job-board-v2.json")).await;
    assert!(
        (world.exchanges().units_of("TransactWriteItems") - 13.0).abs() < 1e-9,
        "{}",
        world.exchanges().units_of("TransactWriteItems")
    );
    world.exchanges().clear();
    world.push(TENANT, &sample("job-board-v2.json")).await;
    assert_eq!(world.exchanges().count("TransactWriteItems"), 0);
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
        let after = taxonomy_tests::world::read(file);
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
