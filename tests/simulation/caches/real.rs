//! Real taxonomies, versions of a given age, and what answers cost in reads of files: a hundred terms at random while a version is loading, or in a
//! culture that lacks half of them, and the lists of many tenants in turn.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use lookup::Lookup;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_tests::asking::process_over;
use taxonomy_tests::budget::{is_full, variable};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary;

use crate::raw::head;

pub(super) const SEED: u64 = 10;
/// The time between two requests. Two seconds, after which a head is read again, are 200 of them.
pub(super) const STEP_MS: u64 = 10;
/// The age of version 1 at the first request.
pub(super) const AN_HOUR_MS: u64 = 3_600_000;
pub(super) const MIB: u64 = 1 << 20;
/// The memory of a process for parts of files.
pub(super) const FILE_BYTES: u64 = 32 << 20;

/// Readings of the clock for each [`MIB`] of a file and for any file, after which a load stops: the version is committed, and most of its items are not written.
const BEGINNING: [u64; 2] = [4, 60];
const BATCH: usize = 100;
const BATCHES: usize = 300;
/// The batches that count as the steady state.
const LAST: usize = 100;

/// Reads a real taxonomy.
pub(super) fn real(name: &str) -> Vec<u8> {
    let folder = variable("TAXONOMY_DATA");
    let folder = folder.unwrap_or_else(|| format!("{}/../../shared/data", env!("CARGO_MANIFEST_DIR")));
    let file = std::fs::read(format!("{folder}/{name}.json"));
    file.unwrap_or_else(|error| panic!("no {name} in {folder}, which TAXONOMY_DATA names: {error}"))
}

/// Returns status and body of the response.
pub(super) async fn answer(lookup: &Lookup, target: &str) -> String {
    let answer = ask(lookup, "GET", target, None).await;
    assert!([200, 404].contains(&answer.status_code), "{}", answer.body);
    format!("{} {}", answer.status_code, answer.body)
}

/// Uploads and projects a version, at a time of the clock of the lookups.
pub(super) async fn publish(world: &World, tenant: &str, file: &[u8], at: u64) {
    world.push(tenant, file).await;
    let mut head = head(world, tenant);
    head.insert("ProjectedAt".to_owned(), AttributeValue::N(at.to_string()));
    world.put_by_hand(head).await;
    assert!(world.committed(tenant).await.is_settled());
    world.exchanges().clear();
}

struct Process {
    world: World,
    lookup: Lookup,
    now: Arc<AtomicU64>,
}

impl Process {
    /// Starts a process with the memory of a default deployment.
    fn over(world: World) -> Self {
        let now = Arc::new(AtomicU64::new(NEW_YEAR_MS + AN_HOUR_MS));
        let time = now.clone();
        let clock = Arc::new(move || time.load(Ordering::SeqCst));
        let bytes = [64 * MIB, FILE_BYTES];
        let lookup = process_over(&world, clock, bytes, |reader| reader, |context| context);
        Self { world, lookup, now }
    }

    /// Returns the number of requests to S3 for an answer.
    async fn reads(&self, target: &str) -> usize {
        self.world.exchanges().clear();
        let answer = answer(&self.lookup, target).await;
        assert!(answer.starts_with("200 "), "{answer}");
        self.now.fetch_add(STEP_MS, Ordering::SeqCst);
        self.world.exchanges().count("GetObject")
    }

    /// Requests random ids in batches. Returns the reads of the first batch and the most of the last ones, and prints them.
    async fn batches_at_random(&self, what: &str, ids: &[u64], culture: &str) -> [usize; 2] {
        let mut rng = Rng::with_seed(SEED);
        let mut reads = Vec::new();
        for _ in 0..BATCHES {
            let batch: Vec<String> = (0..BATCH)
                .map(|_| ids[rng.usize(..ids.len())].to_string())
                .collect();
            let target = format!("/v1/tenants/{ACME}/terms?ids={}{culture}", batch.join(","));
            reads.push(self.reads(&target).await);
        }
        let most = reads[BATCHES - LAST..].iter().max().copied().unwrap();
        let first = reads[0];
        summary::print(&format!(
            "files: {BATCHES} batches of {BATCH} {what}: the first {first} requests to S3, each of the last {LAST} at most {most}\n"
        ));
        [first, most]
    }
}

