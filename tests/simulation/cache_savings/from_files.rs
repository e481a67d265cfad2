//! What answers cost in reads of files: a hundred terms at random while a version is loading, or in a culture that lacks half of them, and the lists
//! of many tenants in turn.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use lookup::CachedReader;
use lookup::Lookup;
use serde_json::Value;
use taxonomy_runtime::Clock;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::{World, read, sample};
use taxonomy_tests::{budget, summary};

use crate::requests::Request;
use crate::variant::{function, reader, response};
use crate::{AN_HOUR_MS, MIB, SEED, STEP_MS, data, icd10cm, publish};

/// Readings of the clock for each [`MIB`] of a file and for any file, after which a load stops: the version is committed, and most of its items are not written.
const BEGINNING: [u64; 2] = [4, 60];
const BATCH: usize = 100;
const BATCHES: usize = 300;
/// The batches that count as the steady state.
const LAST: usize = 100;

/// Requests to S3 and their bytes, and read units of the table.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Cost {
    requests: usize,
    bytes: usize,
    units: f64,
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
        let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::SeqCst));
        let lookup = function(
            &world,
            CachedReader::new(reader(&world), clock.clone(), 64 * MIB),
            clock,
        );
        Self { world, lookup, now }
    }

    async fn cost(&self, target: String) -> Cost {
        self.world.exchanges().clear();
        let answer = response(&self.lookup, &Request { target, process: 0 }).await;
        assert!(answer.starts_with("200 "), "{answer}");
        self.now.fetch_add(STEP_MS, Ordering::SeqCst);
        let sent = self.world.exchanges().all();
        let reads: Vec<usize> = sent
            .iter()
            .filter(|one| one.service == "S3")
            .map(|one| one.bytes)
            .collect();
        Cost {
            requests: reads.len(),
            bytes: reads.iter().sum(),
            units: self.world.exchanges().units() + 0.0,
        }
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

/// A million terms of two levels in one culture.
fn million() -> Vec<u8> {
    let node = |id: u64, name: &str| format!(r#"{{"id":{id},"name":"{name} {id}""#);
    let top = |first: u64| {
        let children = (first + 1..first + 100).map(|id| node(id, "Occupation") + "}");
        let children: Vec<String> = children.collect();
        format!(
            r#"{},"children":[{}]}}"#,
            node(first, "Group"),
            children.join(",")
        )
    };
    let category = |id: u64| {
        let terms: Vec<String> = (0..100).map(|n| top(10_000 * id + 100 * n + 1)).collect();
        format!(r#"{},"terms":[{}]}}"#, node(id + 1, "Sector"), terms.join(","))
    };
    let categories: Vec<String> = (0..100).map(category).collect();
    format!(r#"{{"categories":[{}]}}"#, categories.join(",")).into_bytes()
}

/// Requests random ids in batches. Returns what the first batch and the last ones cost, the last ones in order.
async fn batches_at_random(process: &Process, ids: &[u64], culture: &str) -> (Cost, Vec<Cost>) {
    let mut rng = Rng::with_seed(SEED);
    let mut costs = Vec::new();
    for _ in 0..BATCHES {
        let batch: Vec<String> = (0..BATCH)
            .map(|_| ids[rng.usize(..ids.len())].to_string())
            .collect();
        let target = format!("/v1/tenants/{ACME}/terms?ids={}{culture}", batch.join(","));
        costs.push(process.cost(target).await);
    }
    let mut last = costs.split_off(BATCHES - LAST);
    last.sort_by_key(|cost| cost.requests);
    (costs[0], last)
}

fn report(what: &str, first: Cost, last: &[Cost]) {
    let (half, most) = (last[LAST / 2], last[LAST - 1]);
    let units = last.iter().map(|cost| cost.units).sum::<f64>() / LAST as f64;
    summary::print(&format!(
        "files: {BATCHES} batches of {BATCH} {what}, one process: the first {} requests to S3, {} bytes and {} units; of the last {LAST} half at most {} requests \
         and {} bytes, each at most {} and {} bytes, {units:.2} units on average\n",
        first.requests, first.bytes, first.units, half.requests, half.bytes, most.requests, most.bytes
    ));
}

fn ids_of(file: &[u8]) -> Vec<u64> {
    read(file).terms().map(|term| term.id().get()).collect()
}

/// Returns a file without the names of every other term in a culture.
fn half_translated(file: &[u8], culture: &str) -> Vec<u8> {
    fn strip(node: &mut Value, culture: &str) {
        if node["id"].as_u64().unwrap().is_multiple_of(2) {
            let names = node["names"].as_array_mut().unwrap();
            names.retain(|name| name["culture"] != culture);
        }
        for child in node["children"].as_array_mut().into_iter().flatten() {
            strip(child, culture);
        }
    }
    let mut file: Value = serde_json::from_slice(file).unwrap();
    for category in file["categories"].as_array_mut().unwrap() {
        for term in category["terms"].as_array_mut().into_iter().flatten() {
            strip(term, culture);
        }
    }
    file.to_string().into_bytes()
}

#[tokio::test]
async fn a_batch_of_random_terms_takes_few_reads() {
    let (name, file, _) = icd10cm();
    let mut files = vec![(name, file)];
    if budget::is_full() {
        files.push(("a million", million()));
    }
    for (name, file) in files {
        let ids = ids_of(&file);
        let process = Process::over(committed([(ACME.to_owned(), file)]).await);
        let (first, last) = batches_at_random(&process, &ids, "").await;
        report(&format!("terms of {name} at random during a load"), first, &last);
        if name != "a million" {
            assert!(last.iter().all(|cost| cost.requests <= 16), "{last:?}");
            // The ids are in memory by now.
            let known: BTreeSet<u64> = ids.into_iter().collect();
            let unknown = (1..).filter(|id| !known.contains(id)).take(1_000);
            let unknown: Vec<u64> = unknown.chain(9_000_000_000..9_000_001_000).collect();
            let (first, last) = batches_at_random(&process, &unknown, "").await;
            assert!(
                [first].iter().chain(&last).all(|cost| cost.requests == 0),
                "{last:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_batch_in_a_partly_translated_culture_takes_few_reads() {
    let (name, file) = match std::fs::read(format!("{}/google/taxonomy-v1.json", data())) {
        Ok(file) if budget::is_full() => ("google", file),
        _ => ("samples/job-board", sample("job-board-v1.json")),
    };
    let file = half_translated(&file, "fr-FR");
    let ids = ids_of(&file);
    let mut world = World::new();
    world.max_file_bytes = 16 * MIB;
    world.db.stop_stream(TABLE);
    publish(&world, ACME, &file, NEW_YEAR_MS).await;
    let process = Process::over(world);
    let (first, last) = batches_at_random(&process, &ids, "&culture=fr-FR").await;
    report(
        &format!("terms of {name} at random, half of them without a name in fr-FR"),
        first,
        &last,
    );
    assert!(last.iter().all(|cost| cost.requests == 0), "{last:?}");
}

/// The second of the two requests needs nothing that the first has not read.
#[tokio::test]
async fn lists_of_many_tenants_in_turn_take_one_read_each() {
    let count = if budget::is_full() { 1_000 } else { 20 };
    let file = sample("job-board-v1.json");
    let tenants: Vec<String> = (0..count).map(|n| format!("tenant-{n:04}")).collect();
    let files = tenants.iter().map(|tenant| (tenant.clone(), file.clone()));
    let process = Process::over(committed(files).await);
    let mut lines = String::new();
    for round in 1..=2 {
        let (mut categories, mut children) = (Vec::new(), Vec::new());
        for tenant in &tenants {
            categories.push(process.cost(format!("/v1/tenants/{tenant}/categories")).await);
            children.push(
                process
                    .cost(format!("/v1/tenants/{tenant}/terms/110/children"))
                    .await,
            );
        }
        for (list, costs) in [("categories", categories), ("children", children)] {
            let sum = |of: fn(&Cost) -> usize| costs.iter().map(of).sum::<usize>();
            lines.push_str(&format!(
                "files: {list} of {count} tenants in turn, round {round}: {} requests to S3, {} bytes\n",
                sum(|cost| cost.requests),
                sum(|cost| cost.bytes)
            ));
            let most = usize::from(list == "categories");
            assert!(costs.iter().all(|cost| cost.requests <= most), "{lines}");
        }
    }
    summary::print(&lines);
}
