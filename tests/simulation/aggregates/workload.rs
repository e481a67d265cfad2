//! The stream of a seed: shards of a few tenants each, cut into random batches and delivered to processes that crash, are throttled, receive
//! no answer or report partial failures; batches that are delivered again, from long ago or during the first delivery; records that come alone
//! and out of order, or never; and every request late, perhaps later than its sender lives.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use fastrand::Rng;
use taxonomy_store::Table;
use taxonomy_testkit::{FaultRates, Interleaving, Scenario};
use taxonomy_tests::prelude::*;
use taxonomy_versioning::AggregateUpdater;

use crate::actors::{self, Violation, aggregate_deferred, aggregate_records};

use super::checker::{Delivery, Invariants, WrongItem, check_messages, wrong_items};
use super::history::{History, Record, TENANTS};

/// The maximum number of repetitions of a shard's poll; the records that are left are then delivered without faults.
const DELIVERIES: usize = 60;

/// The events and faults of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    shards: usize,
    at_once: usize,
    fault_rates: FaultRates,
    /// Batches that are delivered again while others are being processed.
    redeliveries: usize,
    /// The number of times that the event source mapping is created again and begins at `TRIM_HORIZON`.
    restarts: usize,
    /// Records that are delivered alone, in any order.
    strays: usize,
    /// The rate at which a batch loses its first records, per mille.
    lost: u32,
    /// Times that a message of the deferred queue is delivered during the run; the messages that are left are delivered without faults.
    retries: usize,
}

impl Plan {
    /// Delivers every record once, in order, without faults.
    pub(crate) const FAULTLESS: Self = Self {
        shards: 1,
        at_once: 1,
        fault_rates: FaultRates::NONE,
        redeliveries: 0,
        restarts: 0,
        strays: 0,
        lost: 0,
        retries: 0,
    };

    pub(crate) fn drawn(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let some = |rng: &mut Rng, most: usize| if rng.bool() { rng.usize(..=most) } else { 0 };
        let shards = rng.usize(1..=3);
        Self {
            shards,
            at_once: rng.usize(1..=4),
            fault_rates: match rng.u8(..6) {
                0 => FaultRates::NONE,
                // Nothing fails, but much is late.
                1 | 2 => FaultRates {
                    stall: 400,
                    ..FaultRates::NONE
                },
                3 => FaultRates {
                    stale_read: 200,
                    ..FaultRates::ROUGH
                },
                _ => FaultRates::ROUGH,
            },
            redeliveries: some(&mut rng, 4),
            restarts: some(&mut rng, 2),
            strays: some(&mut rng, 4),
            lost: if rng.u8(..4) == 0 { 200 } else { 0 },
            retries: rng.usize(0..=4),
        }
    }
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first violation of an invariant.
    pub(crate) violation: Option<String>,
    /// The items that are wrong at the end.
    pub(crate) wrong: Vec<WrongItem>,
    /// The check of the messages.
    pub(crate) messages: Result<(), String>,
    /// The number of records in all deliveries.
    pub(crate) records: usize,
    pub(crate) crashes: usize,
    pub(crate) account: String,
}

struct Shard {
    records: Vec<Record>,
    /// The number of records that are done.
    at: usize,
    /// The number of the event source mapping: batches of an older one move nothing.
    mapping: usize,
    /// The largest batch: half of a batch that failed.
    most: usize,
    is_polled: bool,
}

/// A batch of a shard.
#[derive(Debug, Clone, Copy)]
struct Cut {
    shard: usize,
    mapping: usize,
    from: usize,
    to: usize,
}

struct Workload<'h> {
    world: World,
    history: &'h History,
    shards: RefCell<Vec<Shard>>,
    plan: Plan,
    rng: RefCell<Rng>,
    invariants: RefCell<Invariants<'h>>,
    violation: Violation,
    delivery: RefCell<Delivery>,
    records: Cell<usize>,
}

