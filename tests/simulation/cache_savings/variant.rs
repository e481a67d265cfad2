//! A variant: four lookup processes with caches of one size, and the requests and units that they use.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Context, Event, Lookup};
use serde_json::json;
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Archive, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::World;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::counting_tier::{CountingTier, Counts, with_long_timeout};
use crate::requests::Request;
use crate::take_exchanges;

pub(crate) const PROCESSES: usize = 4;
/// The memory of a process for parts of files.
const FILE_BYTES: u64 = 32 << 20;
/// Longer than a process trusts a head.
const STALE_MS: u64 = 3_000;

pub(crate) struct Variant {
    pub(crate) name: &'static str,
    bytes: u64,
    tier: Option<String>,
    counts: Arc<Counts>,
    processes: BTreeMap<usize, Lookup>,
    /// Requests and units by operation.
    cost: BTreeMap<String, (u64, f64)>,
}

impl Variant {
    /// Creates a variant with `bytes` of cache in each process and a second tier, if any. With 0 bytes a process caches only heads.
    pub(crate) fn new(name: &'static str, bytes: u64, tier: Option<String>) -> Self {
        Self {
            name,
            bytes,
            tier,
            counts: Arc::default(),
            processes: BTreeMap::new(),
            cost: BTreeMap::new(),
        }
    }

    /// Starts a process in the place of an earlier one.
    pub(crate) async fn start(&mut self, world: &World, now: &Arc<AtomicU64>, process: usize) {
        let time = now.clone();
        let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::SeqCst));
        let tier = self.tier.as_ref().map(|url| {
            let config = with_long_timeout(ValkeyConfig::new(url));
            Valkey::new(&config, clock.clone()).unwrap()
        });
        let counts = self.counts.clone();
        let tier = Arc::new(CountingTier { tier, counts });
        let reader = CachedReader::new(reader(world), clock.clone(), self.bytes).with_second_tier(tier);
        let lookup = function(world, reader, clock);
        lookup.warm_up().await;
        self.record_cost(world);
        self.processes.insert(process, lookup);
    }

    /// Returns status and body of the response.
    pub(crate) async fn send(&mut self, world: &World, request: &Request) -> String {
        let response = response(&self.processes[&request.process], request).await;
        self.record_cost(world);
        response
    }

    fn record_cost(&mut self, world: &World) {
        for exchange in take_exchanges(&world.db) {
            let is_head = exchange.target.ends_with(" HEAD");
            let operation = format!("{}{}", exchange.operation, if is_head { " of heads" } else { "" });
            let (requests, units) = self.cost.entry(operation).or_default();
            *requests += 1;
            *units += exchange.units.unwrap_or_default();
        }
    }

    /// Returns the number of entries that the first tier lacked.
    pub(crate) fn missed(&self) -> u64 {
        self.counts.missed.load(Ordering::Relaxed)
    }

    pub(crate) fn trouble(&self) -> u64 {
        self.counts.trouble.load(Ordering::Relaxed)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.cost.values().map(|(requests, _)| requests).sum()
    }

    pub(crate) fn units(&self) -> f64 {
        self.cost.values().map(|(_, units)| units).sum()
    }

    /// Returns the line of the report; `all` is the number of entries that the requests needed.
    pub(crate) fn line(&self, all: u64, lookups: usize) -> String {
        let missed = self.missed();
        let second = match &self.tier {
            None => String::new(),
            Some(_) => format!(
                ", second {:.1} % of {missed} in {} requests",
                percent(self.counts.found.load(Ordering::Relaxed), missed),
                self.counts.requests.load(Ordering::Relaxed)
            ),
        };
        let cost: Vec<String> = self
            .cost
            .iter()
            .map(|(operation, (requests, units))| format!("{requests} {operation} ({units} units)"))
            .collect();
        format!(
            "{}: first tier {:.1} % of {all} entries{second}; {:.3} requests and {:.3} units a lookup: {}",
            self.name,
            percent(all.saturating_sub(missed), all),
            self.requests() as f64 / lookups as f64,
            self.units() / lookups as f64,
            cost.join(", ")
        )
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// A lookup without caches, whose responses are never stale.
pub(crate) struct Oracle {
    lookup: Lookup,
    world: World,
}

impl Oracle {
    pub(crate) fn over(world: &World) -> Self {
        let time = AtomicU64::new(NEW_YEAR_MS);
        let clock: Arc<dyn Clock> = Arc::new(move || time.fetch_add(STALE_MS, Ordering::SeqCst));
        let reader = CachedReader::new(reader(world), clock.clone(), 0);
        Self {
            lookup: function(world, reader, clock),
            world: world.clone(),
        }
    }

    pub(crate) async fn response(&self, request: &Request) -> String {
        let response = response(&self.lookup, request).await;
        self.world.exchanges().clear();
        response
    }

    pub(crate) async fn responses(&self, requests: &[Request]) -> Vec<String> {
        let mut responses = Vec::new();
        for request in requests {
            responses.push(self.response(request).await);
        }
        responses
    }
}

pub(crate) fn reader(world: &World) -> Reader {
    Reader::new(Table::new(world.db.client(), TABLE))
}

pub(crate) fn function(world: &World, reader: CachedReader, clock: Arc<dyn Clock>) -> Lookup {
    let aggregates = Aggregates::new(Table::new(world.db.client(), TABLE));
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let context =
        Context::new(reader, aggregates).with_versions(VersionFiles::new(archive, FILE_BYTES), world.heads());
    Lookup::new(Auth::None, CacheControl::default(), context, clock)
}

pub(crate) async fn response(lookup: &Lookup, request: &Request) -> String {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let event = json!({
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "requestContext": {"http": {"method": "GET", "path": path}},
    });
    let event: Event = serde_json::from_value(event).unwrap();
    let response = lookup.answer(&event).await;
    assert!([200, 404].contains(&response.status_code), "{}", response.body);
    format!("{} {}", response.status_code, response.body)
}
