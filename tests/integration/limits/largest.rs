//! Tests of the largest items and messages against the limits of AWS. The file reaches every limit of the format at once; the
//! bounds asserted here are the figures on decision page 3.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_tests::prelude::*;

/// DynamoDB: 400 KB an item; 4 MB of items a transaction (developer guide, "Service, account, and table quotas").
const ITEM: usize = 400 << 10;
const TRANSACTION: usize = 4 << 20;
/// SNS and SQS: 256 KB a message with its attributes.
const MESSAGE: usize = 256 << 10;
/// Lambda: 6 MB an event, and the event source mapping brings up to 100 records.
const EVENT: usize = 6 << 20;
const RECORDS: usize = 100;

/// The number of characters of a category's name in each of 497 further cultures with which its item is the largest accepted one.
const LONGEST: usize = 295;

/// Returns the longest id of a tenant.
pub(super) fn tenant() -> String {
    "t".repeat(64)
}

/// Returns a tag of 35 characters.
pub(super) fn tag(n: usize) -> String {
    format!("qaa-x-{n:03}aaaaa-bbbbbbbb-cccccccc-dd")
}

/// Returns a text with four bytes a character.
fn wide(characters: usize) -> String {
    "\u{10348}".repeat(characters)
}

fn name(culture: usize) -> Value {
    json!({"culture": tag(culture), "name": wide(500), "path": wide(512)})
}

pub(super) fn id(n: u64) -> u64 {
    (1 << 53) - 1 - n
}

/// Returns a node with every field that a node can have, its alternative names in the default culture.
pub(super) fn full(n: u64, names: &[Value]) -> Value {
    let alt_names = (0..75).map(|n| json!({"culture": tag(0), "name": format!("{}{n:03}", wide(497))}));
    let relation = |n: usize| json!({"type": "related", "scheme": "s".repeat(100), "id": format!("{}{n:02}", "c".repeat(498))});
    json!({
        "id": id(n), "names": names, "altNames": alt_names.collect::<Vec<Value>>(), "notation": wide(200), "sortKey": "s".repeat(200),
        "metadata": {"a": "m".repeat(8184)}, "deprecated": true, "replacedBy": (100..150).map(id).collect::<Vec<u64>>(),
        "deprecation": {"reason": wide(500), "since": "2026-01-31"},
        "notes": [{"culture": tag(0), "definition": "d".repeat(4000), "scopeNote": "n".repeat(4000)}],
        "relations": (0..50).map(relation).collect::<Vec<Value>>(),
    })
}

/// Returns the largest category that is accepted, named in 500 cultures.
pub(super) fn category(n: u64, terms: &[Value]) -> Value {
    let further = (3..500).map(|culture| json!({"culture": tag(culture), "name": "a".repeat(LONGEST)}));
    let names: Vec<Value> = (0..3).map(name).chain(further).collect();
    let mut category = full(n, &names);
    category["terms"] = json!(terms);
    category
}

pub(super) fn file(categories: &[Value]) -> Vec<u8> {
    json!({"defaultCulture": tag(0), "categories": categories})
        .to_string()
        .into_bytes()
}

/// Returns the longest names in as many cultures as a term may have. A response in a further culture falls back to the equally long default
/// names of the lineage.
pub(super) fn names() -> Vec<Value> {
    (0..19).map(name).collect()
}

/// Returns a chain of 32 levels, `deepest` at the end.
pub(super) fn chain(deepest: Vec<Value>) -> Value {
    let mut below = deepest;
    for depth in (1..32).rev() {
        let mut own = name(0);
        // The path shares no beginning with another, so it is stored whole.
        own["path"] = json!(format!("{depth:04}{}", wide(511)));
        below = vec![json!({"id": id(depth), "names": [own], "children": below})];
    }
    below.remove(0)
}

pub(super) async fn world(file: &[u8]) -> World {
    let mut world = World::new();
    world.max_file_bytes = 64 << 20;
    world.push(&tenant(), file).await;
    assert_eq!(world.head(&tenant()).await.refused, None);
    world
}

