//! The time until a new version is served: simulated time from its commit to the first response of each process from that version.
//!
//! Assumptions: four processes, each of which receives a request every 200 ms on average (exponentially distributed), for one of sixty terms
//! by Zipf's law; a version every 5 to 90 s, with requests for 5 s after each; 10 ms for each request of the projector; a hint reaches the
//! second tier 100 to 1,100 ms after the commit; no replica lags, because young versions are read consistently.

use std::sync::Arc;

use fastrand::Rng;
use lookup::Lookup;
use lookup::cache::SecondTier;
use serde_json::Value;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_tests::budget::{in_paused_time, is_full};
use taxonomy_tests::summary::thousands;
use taxonomy_versioning::Deadline;
use tokio::task::{LocalSet, spawn_local, yield_now};

use crate::draft::Draft;

use super::SUMMARY;
use super::cluster::{Cluster, get};
use super::memory_tier::MemoryTier;

const PROCESSES: usize = 4;
const TERMS: u64 = 60;
const BETWEEN_REQUESTS_MS: f64 = 200.0;
const REQUEST_OF_PROJECTOR_MS: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caches {
    /// A new process for each request.
    None,
    FirstTier,
    BothTiers,
    /// Both tiers, and hints of new versions.
    Hinted,
}

/// The time of the first response of each process from the version, in milliseconds.
type FirstResponses = [Option<u64>; PROCESSES];

struct Measurement {
    caches: Caches,
    cluster: Cluster,
    rng: Rng,
    tier: Arc<MemoryTier>,
    lookups: Vec<Lookup>,
    /// The time of the next request to each process.
    next: Vec<u64>,
    /// The hints under way: time of arrival and version.
    hints: Vec<(u64, u64)>,
}

impl Measurement {
    fn new(caches: Caches, seed: u64) -> Self {
        let cluster = Cluster::new(&[ACME]);
        let tier = MemoryTier::new(seed, false);
        let mut measurement = Self {
            next: vec![cluster.world.now_ms(); PROCESSES],
            cluster,
            rng: Rng::with_seed(seed),
            tier,
            lookups: Vec::new(),
            hints: Vec::new(),
            caches,
        };
        measurement.cluster.world.transport.close_gate();
        measurement.lookups = (0..PROCESSES).map(|_| measurement.lookup()).collect();
        measurement
    }

    fn lookup(&self) -> Lookup {
        let tier: Option<Arc<dyn SecondTier>> = match self.caches {
            Caches::None | Caches::FirstTier => None,
            Caches::BothTiers | Caches::Hinted => Some(self.tier.clone()),
        };
        self.cluster.lookup("lookup", 0, 1 << 20, tier)
    }