/// Runs a seed.
pub(crate) async fn run(plan: Plan, history: &History, seed: u64) -> Run {
    let workload = Rc::new(Workload::new(plan, history, seed).await);
    let interleaving = Interleaving::new(seed)
        .fault_rates(plan.fault_rates)
        .at_once(plan.at_once);
    let account = interleaving.run(&workload.world.transport, |scenario| {
        let checked = Rc::clone(&workload);
        scenario.always(move || {
            checked.check();
            Ok(())
        });
        if plan.fault_rates.stale_read > 0 {
            scenario.replicate(&workload.world.db);
        }
        for shard in 0..plan.shards {
            workload.poll(scenario, shard);
        }
        let redeliver = Workload::redeliver;
        actors::plan(scenario, plan.redeliveries, &workload, redeliver);
        actors::plan(scenario, plan.restarts, &workload, Workload::restart);
        actors::plan(scenario, plan.strays, &workload, Workload::deliver_stray);
        actors::plan(scenario, plan.retries, &workload, Workload::retry_deferred);
    });
    let account = Box::pin(account).await;
    workload.world.db.drop_replica();
    Box::pin(workload.finish()).await;
    Run {
        violation: workload.violation.get(),
        wrong: wrong_items(&workload.world, history),
        messages: check_messages(&workload.world, history, &workload.delivery.borrow()),
        records: workload.records.get(),
        crashes: account.crashes(),
        account: format!("{plan:?}\n{account}"),
    }
}

impl<'h> Workload<'h> {
    async fn new(plan: Plan, history: &'h History, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0xA66);
        let shard_of = TENANTS.map(|_| rng.usize(..plan.shards));
        let shard = |number| {
            let records = history.records.iter();
            let records = records.filter(|record| shard_of[record.tenant] == number);
            Shard {
                records: records.cloned().collect(),
                at: 0,
                mapping: 0,
                most: usize::MAX,
                is_polled: false,
            }
        };
        Self {
            world: history.world().await,
            history,
            shards: RefCell::new((0..plan.shards).map(shard).collect()),
            plan,
            rng: RefCell::new(rng),
            invariants: RefCell::new(Invariants::new(history)),
            violation: Violation::default(),
            delivery: RefCell::new(Delivery {
                is_ordered: true,
                ..Delivery::default()
            }),
            records: Cell::new(0),
        }
    }

    /// Records the first violation; the run continues, as the service would.
    fn check(&self) {
        let check = || self.invariants.borrow_mut().check(&self.world);
        self.violation.check(check);
    }

