//! A run that a seed chooses: uploads, projectors that are delayed, crash and preempt each other, and lookup processes that receive requests
//! meanwhile; the gate holds every request of theirs until the seed lets it pass.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fastrand::Rng;
use lookup::{Lookup, Response};
use taxonomy_testkit::dynamodb::Lag;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_testkit::{FaultRates, Interleaving, Scenario};
use taxonomy_tests::prelude::*;

use crate::actors::{Violation, plan, project};
use crate::draft::{CULTURES, Draft, MARKER};

use super::checker::{Checker, Counts, Request, version_of};
use super::cluster::{Cluster, get};
use super::expected::{Page, Query};
use super::second_tier::Tier;

/// The number of lookup processes.
const PROCESSES: usize = 3;
/// The size of the cache of a process, in bytes.
const BYTES: u64 = 1 << 20;
/// Projectors and requests to the lookup at once.
const AT_ONCE: usize = 6;
const PROJECTORS_AT_ONCE: usize = 2;
/// The maximum number of invocations for one event.
const DELIVERIES: usize = 5;

/// Projectors crash, and the requests of half of them arrive late. Half of the steps are actions of the workload.
const FAULT_RATES: FaultRates = FaultRates {
    crash: 20,
    lost_zombie: 500,
    later: 400,
    ..FaultRates::NONE
};

/// The number of each action in a run.
const UPLOADS: usize = 12;
const RETRIES_RECEIVED: usize = 12;
const REPLICATIONS: usize = 42;
const PASSINGS_OF_TIME: usize = 30;
const DISTURBANCES: usize = 18;
const FAILURES_OF_FILES: usize = 10;
const REQUESTS: usize = 135;

/// The number of checks of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) counts: Counts,
    /// The number of versions that were served.
    pub(crate) versions: u64,
    pub(crate) crashes: u64,
}

struct Workload {
    cluster: RefCell<Cluster>,
    lookups: Vec<Rc<Lookup>>,
    tier: Tier,
    checker: RefCell<Checker>,
    /// The draft of each tenant, and the number of its uploads.
    drafts: RefCell<BTreeMap<&'static str, (Draft, u64)>>,
    /// The last ETag of each URL.
    etags: RefCell<BTreeMap<String, String>>,
    /// The tenants of the pages so far, and the pages.
    pages: RefCell<Vec<(&'static str, Page)>>,
    /// The requests that wait for a response.
    waiting: Cell<usize>,
    projectors: Cell<usize>,
    violation: Violation,
}

/// Runs a seed. Returns what it checked and the log of the run, or a violation.
pub(crate) async fn run(seed: u64, tier: Tier) -> Result<(Summary, String), String> {
    let has_crashes = !matches!(tier, Tier::Valkey(_));
    let workload = Rc::new(Workload::new(seed, tier));
    let transport = workload.cluster.borrow().world.transport.clone();
    if seed.is_multiple_of(5) {
        // No load ever writes an item, so that every answer comes from the files.
        transport.inject(When::always().operation("PutItem"), Fault::Refuse);
    }
    let fault_rates = FaultRates {
        // Requests of a crashed process stay late for up to half a minute, which under Valkey's clock is a real one.
        crash: if has_crashes { FAULT_RATES.crash } else { 0 },
        ..FAULT_RATES
    };
    let interleaving = Interleaving::new(seed).fault_rates(fault_rates).at_once(AT_ONCE);
    let account = interleaving.run(&transport, |scenario| {
        let observed = Rc::clone(&workload);
        scenario.always(move || {
            observed.cluster.borrow_mut().observe();
            Ok(())
        });
        plan(scenario, UPLOADS, &workload, Workload::upload);
        plan(scenario, RETRIES_RECEIVED, &workload, Workload::receive_retries);
        plan(scenario, REPLICATIONS, &workload, Workload::replicate);
        plan(scenario, PASSINGS_OF_TIME, &workload, Workload::pass_time);
        plan(scenario, DISTURBANCES, &workload, Workload::disturb_tier);
        plan(scenario, FAILURES_OF_FILES, &workload, Workload::fail_files);
        plan(scenario, REQUESTS, &workload, Workload::request);
    });
    let account = Box::pin(account).await;
    if let Some(violation) = workload.violation.get() {
        return Err(format!("PROVE_SEED={seed}: {violation}\n{account}"));
    }
    let cluster = workload.cluster.borrow();
    let served = cluster.versions.values();
    let summary = Summary {
        counts: workload.checker.borrow().counts,
        versions: served.map(|versions| versions.served.len() as u64).sum(),
        crashes: account.crashes() as u64,
    };
    Ok((summary, account.to_string()))
}

impl Workload {
    fn new(seed: u64, tier: Tier) -> Self {
        let mut rng = Rng::with_seed(seed);
        let tenants: &[&'static str] = if rng.u8(0..4) == 0 {
            &[ACME, GLOBEX]
        } else {
            &[ACME]
        };
        let mut cluster = Cluster::new(tenants);
        let lags = [Lag::Nothing, Lag::Index, Lag::Everything, Lag::Everything];
        cluster.start_replica(lags[rng.usize(0..4)]);
        let lookups = (0..PROCESSES).map(|number| {
            let skew = if rng.bool() { 0 } else { rng.i64(-1_000..=1_000) };
            let clock = Arc::new(cluster.world.clock(skew));
            // The last process has no second tier.
            let client = if number == 2 { None } else { tier.client(clock) };
            Rc::new(cluster.lookup(&lookup_actor(number), skew, BYTES, client))
        });
        let lookups = lookups.collect();
        let first = Draft::of(&[(1, &[(1, 0), (2, 1), (3, 0)]), (2, &[(4, 0), (5, 4), (6, 4)])]);
        let drafts = tenants
            .iter()
            .map(|tenant| (*tenant, (first.edited(&mut rng), 0)));
        Self {
            drafts: RefCell::new(drafts.collect()),
            cluster: RefCell::new(cluster),
            lookups,
            tier,
            checker: RefCell::default(),
            etags: RefCell::default(),
            pages: RefCell::default(),
            waiting: Cell::new(0),
            projectors: Cell::new(0),
            violation: Violation::default(),
        }
    }