    /// Lets time pass, and sends the requests and hints that are due meanwhile.
    async fn pass(&mut self, ms: u64, version: u64, first: &mut FirstResponses) {
        let end = self.cluster.world.now_ms() + ms;
        loop {
            let (process, at) = self
                .next
                .iter()
                .copied()
                .enumerate()
                .min_by_key(|(_, at)| *at)
                .unwrap();
            self.cluster
                .pass(at.min(end).saturating_sub(self.cluster.world.now_ms()));
            let now = self.cluster.world.now_ms();
            let due = self
                .hints
                .extract_if(.., |(at, _)| *at <= now)
                .map(|(_, version)| version);
            for version in due.collect::<Vec<_>>() {
                self.tier.hint(ACME, version);
            }
            if at > end {
                return;
            }
            let wait = -BETWEEN_REQUESTS_MS * (1.0 - self.rng.f64()).ln();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a few seconds"
            )]
            let wait = wait.ceil() as u64;
            self.next[process] = now + wait;
            if self.caches == Caches::None {
                self.lookups[process] = self.lookup();
            }
            let path = format!("/v1/tenants/{ACME}/terms/{}", self.term());
            let body = self.response(process, &path).await;
            if body["version"] == version {
                first[process].get_or_insert(now);
            }
        }
    }

    /// Draws a term by Zipf's law.
    fn term(&mut self) -> u64 {
        let all: f64 = (1..=TERMS).map(weight).sum();
        let mut rest = self.rng.f64() * all;
        (1..TERMS)
            .find(|id| {
                rest -= weight(*id);
                rest < 0.0
            })
            .unwrap_or(TERMS)
    }

    /// Publishes versions, and measures the times of each until every process has responded from it.
    async fn measure(&mut self, times: &mut Vec<u64>, versions: u64) {
        let terms: Vec<(u64, u64)> = (1..=TERMS).map(|id| (id, 0)).collect();
        let mut draft = Draft::of(&[(1, &terms)]);
        for version in 1..=versions {
            draft.rename_all(version);
            let event = self.cluster.upload(ACME, &draft.file());
            let projector = self.cluster.world.acting_as("projector").projector();
            let job = spawn_local(Box::pin(async move {
                projector.handle(event, Deadline::NONE).await.unwrap();
            }));
            let mut first = FirstResponses::default();
            while !job.is_finished() {
                self.pass(REQUEST_OF_PROJECTOR_MS, version, &mut first).await;
                let transport = self.cluster.world.transport.clone();
                for request in transport.pending() {
                    transport.release(request.id, None);
                }
                self.cluster.observe();
                for _ in 0..10 {
                    yield_now().await;
                }
            }
            let committed = self.cluster.versions[ACME].served[&version].at;
            if self.caches == Caches::Hinted {
                let at = committed + self.rng.u64(100..=1_100);
                self.hints.push((at, version));
            }
            self.pass(5_000, version, &mut first).await;
            // Further requests until the next version would measure nothing.
            let rest = self.rng.u64(0..85_000);
            self.cluster.pass(rest);
            self.next.iter_mut().for_each(|at| *at += rest);
            // Before the first version nothing can be stale.
            let first = first.into_iter().filter(|_| version > 1);
            times.extend(first.map(|at| at.unwrap_or(u64::MAX) - committed));
        }
    }

    /// Returns the response of a process. Meanwhile only the requests of the lookup pass the gate, because those of the projector take their time.
    async fn response(&self, process: usize, path: &str) -> Value {
        let event = get(path, "", None);
        let transport = &self.cluster.world.transport;
        let mut response = Box::pin(self.lookups[process].answer(&event));
        loop {
            tokio::select! {
                biased;
                response = &mut response => return serde_json::from_str(&response.body).unwrap(),
                () = yield_now() => {}
            }
            let pending = transport.pending().into_iter();
            for request in pending.filter(|request| request.actor == "lookup") {
                transport.release(request.id, None);
            }
        }
    }
}

fn weight(rank: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "ranks are small")]
    let rank = rank as f64;
    1.0 / rank
}

/// Returns a text such as `p50 900, p90 1,700, p99 2,000, max 2,100 ms`.
fn distribution(times: &mut [u64]) -> String {
    times.sort_unstable();
    let at = |percent: usize| thousands(times[(times.len() - 1) * percent / 100]);
    format!(
        "p50 {}, p90 {}, p99 {}, max {} ms",
        at(50),
        at(90),
        at(99),
        at(100)
    )
}

#[test]
fn a_new_version_is_served_in_time() {
    let (seeds, versions) = if is_full() { (5, 21) } else { (1, 4) };
    let mut lines = vec![format!(
        "staleness: {PROCESSES} processes, a request each {BETWEEN_REQUESTS_MS} ms on average, {TERMS} terms by Zipf, a version each 5 to 90 s, hinted after 100 to 1,100 ms"
    )];
    let mut violations = Vec::new();
    for (caches, name) in [
        (Caches::None, "no cache"),
        (Caches::FirstTier, "first tier"),
        (Caches::BothTiers, "both tiers"),
        (Caches::Hinted, "both tiers, hinted"),
    ] {
        let mut times = Vec::new();
        for seed in 0..seeds {
            in_paused_time(LocalSet::new().run_until(Box::pin(async {
                Measurement::new(caches, seed).measure(&mut times, versions).await;
            })));
        }
        // Two seconds, and until the next request.
        if times.iter().any(|time| *time > 5_000) {
            violations.push(format!("{name}: {:?}", times.iter().max()));
        }
        lines.push(format!(
            "staleness: {name}: since the commit {}",
            distribution(&mut times)
        ));
    }
    SUMMARY.record("staleness", lines.len(), lines.join("\n"), &violations);
}
