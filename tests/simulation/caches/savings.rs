//! What the tiers save: the same requests to lookups with and without them. 3,000 requests over a sample with every `cargo test`, 100,000 over real
//! taxonomies with `PROVE=all`. No tier changes a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lookup::Lookup;
use lookup::cache::SecondTier;
use taxonomy_runtime::Clock;
use taxonomy_testkit::ValkeyServer;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_tests::asking::process_over;
use taxonomy_tests::budget::is_full;
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use super::cluster::with_tier;
use super::real::{AN_HOUR_MS, FILE_BYTES, MIB, SEED, STEP_MS, answer, publish, real};
use super::zipf::{Request, requests};

pub(super) const PROCESSES: usize = 4;
/// The number of requests after which a new process replaces one of the processes, in turn.
const RECYCLED_EVERY: usize = 5_000;
/// The number of requests after a projection whose responses may be from the version before: two seconds of them.
const MAY_BE_STALE: usize = 200;
/// Longer than a process trusts a head.
const STALE_MS: u64 = 3_000;

/// Lookup processes with caches of one size, and the requests and units that they use.
struct Variant {
    name: &'static str,
    bytes: u64,
    tier: Option<String>,
    processes: Vec<Lookup>,
    requests: usize,
    units: f64,
}

impl Variant {
    /// Creates a variant with `bytes` of cache in each process and a second tier, if any. With 0 bytes a process caches only heads.
    fn new(name: &'static str, bytes: u64, tier: Option<&ValkeyServer>) -> Self {
        Self {
            name,
            bytes,
            tier: tier.map(ValkeyServer::url),
            processes: Vec::new(),
            requests: 0,
            units: 0.0,
        }
    }

    /// Starts a process.
    async fn start(&mut self, world: &World, now: &Arc<AtomicU64>) -> Lookup {
        let time = now.clone();
        let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::SeqCst));
        let tier = self.tier.as_ref().map(|url| {
            let valkey = Valkey::new(&patient(url), clock.clone()).unwrap();
            Arc::new(valkey) as Arc<dyn SecondTier>
        });
        let bytes = [self.bytes, FILE_BYTES];
        let lookup = process_over(world, clock, bytes, with_tier(tier), |context| context);
        lookup.warm_up().await;
        self.charge(world);
        lookup
    }

    async fn send(&mut self, world: &World, request: &Request) -> String {
        let answer = answer(&self.processes[request.process], &request.target).await;
        self.charge(world);
        answer
    }

    fn charge(&mut self, world: &World) {
        let sent = world.db.exchanges();
        self.requests += sent.len();
        self.units += sent.units();
        sent.clear();
    }
}

/// Returns a configuration with a time-out that a slow machine does not reach.
fn patient(url: &str) -> ValkeyConfig {
    ValkeyConfig {
        timeout: Duration::from_secs(10),
        ..ValkeyConfig::new(url)
    }
}

/// Returns a lookup without caches, whose responses are never stale.
fn oracle(world: &World) -> Lookup {
    let time = AtomicU64::new(NEW_YEAR_MS);
    let clock = Arc::new(move || time.fetch_add(STALE_MS, Ordering::SeqCst));
    process_over(world, clock, [0, FILE_BYTES], |reader| reader, |context| context)
}

/// Reads the two versions for [`ACME`] and the one for [`GLOBEX`].
fn files() -> [Vec<u8>; 3] {
    if is_full() {
        return ["google/taxonomy-v1", "google/taxonomy-v2", "esco/occupations-v1"].map(real);
    }
    ["job-board-v1.json", "job-board-v2.json", "job-board-v1.json"].map(sample)
}

/// Sends the hint of the newest version, as the aggregator does after a projection.
async fn hint(server: &ValkeyServer, world: &World) {
    let version = world.committed(ACME).await.version;
    let valkey = Valkey::new(&patient(&server.url()), Arc::new(|| NEW_YEAR_MS)).unwrap();
    let advanced = valkey.advance(&ACME.parse().unwrap(), version).await;
    assert_eq!(advanced.unwrap(), version);
    world.exchanges().clear();
}

#[tokio::test]
async fn the_tiers_change_no_response_and_save_requests() {
    let [first, second, other] = files();
    // One for each variant, so that no variant has hits on entries of another.
    let servers = [ValkeyServer::start(), ValkeyServer::start()];
    let mut world = World::new();
    world.max_file_bytes = 16 * MIB;
    world.db.stop_stream(TABLE);
    let now = Arc::new(AtomicU64::new(NEW_YEAR_MS + AN_HOUR_MS));
    publish(&world, ACME, &first, NEW_YEAR_MS).await;
    publish(&world, GLOBEX, &other, NEW_YEAR_MS).await;
    let count = if is_full() { 100_000 } else { 3_000 };
    let requests = requests(SEED, &read(&first), &read(&other), count);
    let mut variants = [
        Variant::new("no cache", 0, None),
        Variant::new("1 MiB", MIB, None),
        Variant::new("64 MiB", 64 * MIB, None),
        Variant::new("1 MiB, and a second tier", MIB, Some(&servers[0])),
        Variant::new("64 MiB, and a second tier", 64 * MIB, Some(&servers[1])),
    ];
    for variant in &mut variants {
        for _ in 0..PROCESSES {
            let process = variant.start(&world, &now).await;
            variant.processes.push(process);
        }
    }
    let oracle = oracle(&world);
    let (middle, mut before) = (count / 2, Vec::new());
    for (number, request) in requests.iter().enumerate() {
        if number == middle {
            for request in requests[middle..].iter().take(MAY_BE_STALE + 1) {
                before.push(answer(&oracle, &request.target).await);
            }
            publish(&world, ACME, &second, now.load(Ordering::SeqCst)).await;
            for server in &servers {
                hint(server, &world).await;
            }
        }
        if number % RECYCLED_EVERY == RECYCLED_EVERY - 1 {
            for variant in &mut variants {
                let process = variant.start(&world, &now).await;
                variant.processes[number / RECYCLED_EVERY % PROCESSES] = process;
            }
        }
        let old = number.checked_sub(middle).and_then(|since| before.get(since));
        let new = answer(&oracle, &request.target).await;
        world.exchanges().clear();
        for variant in &mut variants {
            let got = variant.send(&world, request).await;
            assert!(
                got == new || old == Some(&got),
                "{}, request {number}, {}:\n{got}\ninstead of\n{new}",
                variant.name,
                request.target
            );
        }
        now.fetch_add(STEP_MS, Ordering::SeqCst);
    }
    report(&variants, count);
}

/// Prints a line for each variant, and checks that more cache never uses more requests.
fn report(variants: &[Variant; 5], count: usize) {
    for variant in variants {
        let each = |sum: f64| sum / count as f64;
        let (requests, units) = (each(variant.requests as f64), each(variant.units));
        let line = format!(
            "savings: {}: {requests:.3} requests and {units:.3} units a lookup\n",
            variant.name
        );
        summary::print(&line);
    }
    let [none, small, large, small_both, large_both] = variants;
    for (more, less) in [
        (none, small),
        (small, large),
        (small, small_both),
        (large, large_both),
    ] {
        assert!(
            less.requests <= more.requests,
            "{} instead of {}",
            less.name,
            more.name
        );
        assert!(less.units <= more.units, "{} instead of {}", less.name, more.name);
    }
    assert!(large.requests * 2 < none.requests);
    // Also that a second tier was there: without one, nothing would be saved.
    assert!(large_both.requests < large.requests && small_both.requests < small.requests);
}
