//! Four processes of the lookup with so much of a cache, what they are asked and what that costs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lookup::{Auth, CacheControl, Event, Lookup, World};
use serde_json::json;
use taxonomy_cache::CachedReader;
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Reader, Table};
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::fixtures::{NEW_YEAR_MS, TABLE};
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::asks::Ask;
use crate::sent;
use crate::tier::{CountingTier, Counts, patient};

pub(crate) const PROCESSES: usize = 4;
/// Longer than a head is good for.
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
    /// With so many bytes in each process and perhaps a second tier. 0 bytes keep nothing but heads.
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

    /// Starts a process in the place of another one, as a function starts.
    pub(crate) async fn start(&mut self, db: &EmbeddedDynamoDb, now: &Arc<AtomicU64>, process: usize) {
        let time = now.clone();
        let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::SeqCst));
        let behind = self.tier.as_ref().map(|url| {
            let config = patient(ValkeyConfig::new(url));
            Valkey::new(&config, clock.clone()).unwrap()
        });
        let counts = self.counts.clone();
        let tier = Arc::new(CountingTier { behind, counts });
        let reader = CachedReader::new(reader(db), clock.clone(), self.bytes).with_second_tier(tier);
        let lookup = function(db, reader, clock);
        lookup.warm_up().await;
        self.note(db);
        self.processes.insert(process, lookup);
    }

    /// Status and body.
    pub(crate) async fn ask(&mut self, db: &EmbeddedDynamoDb, ask: &Ask) -> String {
        let got = answer(&self.processes[&ask.process], ask).await;
        self.note(db);
        got
    }

    fn note(&mut self, db: &EmbeddedDynamoDb) {
        for exchange in sent(db) {
            let is_head = exchange.target.ends_with(" HEAD");
            let operation = format!("{}{}", exchange.operation, if is_head { " of heads" } else { "" });
            let (requests, units) = self.cost.entry(operation).or_default();
            *requests += 1;
            *units += exchange.units.unwrap_or_default();
        }
    }

    /// How many entries the first tier did not have.
    pub(crate) fn entries(&self) -> u64 {
        self.counts.asked.load(Ordering::Relaxed)
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

    /// What it took, where `all` entries were needed.
    pub(crate) fn line(&self, all: u64, lookups: usize) -> String {
        let missed = self.entries();
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

/// Always looks itself: nothing that it answers is older than its question.
pub(crate) struct Oracle {
    lookup: Lookup,
    db: EmbeddedDynamoDb,
}

impl Oracle {
    pub(crate) fn over(db: &EmbeddedDynamoDb) -> Self {
        let time = AtomicU64::new(NEW_YEAR_MS);
        let clock: Arc<dyn Clock> = Arc::new(move || time.fetch_add(STALE_MS, Ordering::SeqCst));
        let reader = CachedReader::new(reader(db), clock.clone(), 0);
        Self {
            lookup: function(db, reader, clock),
            db: db.clone(),
        }
    }

    pub(crate) async fn answer(&self, ask: &Ask) -> String {
        let answer = answer(&self.lookup, ask).await;
        self.db.exchanges().clear();
        answer
    }

    pub(crate) async fn answers(&self, asks: &[Ask]) -> Vec<String> {
        let mut answers = Vec::new();
        for ask in asks {
            answers.push(self.answer(ask).await);
        }
        answers
    }
}

fn reader(db: &EmbeddedDynamoDb) -> Reader {
    Reader::new(Table::new(db.client(), TABLE))
}

fn function(db: &EmbeddedDynamoDb, reader: CachedReader, clock: Arc<dyn Clock>) -> Lookup {
    let world = World::new(reader, Aggregates::new(Table::new(db.client(), TABLE)));
    Lookup::new(Auth::None, CacheControl::default(), world, clock)
}

async fn answer(lookup: &Lookup, ask: &Ask) -> String {
    let (path, query) = ask.target.split_once('?').unwrap_or((&ask.target, ""));
    let event = json!({
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "requestContext": {"http": {"method": "GET", "path": path}},
    });
    let event: Event = serde_json::from_value(event).unwrap();
    let answer = lookup.answer(&event).await;
    assert!([200, 404].contains(&answer.status_code), "{}", answer.body);
    format!("{} {}", answer.status_code, answer.body)
}
