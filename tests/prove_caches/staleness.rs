//! How long it takes until a new version is seen: simulated time from its commit, and from the end of its projection, to the first
//! answer of each process that is new.
//!
//! What is assumed: four processes, each asked as the next request comes, 200 ms apart on average (exponential), for one of sixty terms
//! that are as popular as Zipf has it; a version every 5 to 90 s, with requests
//! for 5 s after each; 10 ms for each request of the projector; the aggregator hears of a
//! version 100 to 1,100 ms after it was projected; no replica lags, since what is young is read consistently.

use std::sync::Arc;

use fastrand::Rng;
use lookup::Lookup;
use serde_json::Value;
use taxonomy_cache::SecondTier;
use taxonomy_protocol::Deadline;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{alone, everything};
use tokio::task::{LocalSet, spawn_local, yield_now};

use crate::files::{Draft, Names};
use crate::proof::Part;
use crate::stand::{Stand, get};
use crate::tier::Tier;

const PROCESSES: usize = 4;
const TERMS: u64 = 60;
const BETWEEN_REQUESTS_MS: f64 = 200.0;
const REQUEST_OF_PROJECTOR_MS: u64 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caches {
    /// A new process for each request.
    None,
    First,
    Both,
    Pushed,
}

/// Times in milliseconds: since the commit, and since the projection.
#[derive(Default)]
struct Times(Vec<u64>, Vec<u64>);

/// When each process has answered with the version first.
type Seen = [Option<u64>; PROCESSES];

struct Stage {
    caches: Caches,
    stand: Stand,
    rng: Rng,
    tier: Arc<Tier>,
    lookups: Vec<Lookup>,
    /// When each process is asked next.
    next: Vec<u64>,
    /// When versions are told of.
    pushes: Vec<(u64, u64)>,
}

impl Stage {
    fn new(caches: Caches, seed: u64) -> Self {
        let stand = Stand::new(&[ACME]);
        let tier = Tier::new(seed, false);
        let mut stage = Self {
            next: vec![stand.now(); PROCESSES],
            stand,
            rng: Rng::with_seed(seed),
            tier,
            lookups: Vec::new(),
            pushes: Vec::new(),
            caches,
        };
        stage.stand.wire.close_gate();
        stage.lookups = (0..PROCESSES).map(|_| stage.lookup()).collect();
        stage
    }

    fn lookup(&self) -> Lookup {
        let tier: Option<Arc<dyn SecondTier>> = match self.caches {
            Caches::None | Caches::First => None,
            Caches::Both | Caches::Pushed => Some(self.tier.clone()),
        };
        self.stand.lookup("lookup", 0, 1 << 20, tier)
    }