    /// Uploads the edited draft of a tenant and delivers the event.
    fn upload<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        if self.projectors.get() >= PROJECTORS_AT_ONCE {
            return;
        }
        let mut drafts = self.drafts.borrow_mut();
        let tenant = *scenario.rng().choice(drafts.keys()).unwrap();
        let (draft, uploads) = drafts.get_mut(tenant).unwrap();
        *uploads += 1;
        *draft = draft.edited(scenario.rng());
        draft.mark(*uploads);
        let event = self.cluster.borrow_mut().upload(tenant, &draft.file());
        self.deliver(scenario, event);
    }

    /// Delivers the messages of the retry queue.
    fn receive_retries<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let messages = self.cluster.borrow().world.sqs.take(RETRIES);
        for message in messages {
            self.deliver(scenario, sqs_event(RETRIES, &[message]));
        }
    }

    /// Starts an invocation of the projector that AWS repeats; one in four has less than two seconds.
    fn deliver<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>, event: Value) {
        let ms = (scenario.rng().u8(0..4) == 0).then(|| scenario.rng().u64(1..2_000));
        let workload = Rc::clone(self);
        let invocation = move |actor: &str| {
            let cluster = workload.cluster.borrow();
            let world = cluster.world.acting_as(actor);
            let deadline = ms.map_or(Deadline::NONE, |ms| cluster.deadline_in(ms));
            let (event, running) = (event.clone(), Running::new(&workload));
            async move {
                let succeeded = project(&world, event, deadline).await;
                drop(running);
                succeeded
            }
        };
        scenario.deliver("projector", DELIVERIES - 1, |succeeded| !succeeded, invocation);
    }

    /// Lets some writes reach the replica.
    fn replicate<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let writes = [1, 3, 10, 50][scenario.rng().usize(0..4)];
        self.cluster.borrow_mut().replicate(scenario.rng(), writes);
    }

    /// Lets time pass; much of it only while no request waits for a response.
    fn pass_time<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let rng = scenario.rng();
        let is_calm = self.waiting.get() == 0;
        let ms = match rng.u8(0..10) {
            0..=3 => rng.u64(0..200),
            4 | 5 => rng.u64(200..1_500),
            6 => [1_999, 2_000, 2_001][rng.usize(0..3)],
            7 if is_calm => rng.u64(2_000..30_000),
            8 | 9 if is_calm => rng.u64(58_000..180_000),
            _ => rng.u64(0..1_500),
        };
        self.cluster.borrow_mut().pass(ms);
        scenario.note(&format!("{ms} ms pass"));
    }

    fn disturb_tier<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let is_update = self.tier.disturb(scenario.rng(), &self.cluster.borrow());
        if is_update {
            let workload = Rc::clone(self);
            scenario.start("caches", move |_| async move {
                let world = workload.cluster.borrow().world.clone();
                if let Tier::Valkey(valkey) = &workload.tier {
                    valkey.update(&world).await;
                }
                true
            });
        }
    }

    /// Lets some of the next reads of index files fail, fewer or more than the SDK repeats.
    fn fail_files<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let (times, fault) = (scenario.rng().usize(1..=8), scenario.rng().usize(0..4));
        let reads = When::nth(1).operation("GetObject").containing(".index");
        let faults = [
            Fault::DropBeforeSend,
            Fault::AnswerLost,
            Fault::ServerErrorAfterApply,
            Fault::Throttle,
        ];
        let transport = self.cluster.borrow().world.transport.clone();
        transport.inject(reads.times(times), faults[fault]);
    }

    /// Sends a request to a lookup process, and checks the response.
    fn request<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let mut request = self.draw_request(scenario.rng());
        let process = scenario.rng().usize(..self.lookups.len());
        let (workload, lookup) = (Rc::clone(self), self.lookups[process].clone());
        let actor = lookup_actor(process);
        scenario.request(&actor.clone(), move || async move {
            request.began = workload.cluster.borrow().world.now_ms();
            let exchanges = workload.cluster.borrow().world.exchanges();
            let sent = exchanges.len();
            let event = get(
                &request.path(),
                &request.query(),
                request.if_none_match.as_deref(),
            );
            workload.waiting.set(workload.waiting.get() + 1);
            let response = Box::pin(lookup.answer(&event)).await;
            workload.waiting.set(workload.waiting.get() - 1);
            let mut since = exchanges.since(sent).into_iter();
            request.is_file_unread =
                since.any(|sent| sent.actor.as_ref() == Some(&actor) && sent.fault.is_some());
            workload.check(&request, &response);
            true
        });
    }

    fn draw_request(&self, rng: &mut Rng) -> Request {
        let tenant = *rng.choice(self.drafts.borrow().keys()).unwrap();
        let id = |rng: &mut Rng| if rng.u8(0..6) == 0 { MARKER } else { rng.u64(1..=9) };
        let query = match rng.u8(0..14) {
            0 => Query::Tenant,
            1..=4 => Query::Term(id(rng)),
            5..=7 => Query::Terms((0..rng.usize(1..=4)).map(|_| id(rng)).collect()),
            8 | 9 => Query::Category(rng.u64(1..=5)),
            _ => {
                let pages = self.pages.borrow();
                let pages = pages.iter().filter(|(of, _)| *of == tenant);
                let after = rng.choice(pages.collect::<Vec<_>>());
                let after = after.filter(|_| rng.u8(0..3) == 0);
                let after = after.map(|(_, page)| page.clone());
                Query::Categories([1, 2, 3, 50][rng.usize(0..4)], after)
            }
        };
        let has_culture = query != Query::Tenant && rng.u8(0..3) == 0;
        let mut request = Request {
            tenant,
            query,
            culture: has_culture.then(|| CULTURES[rng.usize(0..2)]),
            if_none_match: None,
            began: 0,
            is_file_unread: false,
        };
        let etags = self.etags.borrow();
        let known = etags.get(&format!("{}?{}", request.path(), request.query()));
        request.if_none_match = known.filter(|_| rng.u8(0..3) == 0).cloned();
        request
    }

    /// Checks a response, and records its ETag and cursor for later requests.
    fn check(&self, request: &Request, response: &Response) {
        let mut cluster = self.cluster.borrow_mut();
        cluster.observe();
        let versions = &cluster.versions[request.tenant];
        let checked = self.checker.borrow_mut().check(versions, request, response);
        if let Err(violation) = checked {
            self.violation.add(violation);
            return;
        }
        if let Some(etag) = response.headers.get("etag") {
            let url = format!("{}?{}", request.path(), request.query());
            self.etags.borrow_mut().insert(url, etag.to_string());
        }
        if matches!(request.query, Query::Categories(..)) && response.status_code == 200 {
            let body: Value = serde_json::from_str(&response.body).unwrap();
            let last = body["items"].as_array().and_then(|items| items.last());
            if let (Some(cursor), Some(last)) = (body["nextCursor"].as_str(), last) {
                let (version, _) = version_of(&response.headers["etag"]).unwrap();
                let (last, cursor) = (last["id"].as_u64().unwrap(), cursor.to_owned());
                let page = Page {
                    version,
                    last,
                    cursor,
                };
                self.pages.borrow_mut().push((request.tenant, page));
            }
        }
    }
}

/// Counts a projector from its start to its end, also if it crashes.
struct Running(Rc<Workload>);

impl Running {
    fn new(workload: &Rc<Workload>) -> Self {
        workload.projectors.set(workload.projectors.get() + 1);
        Self(Rc::clone(workload))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.projectors.set(self.0.projectors.get() - 1);
    }
}

fn lookup_actor(process: usize) -> String {
    format!("lookup-{process}")
}
