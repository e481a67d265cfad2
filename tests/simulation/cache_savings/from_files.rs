//! What answers cost in reads of files: a hundred terms at random while a version is loading, and the lists of many tenants in turn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use lookup::Lookup;
use taxonomy_cache::CachedReader;
use taxonomy_runtime::Clock;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::{World, read, sample};
use taxonomy_tests::{budget, summary};

use crate::requests::Request;
use crate::variant::{function, reader, response};
use crate::{AN_HOUR_MS, MIB, SEED, STEP_MS, icd10cm};

/// Readings of the clock for each [`MIB`] of a file and for any file, after which a load stops: the version is committed, and most of its items are not written.
const BEGINNING: [usize; 2] = [4, 60];
const BATCH: usize = 100;
const BATCHES: usize = 300;
/// The batches that count as the steady state.
const LAST: usize = 100;

/// Requests to S3 and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    requests: usize,
    bytes: usize,
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
        let readings = BEGINNING[0] * file.len() / MIB as usize + BEGINNING[1];
        let deadline = world.deadline_in(readings as u64);
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

/// Requests random terms in batches. Returns what the last ones cost, in order.
async fn batches_at_random(name: &str, file: Vec<u8>) -> Vec<Cost> {
    let ids: Vec<u64> = read(&file).terms().map(|term| term.id().get()).collect();
    let process = Process::over(committed([(ACME.to_owned(), file)]).await);
    let mut rng = Rng::with_seed(SEED);
    let mut costs = Vec::new();
    for _ in 0..BATCHES {
        let batch: Vec<String> = (0..BATCH)
            .map(|_| ids[rng.usize(..ids.len())].to_string())
            .collect();
        costs.push(
            process
                .cost(format!("/v1/tenants/{ACME}/terms?ids={}", batch.join(",")))
                .await,
        );
    }
    let first = costs[0];
    let mut last = costs.split_off(BATCHES - LAST);
    last.sort_unstable();
    let (half, most) = (last[LAST / 2], last[LAST - 1]);
    summary::print(&format!(
        "files: {BATCHES} batches of {BATCH} terms of {name} at random during a load, one process: the first {} requests to S3 and {} bytes, of the last {LAST} \
         half at most {} and {} bytes, each at most {} and {} bytes\n",
        first.requests, first.bytes, half.requests, half.bytes, most.requests, most.bytes
    ));
    last
}

#[tokio::test]
async fn a_batch_of_random_terms_takes_few_reads() {
    let (name, file, _) = icd10cm();
    let last = batches_at_random(name, file).await;
    assert!(last.iter().all(|cost| cost.requests <= 16), "{last:?}");
    if budget::is_full() {
        batches_at_random("a million", million()).await;
    }
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