    /// Delivers batch after batch to the end of a shard, from its present position.
    fn poll<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>, shard: usize)
    where
        'h: 'a,
    {
        let workload = Rc::clone(self);
        workload.shards.borrow_mut()[shard].is_polled = true;
        let invocation = move |actor: &str| {
            let (workload, world) = (Rc::clone(&workload), workload.world.acting_as(actor));
            let cut = workload.cut(shard);
            async move {
                let done = workload.invoke(&world, cut.from..cut.to, shard).await;
                workload.advance(cut, done)
            }
        };
        scenario.deliver(&format!("shard-{shard}"), DELIVERIES, |more| *more, invocation);
    }

    /// Returns the next batch; records before it may be lost.
    fn cut(&self, shard: usize) -> Cut {
        let (mut rng, mut shards) = (self.rng.borrow_mut(), self.shards.borrow_mut());
        let Shard {
            records,
            at,
            mapping,
            most,
            ..
        } = &mut shards[shard];
        if rng.u32(..1000) < self.plan.lost && *at < records.len() {
            let lost = rng.usize(1..=records.len() - *at);
            let mut delivery = self.delivery.borrow_mut();
            for record in &records[*at..*at + lost] {
                let lost = record.committed.map(|version| (record.tenant, version));
                delivery.lost.extend(lost);
                delivery.lost_refusals.extend(record.refused.clone());
            }
            // A request of a process whose batch is given up may arrive after those of the next batch.
            delivery.is_ordered = false;
            *at += lost;
        }
        let left = records.len() - *at;
        let size = rng.usize(0..=left.min(*most)).max(1).min(left);
        Cut {
            shard,
            mapping: *mapping,
            from: *at,
            to: *at + size,
        }
    }

    /// Delivers a batch of a shard. Returns the number of records that are done.
    async fn invoke(&self, world: &World, range: Range<usize>, shard: usize) -> usize {
        let batch = self.shards.borrow()[shard].records[range].to_vec();
        self.records.set(self.records.get() + batch.len());
        deliver(world, &batch).await
    }

    /// Advances behind the records that are done, unless the mapping is a new one. Returns whether there are more.
    fn advance(&self, cut: Cut, done: usize) -> bool {
        let mut shards = self.shards.borrow_mut();
        let shard = &mut shards[cut.shard];
        if shard.mapping == cut.mapping {
            let size = cut.to - cut.from;
            shard.at = cut.from + done;
            shard.most = if done < size {
                (size / 2).max(1)
            } else {
                usize::MAX
            };
        }
        let more = shard.at < shard.records.len();
        shard.is_polled &= more;
        more
    }

    /// Delivers a batch again that ends before or at the present position, or the one that is being processed.
    fn redeliver<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>)
    where
        'h: 'a,
    {
        let shard = scenario.rng().usize(..self.plan.shards);
        let (at, len) = {
            let shard = &self.shards.borrow()[shard];
            (shard.at, shard.records.len())
        };
        let from = scenario.rng().usize(..=at);
        let to = scenario.rng().usize(from..=(at + 2).min(len).max(from));
        if to > at + 1 {
            self.delivery.borrow_mut().is_ordered = false;
        }
        self.start(scenario, "again", shard, from..to);
    }

    fn start<'a>(
        self: &Rc<Self>,
        scenario: &mut Scenario<'a, bool>,
        name: &str,
        shard: usize,
        range: Range<usize>,
    ) where
        'h: 'a,
    {
        let workload = Rc::clone(self);
        scenario.start(name, move |actor| {
            let world = workload.world.acting_as(actor);
            async move { workload.invoke(&world, range, shard).await > 0 }
        });
    }

    /// Begins a shard again at the horizon of the stream.
    fn restart<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>)
    where
        'h: 'a,
    {
        let number = scenario.rng().usize(..self.plan.shards);
        let is_polled = {
            let shard = &mut self.shards.borrow_mut()[number];
            (shard.at, shard.mapping) = (0, shard.mapping + 1);
            shard.is_polled
        };
        scenario.note(&format!("shard-{number} begins again"));
        if !is_polled {
            self.poll(scenario, number);
        }
    }

    /// Delivers any one record.
    fn deliver_stray<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>)
    where
        'h: 'a,
    {
        let number = scenario.rng().usize(..self.plan.shards);
        let len = self.shards.borrow()[number].records.len();
        if len > 0 {
            let at = scenario.rng().usize(..len);
            self.delivery.borrow_mut().is_ordered = false;
            self.start(scenario, "stray", number, at..at + 1);
        }
    }

    /// Delivers the first message of the deferred queue, if there is one, and deletes it once it is acknowledged.
    fn retry_deferred<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>)
    where
        'h: 'a,
    {
        let Some(message) = self.world.sqs.messages(DEFERRED).into_iter().next() else {
            return;
        };
        let workload = Rc::clone(self);
        scenario.start("deferred", move |actor| {
            let world = workload.world.acting_as(actor);
            async move { aggregate_deferred(&world, message).await }
        });
    }

    /// Delivers the records and messages that are left, without faults. A tenant whose newest record was lost is repaired as an operator
    /// would.
    async fn finish(&self) {
        self.check();
        for number in 0..self.plan.shards {
            let left = {
                let shard = &self.shards.borrow()[number];
                shard.at..shard.records.len()
            };
            let done = self.invoke(&self.world, left.clone(), number).await;
            if done < left.len() {
                self.violation.add("a delivery without faults failed".to_owned());
            }
            self.check();
        }
        self.world.drain_deferred(100).await;
        if self.world.exchanges().count("SendMessage") > 0 {
            // A deferred record may be published after later ones of its tenant.
            self.delivery.borrow_mut().is_ordered = false;
        }
        if !self.world.parked().is_empty() {
            let parked = format!("parked although nothing is damaged: {:?}", self.world.parked());
            self.violation.add(parked);
        }
        let lost = self.delivery.borrow().lost.clone();
        for (tenant, past) in self.history.pasts.iter().enumerate() {
            if lost.contains(&(tenant, past.newest)) {
                repair(&self.world, &past.tenant, past.newest).await;
            }
        }
        self.check();
    }
}

/// Delivers a batch to a new process. Returns the number of records before the first failed one.
pub(crate) async fn deliver(world: &World, records: &[Record]) -> usize {
    let records: Vec<Value> = records.iter().map(|record| record.json.clone()).collect();
    aggregate_records(world, &records).await
}

/// Repairs the aggregates of a tenant whose last record was lost.
async fn repair(world: &World, tenant: &str, version: u64) {
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let updater = AggregateUpdater::new(Table::new(world.db.client(), TABLE), archive);
    let version = Version::new(version).unwrap();
    updater.advance(&tenant.parse().unwrap(), version).await.unwrap();
}
