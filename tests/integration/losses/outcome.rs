//! What lookups, uploads, a verification and a repair make of a loss.

use std::collections::{BTreeMap, BTreeSet};

use lookup::Lookup;
use taxonomy_store::RemovalLimit;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::{Difference, Mending, Place};

use super::harm::{Harm, Harmed, Kind, harm};
use crate::downloads;
use crate::repairs::items;

/// The cells of a row: what lookups, uploads, a verification and a repair make of a loss, and what is left.
type Outcome = [String; 5];

/// What every route is asked for, and what concerns the harmed things.
const TARGETS: [&str; 18] = [
    "terms/100",
    "terms/100?culture=fr-FR",
    "terms/110",
    "terms/136",
    "terms/77777",
    "terms/77778",
    "categories/1",
    "categories/77777",
    "categories",
    "suggest?q=soft",
    "terms/113?version=1",
    "changes?after=1",
    "stats",
    "categories/1/stats",
    "categories/77777/stats",
    "versions",
    "/v1/tenants/acme",
    "/v1/tenants",
];

/// Three versions, all of them counted, the second of another file; a removal limit, a refused upload and a download.
pub(super) async fn prepared() -> World {
    let world = World::of(&[&first()]).await;
    let wanted = Configuration {
        removal_limit: RemovalLimit {
            percent: 99,
            terms: 5,
        },
        ..Configuration::default()
    };
    world.service().configure(&tenant(), &wanted).await.unwrap();
    world.push(TENANT, b"{}").await;
    world.push(TENANT, &second()).await;
    world.push(TENANT, &third()).await;
    assert_eq!(world.committed(TENANT).await.version.get(), 3);
    world.aggregate().await;
    let target = "versions/3/download?format=json";
    assert_eq!(get(&downloads::process(&world), target).await.0, 202);
    assert_eq!(downloads::work(&world).await, 1);
    world
}

/// The file of a version: two categories and some terms, partly in French; `software` is the name of term 110.
fn file(software: &str, leaf: (u64, &str)) -> Vec<u8> {
    let children = json!([{"id": 110, "name": software}, {"id": leaf.0, "name": leaf.1}]);
    let term =
        json!({"id": 100, "names": in_two_cultures("Technology", "Technologie"), "children": children});
    let location = json!({"id": 2, "name": "Location", "terms": [{"id": 200, "name": "London"}]});
    let categories =
        json!([{"id": 1, "names": in_two_cultures("Sector", "Secteur"), "terms": [term]}, location]);
    of_categories(&categories)
}

fn first() -> Vec<u8> {
    file("Software engineering", (113, "Compilers"))
}

fn second() -> Vec<u8> {
    file("Software engineering", (136, "Networks"))
}

fn third() -> Vec<u8> {
    file("Software", (113, "Compilers"))
}

/// Returns what is measured where something of a kind is harmed; `None` where there is no such thing.
pub(super) async fn measure(before: &World, kind: &Kind, way: Harm) -> Option<Outcome> {
    let world = before.copy();
    let harmed = harm(&world, kind, way).await?;
    let verify = verified(&world, &harmed).await;
    let (mut repair, left) = repaired(&world.copy(), before, &harmed).await;
    if repair == "nothing" && verify != "nothing" {
        "restored before it".clone_into(&mut repair);
    }
    let lookups = looked_up(&world, before, way).await;
    let uploads = uploaded(&world.copy()).await;
    Some([lookups, uploads, verify, repair, left])
}

/// Returns how the answers differ from those before the harm.
async fn looked_up(world: &World, before: &World, way: Harm) -> String {
    let (right, now) = (answers(before).await, answers(world).await);
    let differing = right.iter().zip(&now).filter(|(right, now)| right != now);
    let mut kinds: Vec<String> = differing
        .map(|(right, now)| differing_answer(right, now, way))
        .collect();
    kinds.sort();
    kinds.dedup();
    match (
        kinds.is_empty(),
        right.iter().zip(&now).any(|(right, now)| right == now),
    ) {
        (true, _) => "right".to_owned(),
        (false, true) => format!("right, or {}", kinds.join(", ")),
        (false, false) => kinds.join(", "),
    }
}

async fn answers(world: &World) -> Vec<(u16, Value)> {
    let process: Lookup = downloads::process(world);
    let mut answers = Vec::new();
    for target in TARGETS {
        answers.push(get(&process, target).await);
    }
    answers
}

fn differing_answer((_, right): &(u16, Value), (status, now): &(u16, Value), way: Harm) -> String {
    let problem = now["type"]
        .as_str()
        .and_then(|kind| kind.strip_prefix("/problems/"));
    match problem {
        Some(code) => format!("{status} `{code}`"),
        // Of what is lost nothing is stored, and the answer is the shorter by it.
        None if way == Harm::Missing => {
            assert!(now.to_string().len() < right.to_string().len(), "{right} {now}");
            "without it".to_owned()
        }
        None => "what is stored".to_owned(),
    }
}