/// Returns a stack with all kinds of items and a head with every attribute: a version of an operator, half projected, after a refusal,
/// under the longest fallback chain.
async fn everything() -> World {
    let everywhere: Vec<Value> = (0..500)
        .map(|n| json!({"culture": tag(n), "name": "a"}))
        .collect();
    let terms = [
        chain(vec![full(32, &names())]),
        json!({"id": id(0), "names": everywhere}),
    ];
    let world = world(&file(&[category(1, &terms)])).await;
    let (service, id) = (world.service(), tenant().parse().unwrap());
    let mut wanted = service.configuration(&id).await.unwrap();
    wanted.default_culture = Some(tag(0).parse().unwrap());
    wanted.fallback_chain = (0..10).map(|n| tag(n).parse().unwrap()).collect();
    service.configure(&id, &wanted).await.unwrap();
    service.reconcile(&id, Deadline::NONE).await.unwrap();
    world.push(&tenant(), b"{").await;
    let asked = service.ask(&id, Request::Rebuild, Provenance::default()).await;
    asked.unwrap();
    let message = world.sqs.send(RETRIES, &json!({"tenant": tenant()}).to_string());
    let event = sqs_event(RETRIES, &[message]);
    world.dies_at(event, 20, "PutItem").await;
    let head = world.head(&tenant()).await;
    let committed = head.committed.unwrap();
    assert!(head.refused.is_some() && committed.cursor.is_some() && committed.full.is_some());
    assert_eq!(committed.cultures.len(), 500);
    let failed = world.aggregate_records(&world.head_records()).await;
    assert_eq!(failed, json!([]));
    world
}

/// Returns the size of an item by DynamoDB's rules (developer guide, "DynamoDB item sizes and formats").
fn item_size(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len().div_ceil(2) + 1,
        AttributeValue::Bool(_) => 1,
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + value_size(value)).sum::<usize>(),
        AttributeValue::M(map) => 3 + map.len() + item_size(map),
        other => panic!("nothing of this type is stored: {other:?}"),
    }
}

/// Checks a figure of the decision page: at least the measured size, and close enough to it to be meaningful.
#[track_caller]
pub(super) fn at_most(what: &str, measured: usize, stated: usize, limit: usize) {
    assert!(stated < limit, "{what}: the limit is {limit}");
    assert!(
        measured <= stated,
        "{what}: {measured} bytes, stated are {stated}"
    );
    assert!(
        measured * 5 >= stated * 4,
        "{what}: only {measured} bytes, stated are {stated}"
    );
}

#[tokio::test]
async fn every_stored_item_and_every_message_has_room() {
    let world = everything().await;
    let mut largest: BTreeMap<String, usize> = BTreeMap::new();
    for item in world.db.items(TABLE) {
        let most = largest
            .entry(item["EntityType"].as_s().unwrap().clone())
            .or_default();
        *most = item_size(&item).max(*most);
    }
    for (kind, stated) in [
        ("Category", 391_000),
        ("Term", 338_000),
        ("TermCulture", 182_000),
        ("Head", 20_500),
        ("Tenant", 19_000),
        ("Changeset", 1_200),
        ("CategoryStats", 20_000),
        ("TenantStats", 20_000),
        ("MonthActivity", 220),
        ("Counted", 130),
    ] {
        let measured = largest.remove(kind).unwrap_or_else(|| panic!("no {kind}"));
        at_most(kind, measured, stated, ITEM);
    }
    assert!(largest.is_empty(), "not stated: {largest:?}");
    check_commit(&world);
    check_messages(&world);
}

/// Checks a commit, which writes head, log entry and, with the first version, the tenant's item.
fn check_commit(world: &World) {
    let items = world.db.items(TABLE).into_iter();
    let size_of = |kind: &str| {
        let sizes = items
            .clone()
            .filter(|item| item["EntityType"].as_s().unwrap() == kind);
        sizes.map(|item| item_size(&item)).max().unwrap()
    };
    let commit = ["Head", "Changeset", "Tenant"].map(size_of).iter().sum();
    at_most("a commit", commit, 40_300, TRANSACTION);
}

fn check_messages(world: &World) {
    let published = world.sns.published();
    let sizes = published.iter().map(|message| {
        let attributes = message.attributes.iter();
        let attributes =
            attributes.map(|(name, value)| name.len() + value.data_type.len() + value.value.len());
        message.message.len() + attributes.sum::<usize>()
    });
    at_most("a message to subscribers", sizes.max().unwrap(), 1_300, MESSAGE);
    let unfinished = world.sqs.messages(RETRIES);
    let asked = unfinished.iter().map(|message| message.body.len()).max();
    at_most("a message of the retry queue", asked.unwrap(), 90, MESSAGE);
    let records = world.head_records();
    let record = records.iter().map(|record| record.to_string().len()).max();
    at_most(
        "a hundred stream records of heads",
        RECORDS * record.unwrap(),
        5_200_000,
        EVENT,
    );
}