/// Returns a world that has committed versions and stopped their loads.
async fn committed(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> World {
    let mut world = World::new();
    world.max_file_bytes = 256 * MIB;
    world.db.stop_stream(TABLE);
    for (tenant, file) in files {
        let event = world.upload(&tenant, &file);
        let readings = BEGINNING[0] * file.len() as u64 / MIB + BEGINNING[1];
        let deadline = world.deadline_in(readings);
        world.projector().handle(event, deadline).await.unwrap();
        world.exchanges().clear();
    }
    world
}

fn ids_of(file: &[u8]) -> Vec<u64> {
    read(file).terms().map(|term| term.id().get()).collect()
}

/// Returns a file without the names of every other term in a culture.
fn half_translated(file: &[u8], culture: &str) -> Vec<u8> {
    fn strip(node: &mut Value, below: &str, culture: &str) {
        for term in node[below].as_array_mut().into_iter().flatten() {
            if term["id"].as_u64().unwrap().is_multiple_of(2) {
                let names = term["names"].as_array_mut().unwrap();
                names.retain(|name| name["culture"] != culture);
            }
            strip(term, "children", culture);
        }
    }
    let mut file: Value = serde_json::from_slice(file).unwrap();
    for category in file["categories"].as_array_mut().unwrap() {
        strip(category, "terms", culture);
    }
    file.to_string().into_bytes()
}

#[tokio::test]
async fn a_batch_of_random_terms_takes_few_reads() {
    let file = match is_full() {
        true => real("icd10cm/taxonomy"),
        false => sample("job-board-v1.json"),
    };
    let ids = ids_of(&file);
    let process = Process::over(committed([(ACME.to_owned(), file)]).await);
    let what = "terms at random during a load";
    let [_, most] = process.batches_at_random(what, &ids, "").await;
    assert!(most <= 16, "{most}");
    // The ids are in memory by now.
    let known: BTreeSet<u64> = ids.into_iter().collect();
    let unknown = (1..).filter(|id| !known.contains(id)).take(1_000);
    let unknown: Vec<u64> = unknown.chain(9_000_000_000..9_000_001_000).collect();
    let reads = process.batches_at_random("unknown ids", &unknown, "").await;
    assert_eq!(reads, [0, 0]);
}

#[tokio::test]
async fn a_batch_in_a_partly_translated_culture_takes_few_reads() {
    let file = match is_full() {
        true => real("google/taxonomy-v1"),
        false => sample("job-board-v1.json"),
    };
    let file = half_translated(&file, "fr-FR");
    let mut world = World::new();
    world.max_file_bytes = 16 * MIB;
    world.db.stop_stream(TABLE);
    publish(&world, ACME, &file, NEW_YEAR_MS).await;
    let process = Process::over(world);
    let what = "terms at random, half of them without a name in fr-FR";
    let [_, most] = process
        .batches_at_random(what, &ids_of(&file), "&culture=fr-FR")
        .await;
    assert_eq!(most, 0);
}

/// The second of the two requests needs nothing that the first has not read.
#[tokio::test]
async fn lists_of_many_tenants_in_turn_take_one_read_each() {
    let count = if is_full() { 1_000 } else { 20 };
    let file = sample("job-board-v1.json");
    let tenants: Vec<String> = (0..count).map(|n| format!("tenant-{n:04}")).collect();
    let files = tenants.iter().map(|tenant| (tenant.clone(), file.clone()));
    let process = Process::over(committed(files).await);
    for _ in 0..2 {
        for tenant in &tenants {
            let path = format!("/v1/tenants/{tenant}");
            assert!(
                process.reads(&format!("{path}/categories")).await <= 1,
                "{tenant}"
            );
            let children = format!("{path}/terms/110/children");
            assert_eq!(process.reads(&children).await, 0, "{tenant}");
        }
    }
}