/// Returns what becomes of the next upload.
async fn uploaded(world: &World) -> String {
    let file = second();
    let event = world.upload_replacement(TENANT, &file);
    let delivered = world.deliver(event).await;
    let head = world.heads().read(&tenant()).await;
    let committed = head.ok().and_then(|(head, _)| head.committed);
    match committed.filter(|head| head.version.get() > 3) {
        Some(head) if head.is_settled() && world.live(TENANT) == expected(TENANT, &file) => {
            "published".to_owned()
        }
        Some(head) if head.is_settled() => "published; the item stays".to_owned(),
        Some(_) => "published, and served from files".to_owned(),
        None => format!("stopped {}", delivered.is_err()),
    }
}

/// Returns how a verification names what is harmed.
async fn verified(world: &World, harmed: &Harmed) -> String {
    let service = world.service();
    match service.verify(&tenant(), BTreeSet::new()).await {
        Err(VersioningError::HeadLost) => "an error: the head is lost".to_owned(),
        Err(error) => {
            let message = taxonomy_runtime::causes(&error);
            let Harmed::Item(pk, sk) = harmed else {
                panic!("{message}")
            };
            assert!(message.contains(&format!("{pk} {sk}")), "{message}");
            "an error that names it".to_owned()
        }
        Ok(verdict) if verdict.is_clean() && verdict.counted.is_none() => "not counted".to_owned(),
        Ok(verdict) => match named(&verdict.findings.listed, harmed) {
            Some(found) => found,
            None => {
                let scanned = service.scanned(&tenant()).await.unwrap();
                let verdict = service.verify(&tenant(), scanned).await.unwrap();
                let found = named(&verdict.findings.listed, harmed);
                found.map_or_else(|| "nothing".to_owned(), |found| format!("{found}, by `--scan`"))
            }
        },
    }
}

fn named(listed: &[Difference], harmed: &Harmed) -> Option<String> {
    let found = listed.iter().find(|difference| is_of(difference, harmed));
    found.map(|difference| difference.found.as_str().to_owned())
}

fn is_of(difference: &Difference, harmed: &Harmed) -> bool {
    match (&difference.place, harmed) {
        (Place::Object { object }, Harmed::Object(key)) => object.ends_with(key),
        (Place::Item { pk, sk }, Harmed::Item(partition, sort)) => pk == partition && sk == sort,
        _ => false,
    }
}

/// Returns what a repair does, and what differs afterwards from the stack before the harm.
async fn repaired(world: &World, before: &World, harmed: &Harmed) -> (String, String) {
    let service = world.service();
    // A command asks for a sweep of the tenant first where its head cannot be read.
    let read = world.heads().read(&tenant()).await;
    if !read.is_ok_and(|(head, _)| head.committed.is_some()) {
        service.reconcile(&tenant(), Deadline::NONE).await.unwrap();
    }
    let unnamed = match service.scanned(&tenant()).await {
        Ok(scanned) => service
            .unnamed_partitions(&tenant(), scanned)
            .await
            .unwrap_or_default(),
        Err(error) => panic!("{error}"),
    };
    let report = service.mend(&tenant(), unnamed).await.unwrap();
    let of = report
        .findings
        .listed
        .iter()
        .find(|difference| is_of(difference, harmed));
    let repair = match of.map(|difference| &difference.mending) {
        Some(Some(Mending::Mended)) => "mended".to_owned(),
        Some(Some(Mending::Left(why))) => format!("left: {why}"),
        Some(None) => panic!("{report:?}"),
        None => "nothing".to_owned(),
    };
    let left = left(world, before, harmed).await;
    if left == "nothing" {
        let verdict = service.verify(&tenant(), BTreeSet::new()).await.unwrap();
        assert!(
            verdict.is_clean() && verdict.counted.is_some(),
            "{:?}",
            verdict.findings
        );
    }
    (repair, left)
}

/// Returns what both buckets hold.
fn objects(world: &World) -> BTreeMap<String, Vec<u8>> {
    let keys = [CHANGESETS_BUCKET, SOURCE_BUCKET]
        .map(|bucket| world.s3.keys(bucket).into_iter().map(move |key| (bucket, key)));
    let read = |(bucket, key): (&str, String)| {
        let bytes = world.s3.object(bucket, &key).unwrap().bytes.to_vec();
        (key, bytes)
    };
    keys.into_iter().flatten().map(read).collect()
}

async fn left(world: &World, before: &World, harmed: &Harmed) -> String {
    let (old, now) = (objects(before), objects(world));
    let is_report = |key: &&String| key.starts_with("reports/");
    let lost = old.iter().any(|(key, bytes)| now.get(key) != Some(bytes));
    let new = now
        .keys()
        .filter(|key| !is_report(key))
        .any(|key| !old.contains_key(key));
    let is_void = |pk: &str, sk: &str| {
        let item = world.db.item(TABLE, pk, sk);
        item.is_some_and(|item| item.contains_key("ExpiresAt"))
    };
    match harmed {
        Harmed::Object(_) if lost => "the harm".to_owned(),
        Harmed::Object(_) if new => "the object, which nothing reads".to_owned(),
        Harmed::Item(pk, sk) if is_void(pk, sk) && before.db.item(TABLE, pk, sk).is_none() => {
            "a void item".to_owned()
        }
        _ => {
            let (old, now): (BTreeSet<_>, BTreeSet<_>) = (
                items(before).into_iter().collect(),
                items(world).into_iter().collect(),
            );
            match old.symmetric_difference(&now).count() {
                0 => "nothing".to_owned(),
                1 => "zeros".to_owned(),
                _ => "other settings".to_owned(),
            }
        }
    }
}
