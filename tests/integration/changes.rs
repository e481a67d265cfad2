//! Tests of changes over HTTP: the difference of any two versions, and the history of every term, against a reference model.

mod answers;
mod draw;
mod oracle;
mod places;

use std::collections::{BTreeMap, BTreeSet};

use lookup::Lookup;
use taxonomy_tests::asking::{join, small_pages};
use taxonomy_tests::prelude::*;

use draw::sequence;
use oracle::{Id, Plainly, difference};

/// Publishes files, and reads them into the reference model. The state before the first version comes first.
async fn publish(files: &[Value]) -> (World, Vec<Plainly>) {
    let world = World::new();
    let mut plain = vec![Plainly::nothing()];
    for file in files {
        world.replace(TENANT, file.to_string().as_bytes()).await;
        plain.push(Plainly::read(file));
    }
    assert_eq!(world.committed(TENANT).await.version.get(), files.len() as u64);
    (world, plain)
}

fn id(item: &Value) -> Id {
    let kind = match item["kind"].as_str().unwrap() {
        "category" => "category",
        _ => "term",
    };
    (kind, item["id"].as_u64().unwrap())
}

fn by_id(items: Vec<Value>) -> BTreeMap<Id, Value> {
    let count = items.len();
    let found: BTreeMap<Id, Value> = items.into_iter().map(|item| (id(&item), item)).collect();
    assert_eq!(found.len(), count, "an id occurs twice");
    found
}

/// Checks the order: categories, then terms, then the nodes that the later version lacks, in the same order.
fn assert_ordered(items: &[Value], later: &Plainly, context: &str) {
    let group = |item: &Value| (!later.ids().contains(&id(item)), item["kind"] != "category");
    assert!(items.iter().map(group).is_sorted(), "{context}: {items:?}");
}

async fn check_pair(
    lookup: &Lookup,
    target: &str,
    plain: [&Plainly; 2],
    later: &Plainly,
    culture: Option<&str>,
) {
    let target = match culture {
        Some(culture) => format!("{target}{}culture={culture}", join(target)),
        None => target.to_owned(),
    };
    let items = pages(lookup, &target).await;
    if culture.is_none() {
        assert_eq!(small_pages(lookup, &target, 2).await, items, "{target}");
    }
    assert_ordered(&items, later, &target);
    let expected = difference(plain[0], plain[1], culture);
    assert_eq!(by_id(items), expected, "{target}");
    let (_, first) = get(lookup, &target).await;
    assert_eq!(
        first["totals"],
        totals(&expected.values().collect::<Vec<_>>()),
        "{target}"
    );
}

/// Counts items by their kind and by each of their operations.
fn totals(items: &[&Value]) -> Value {
    let of_kind = |kind: &str| items.iter().filter(|item| item["kind"] == kind).count();
    let mut operations: BTreeMap<&str, u64> = BTreeMap::new();
    for operation in items
        .iter()
        .flat_map(|item| item["operations"].as_array().unwrap())
    {
        *operations.entry(operation.as_str().unwrap()).or_default() += 1;
    }
    json!({"categories": of_kind("category"), "terms": of_kind("term"), "operations": operations})
}

/// Checks every pair of versions in both directions, by every route of differences, in every culture.
async fn check_every_pair(lookup: &Lookup, plain: &[Plainly]) {
    let last = plain.len() - 1;
    for to in 1..=last {
        for from in 0..=to {
            let (old, new) = (&plain[from], &plain[to]);
            for culture in [None, Some("fr-FR"), Some("de-DE")] {
                let mut targets = vec![(format!("changes?after={from}&version={to}"), [old, new])];
                if from > 0 {
                    targets.push((format!("diff?from={from}&to={to}"), [old, new]));
                    targets.push((format!("diff?from={to}&to={from}"), [new, old]));
                }
                if from + 1 == to {
                    targets.push((format!("versions/{to}/changes"), [old, new]));
                }
                for (target, pair) in targets {
                    check_pair(lookup, &target, pair, new, culture).await;
                }
            }
        }
    }
}

/// Returns the entries that the history of a term must have, by the difference of each version from the one before.
fn expected_history(plain: &[Plainly], id: Id, culture: Option<&str>) -> Vec<Value> {
    let versions = (1..plain.len()).rev();
    let entries = versions.filter_map(|version| {
        let mut item = difference(&plain[version - 1], &plain[version], culture).remove(&id)?;
        if let Some(before) = item
            .get("before")
            .cloned()
            .filter(|_| item.get("after").is_none())
        {
            item["after"] = before;
            item["after"]["removed"] = json!(true);
            item["after"]["deprecated"] = json!(true);
        }
        let entry = item.as_object_mut().unwrap();
        entry.remove("kind");
        entry.remove("id");
        entry.insert("version".to_owned(), json!(version));
        Some(item)
    });
    entries.collect()
}

/// Checks the history of every term that ever existed, page by page, in every culture.
async fn check_every_history(world: &World, lookup: &Lookup, plain: &[Plainly]) {
    let all: BTreeSet<Id> = plain.iter().flat_map(Plainly::ids).collect();
    let mut times = BTreeMap::new();
    let (_, versions) = get(lookup, "versions").await;
    for version in versions["items"].as_array().unwrap() {
        times.insert(
            version["version"].as_u64().unwrap(),
            version["committedAt"].clone(),
        );
    }
    assert_eq!(times.len() as u64, world.committed(TENANT).await.version.get());
    for id in all.into_iter().filter(|id| id.0 == "term") {
        for (culture, limit) in [(None, 10), (None, 1), (Some("fr-FR"), 2), (Some("de-DE"), 20)] {
            let parameter = culture
                .map(|culture| format!("&culture={culture}"))
                .unwrap_or_default();
            let target = format!("terms/{}/history?limit={limit}{parameter}", id.1);
            let mut items = pages(lookup, &target).await;
            for item in &mut items {
                let committed_at = item.as_object_mut().unwrap().remove("committedAt");
                assert_eq!(
                    committed_at.as_ref(),
                    times.get(&item["version"].as_u64().unwrap())
                );
            }
            assert_eq!(items, expected_history(plain, id, culture), "{target}");
        }
    }
}

#[tokio::test]
async fn every_pair_of_versions_and_every_history_is_that_of_the_files() {
    for seed in [0, 1, 2, 10, 11, 12] {
        let mut files = sequence(seed, 5, seed >= 10);
        let (world, mut plain) = publish(&files).await;
        // An older content is a version of its own: removed nodes come back, added ones go.
        let to = usize::try_from(seed).unwrap() % 3 + 1;
        world.roll_back(TENANT, to as u64).await;
        files.push(files[to - 1].clone());
        plain.push(plain[to].clone());
        assert_eq!(world.committed(TENANT).await.version.get(), 6);
        let lookup = process(&world);
        check_every_pair(&lookup, &plain).await;
        check_every_history(&world, &lookup, &plain).await;
    }
}

#[tokio::test]
async fn the_samples_differ_as_their_files_do() {
    let files =
        ["job-board-v1.json", "job-board-v2.json"].map(|name| serde_json::from_slice(&sample(name)).unwrap());
    let (world, plain) = publish(&files).await;
    let lookup = process(&world);
    for (from, to) in [(0, 1), (0, 2), (1, 2)] {
        let target = format!("changes?after={from}&version={to}&limit=100");
        check_pair(
            &lookup,
            &target,
            [&plain[from], &plain[to]],
            &plain[to],
            Some("fr-FR"),
        )
        .await;
    }
    let target = "diff?from=2&to=1";
    check_pair(&lookup, target, [&plain[2], &plain[1]], &plain[2], None).await;
}