    /// Time passes; who is asked meanwhile may have seen the version.
    async fn pass(&mut self, ms: u64, version: u64, seen: &mut Seen) {
        let end = self.stand.now() + ms;
        loop {
            let (process, at) = self
                .next
                .iter()
                .copied()
                .enumerate()
                .min_by_key(|(_, at)| *at)
                .unwrap();
            self.stand.pass(at.min(end).saturating_sub(self.stand.now()));
            let now = self.stand.now();
            let told = self
                .pushes
                .extract_if(.., |(at, _)| *at <= now)
                .map(|(_, version)| version);
            for version in told.collect::<Vec<_>>() {
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
            let path = format!("/v1/tenants/{ACME}/terms/{}", self.popular());
            let body = self.answer(process, &path).await;
            if body["version"] == version {
                seen[process].get_or_insert(now);
            }
        }
    }

    fn popular(&mut self) -> u64 {
        let all: f64 = (1..=TERMS).map(weight).sum();
        let mut rest = self.rng.f64() * all;
        (1..TERMS)
            .find(|id| {
                rest -= weight(*id);
                rest < 0.0
            })
            .unwrap_or(TERMS)
    }

    /// Some versions, each as long as it takes until everybody has seen it, and until the next.
    async fn versions(&mut self, times: &mut Times, versions: u64) {
        let mut draft = many();
        for version in 1..=versions {
            draft.upload = version;
            for (id, term) in &mut draft.terms {
                term.names = name(*id, version);
            }
            let event = self.stand.upload(ACME, &draft);
            let projector = self.stand.projector("projector");
            let job = spawn_local(Box::pin(async move {
                projector.handle(event, Deadline::NONE).await.unwrap();
            }));
            let (mut committed, mut seen) = (None, Seen::default());
            while !job.is_finished() {
                self.pass(REQUEST_OF_PROJECTOR_MS, version, &mut seen).await;
                for request in self.stand.wire.pending() {
                    self.stand.wire.release(request.id, None);
                }
                self.stand.observe();
                if committed.is_none() && self.stand.histories[ACME].latest() == version {
                    committed = Some(self.stand.now());
                }
                for _ in 0..10 {
                    yield_now().await;
                }
            }
            let (committed, ended) = (
                committed.unwrap(),
                self.stand.histories[ACME].published[&version].at,
            );
            if self.caches == Caches::Pushed {
                let at = ended + self.rng.u64(100..=1_100);
                self.pushes.push((at, version));
            }
            self.pass(5_000, version, &mut seen).await;
            // Until the next one nothing happens that would tell us more.
            let rest = self.rng.u64(0..85_000);
            self.stand.pass(rest);
            self.next.iter_mut().for_each(|at| *at += rest);
            // Before the first there is nothing that could be old.
            for at in seen.into_iter().filter(|_| version > 1) {
                let at = at.unwrap_or(u64::MAX);
                times.0.push(at - committed);
                times.1.push(at - ended);
            }
        }
    }

    /// Only this request's own pass the gate meanwhile: the projector's have their time.
    async fn answer(&self, process: usize, path: &str) -> Value {
        let event = get(path, "", None);
        let mut answer = Box::pin(self.lookups[process].answer(&event));
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return serde_json::from_str(&answer.body).unwrap(),
                () = yield_now() => {}
            }
            let pending = self.stand.wire.pending().into_iter();
            for request in pending.filter(|request| request.actor == "lookup") {
                self.stand.wire.release(request.id, None);
            }
        }
    }
}

fn weight(rank: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "ranks are small")]
    let rank = rank as f64;
    1.0 / rank
}

fn name(id: u64, version: u64) -> Names {
    Names::from([("en-GB".to_owned(), format!("Term {id} of {version}"))])
}

fn many() -> Draft {
    let mut draft = Draft::first(&mut Rng::with_seed(0));
    let term = draft.terms.values().next().unwrap().clone();
    let mut top = term;
    top.parent = None;
    top.category = 1;
    draft.terms = (1..=TERMS).map(|id| (id, top.clone())).collect();
    draft
}

/// `p50 900, p90 1,700, p99 2,000, max 2,100 ms`.
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
fn a_new_version_is_seen_in_time() {
    let (seeds, versions) = if everything() { (5, 21) } else { (1, 4) };
    let mut lines = vec![format!(
        "{PROCESSES} processes, a request each {BETWEEN_REQUESTS_MS} ms on average, {TERMS} terms by Zipf, a version each 5 to 90 s, pushed after 100 to 1,100 ms"
    )];
    let mut wrong = Vec::new();
    for (caches, what) in [
        (Caches::None, "no cache"),
        (Caches::First, "first tier"),
        (Caches::Both, "both tiers"),
        (Caches::Pushed, "both tiers, pushed"),
    ] {
        let mut times = Times::default();
        for seed in 0..seeds {
            alone(LocalSet::new().run_until(Box::pin(async {
                Stage::new(caches, seed).versions(&mut times, versions).await;
            })));
        }
        // Two seconds, and until somebody asks.
        if times.1.iter().any(|time| *time > 5_000) {
            wrong.push(format!("{what}: {:?}", times.1.iter().max()));
        }
        lines.push(format!(
            "{what}: since ProjectedAt {}",
            distribution(&mut times.1)
        ));
        lines.push(format!("{what}: since the commit {}", distribution(&mut times.0)));
    }
    Part::Staleness.say(&lines.join("\n"), &wrong);
}
