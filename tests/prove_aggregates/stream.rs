//! The stream by a seed: shards of a few tenants each, cut into batches at random, delivered to processes that die, are throttled, hear
//! no answer or answer that not everything was done; the same again, from long ago or in the middle of it; records that come alone and
//! out of order, or never; and every request late, perhaps later than its sender lives.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use aggregator::Batch;
use fastrand::Rng;
use serde_json::{Value, json};
use taxonomy_keys::Version;
use taxonomy_protocol::{Deadline, Tally};
use taxonomy_store::{Archive, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Chances, Interleaving, Stage};
use taxonomy_tests::world::{DEFERRED, World};

use crate::history::{History, Record, TENANTS};
use crate::judge::{Told, Watch, Wrong, told, wrong};

/// A shard is asked for at most so often; whatever is left then comes without trouble.
const DELIVERIES: usize = 60;

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weather {
    shards: usize,
    at_once: usize,
    chances: Chances,
    /// Batches that come again while others are under way.
    again: usize,
    /// The mapping of the stream is made anew and begins at its horizon.
    horizons: usize,
    /// Records that come alone, whichever they are.
    strays: usize,
    /// A batch loses its first records, per mille.
    lost: u32,
    /// Looks into the deferred queue while batches are under way; what is left there then comes without trouble.
    retries: usize,
}

impl Weather {
    /// Every record once, in order, and nothing goes wrong.
    pub(crate) const FAIR: Self = Self {
        shards: 1,
        at_once: 1,
        chances: Chances::NONE,
        again: 0,
        horizons: 0,
        strays: 0,
        lost: 0,
        retries: 0,
    };

    fn drawn(rng: &mut Rng) -> Self {
        let some = |rng: &mut Rng, most: usize| if rng.bool() { rng.usize(..=most) } else { 0 };
        let shards = rng.usize(1..=3);
        Self {
            shards,
            at_once: rng.usize(1..=4),
            chances: match rng.u8(..6) {
                0 => Chances::NONE,
                // Hardly anything fails, but much is late.
                1 | 2 => Chances {
                    stall: 400,
                    ..Chances::NONE
                },
                3 => Chances {
                    stale_read: 200,
                    ..Chances::ROUGH
                },
                _ => Chances::ROUGH,
            },
            again: some(rng, 4),
            horizons: some(rng, 2),
            strays: some(rng, 4),
            lost: if rng.u8(..4) == 0 { 200 } else { 0 },
            retries: rng.usize(0..=4),
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first thing that was wrong on the way.
    pub(crate) violation: Option<String>,
    /// What is not stored as it should be.
    pub(crate) wrong: Vec<Wrong>,
    pub(crate) told: Result<(), String>,
    /// Deliveries of a record.
    pub(crate) records: usize,
    pub(crate) crashes: usize,
    pub(crate) account: String,
}

struct Shard {
    records: Vec<Record>,
    /// How many of them are done.
    at: usize,
    /// Counts the mappings: what an older one did moves nothing any more.
    mapping: usize,
    /// The last batch failed and is cut in two.
    most: usize,
    is_polled: bool,
}

/// A batch of a shard's mapping.
#[derive(Debug, Clone, Copy)]
struct Cut {
    shard: usize,
    mapping: usize,
    from: usize,
    to: usize,
}

struct Case<'h> {
    world: World,
    history: &'h History,
    shards: RefCell<Vec<Shard>>,
    weather: Weather,
    rng: RefCell<Rng>,
    watch: RefCell<Watch<'h>>,
    violation: RefCell<Option<String>>,
    told: RefCell<Told>,
    records: Cell<usize>,
}

/// Runs a seed, in any weather.
pub(crate) async fn run(history: &History, seed: u64) -> Run {
    let weather = Weather::drawn(&mut Rng::with_seed(seed));
    run_in(weather, history, seed).await
}

pub(crate) async fn run_in(weather: Weather, history: &History, seed: u64) -> Run {
    let mut rng = Rng::with_seed(seed ^ 0xA66);
    let shard_of = TENANTS.map(|_| rng.usize(..weather.shards));
    let shard = |number| Shard {
        records: history
            .records
            .iter()
            .filter(|record| shard_of[record.tenant] == number)
            .cloned()
            .collect(),
        at: 0,
        mapping: 0,
        most: usize::MAX,
        is_polled: false,
    };
    let case = Rc::new(Case {
        world: history.world().await,
        history,
        shards: RefCell::new((0..weather.shards).map(shard).collect()),
        weather,
        rng: RefCell::new(rng),
        watch: RefCell::new(Watch::new(history)),
        violation: RefCell::default(),
        told: RefCell::new(Told {
            is_ordered: true,
            ..Told::default()
        }),
        records: Cell::new(0),
    });
    let interleaving = Interleaving::new(seed)
        .chances(weather.chances)
        .at_once(weather.at_once);
    let account = interleaving.run(&case.world.wire, |stage| {
        let watching = Rc::clone(&case);
        stage.always(move || {
            watching.look();
            Ok(())
        });
        if weather.chances.stale_read > 0 {
            stage.replicate(&case.world.db);
        }
        for shard in 0..weather.shards {
            case.poll(stage, shard);
        }
        for _ in 0..weather.again {
            let case = Rc::clone(&case);
            stage.later(move |stage| case.again(stage));
        }
        for _ in 0..weather.horizons {
            let case = Rc::clone(&case);
            stage.later(move |stage| case.horizon(stage));
        }
        for _ in 0..weather.strays {
            let case = Rc::clone(&case);
            stage.later(move |stage| case.stray(stage));
        }
        for _ in 0..weather.retries {
            let case = Rc::clone(&case);
            stage.later(move |stage| case.retry(stage));
        }
    });
    let account = Box::pin(account).await;
    case.world.db.drop_replica();
    Box::pin(case.finish()).await;
    Run {
        violation: case.violation.take(),
        wrong: wrong(&case.world, history),
        told: told(&case.world, history, &case.told.borrow()),
        records: case.records.get(),
        crashes: account.crashes(),
        account: format!("{weather:?}\n{account}"),
    }
}

impl<'h> Case<'h> {
    /// Notes the first thing that is wrong; the run goes on, as the world would.
    fn look(&self) {
        if self.violation.borrow().is_none() {
            let seen = self.watch.borrow_mut().step(&self.world);
            *self.violation.borrow_mut() = seen.err();
        }
    }

    /// Batch after batch until the end of a shard, from wherever it stands.
    fn poll<'a>(self: &Rc<Self>, stage: &mut Stage<'a, bool>, shard: usize)
    where
        'h: 'a,
    {
        let case = Rc::clone(self);
        case.shards.borrow_mut()[shard].is_polled = true;
        let invocation = move |actor: &str| {
            let (case, world) = (Rc::clone(&case), case.acting_as(actor));
            let cut = case.cut(shard);
            async move {
                let done = case.invoke(&world, cut.from..cut.to, shard).await;
                case.note(cut, done)
            }
        };
        stage.deliver(&format!("shard-{shard}"), DELIVERIES, |more| *more, invocation);
    }

    /// The next batch; records before it may be lost.
    fn cut(&self, shard: usize) -> Cut {
        let (mut rng, mut shards) = (self.rng.borrow_mut(), self.shards.borrow_mut());
        let Shard {
            records,
            at,
            mapping,
            most,
            ..
        } = &mut shards[shard];
        if rng.u32(..1000) < self.weather.lost && *at < records.len() {
            let lost = rng.usize(1..=records.len() - *at);
            let mut told = self.told.borrow_mut();
            for record in &records[*at..*at + lost] {
                let lost = record.projected.map(|projected| (record.tenant, projected.to));
                told.lost.extend(lost);
                told.lost_refusals.extend(record.refused.clone());
            }
            // What a process had on the wire whose record is given up may arrive after what comes next.
            told.is_ordered = false;
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

    /// A batch of a shard: how many of its records are done.
    async fn invoke(&self, world: &World, range: std::ops::Range<usize>, shard: usize) -> usize {
        let batch = self.shards.borrow()[shard].records[range].to_vec();
        self.records.set(self.records.get() + batch.len());
        deliver(world, &batch).await
    }

    /// Moves on behind what is done, where nothing began anew meanwhile. Whether there is more.
    fn note(&self, cut: Cut, done: usize) -> bool {
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

    /// Some batch up to where a shard stands, or the one that is under way now, in other hands.
    fn again<'a>(self: &Rc<Self>, stage: &mut Stage<'a, bool>)
    where
        'h: 'a,
    {
        let shard = stage.rng().usize(..self.weather.shards);
        let (at, len) = {
            let shard = &self.shards.borrow()[shard];
            (shard.at, shard.records.len())
        };
        let from = stage.rng().usize(..=at);
        let to = stage.rng().usize(from..=(at + 2).min(len).max(from));
        if to > at + 1 {
            self.told.borrow_mut().is_ordered = false;
        }
        self.apart(stage, "again", shard, from..to);
    }

    fn apart<'a>(
        self: &Rc<Self>,
        stage: &mut Stage<'a, bool>,
        name: &str,
        shard: usize,
        range: std::ops::Range<usize>,
    ) where
        'h: 'a,
    {
        let case = Rc::clone(self);
        stage.start(name, move |actor| {
            let world = case.acting_as(actor);
            async move { case.invoke(&world, range, shard).await > 0 }
        });
    }

    /// A shard begins anew.
    fn horizon<'a>(self: &Rc<Self>, stage: &mut Stage<'a, bool>)
    where
        'h: 'a,
    {
        let number = stage.rng().usize(..self.weather.shards);
        let is_polled = {
            let shard = &mut self.shards.borrow_mut()[number];
            (shard.at, shard.mapping) = (0, shard.mapping + 1);
            shard.is_polled
        };
        stage.note(&format!("shard-{number} begins anew"));
        if !is_polled {
            self.poll(stage, number);
        }
    }

    /// One record, whichever.
    fn stray<'a>(self: &Rc<Self>, stage: &mut Stage<'a, bool>)
    where
        'h: 'a,
    {
        let number = stage.rng().usize(..self.weather.shards);
        let len = self.shards.borrow()[number].records.len();
        if len > 0 {
            let at = stage.rng().usize(..len);
            self.told.borrow_mut().is_ordered = false;
            self.apart(stage, "stray", number, at..at + 1);
        }
    }

    /// Tries a message of the deferred queue, if there is one; it is deleted once it is acknowledged.
    fn retry<'a>(self: &Rc<Self>, stage: &mut Stage<'a, bool>)
    where
        'h: 'a,
    {
        let Some(message) = self.world.sqs.messages(DEFERRED).into_iter().next() else {
            return;
        };
        let case = Rc::clone(self);
        stage.start("deferred", move |actor| {
            let world = case.acting_as(actor);
            async move {
                let batch: Batch =
                    serde_json::from_value(sqs_event(DEFERRED, std::slice::from_ref(&message))).unwrap();
                let response = Box::pin(world.aggregator().handle(batch, Deadline::NONE)).await;
                let is_acknowledged = response.batch_item_failures.is_empty();
                if is_acknowledged {
                    world.sqs.delete(DEFERRED, &message);
                }
                is_acknowledged
            }
        });
    }

    /// What is left comes without trouble. Where nothing later of a tenant comes, an operator looks after it.
    async fn finish(&self) {
        self.look();
        for number in 0..self.weather.shards {
            let left = {
                let shard = &self.shards.borrow()[number];
                shard.at..shard.records.len()
            };
            let done = self.invoke(&self.world, left.clone(), number).await;
            if done < left.len() {
                let mut violation = self.violation.borrow_mut();
                violation.get_or_insert_with(|| "a clean delivery failed".to_owned());
            }
            self.look();
        }
        self.world.drain_deferred(100).await;
        if self.world.exchanges().count("SendMessage") > 0 {
            // A deferred record may be published after the tenant's later ones.
            self.told.borrow_mut().is_ordered = false;
        }
        if !self.world.parked().is_empty() {
            let parked = format!("parked although nothing is damaged: {:?}", self.world.parked());
            self.violation.borrow_mut().get_or_insert(parked);
        }
        let lost = self.told.borrow().lost.clone();
        for (tenant, past) in self.history.pasts.iter().enumerate() {
            if lost.contains(&(tenant, past.newest)) {
                heal(&self.world, &past.tenant, past.newest).await;
            }
        }
        self.look();
    }

    /// The same world, with whose clients an actor at the gate works.
    fn acting_as(&self, actor: &str) -> World {
        let mut world = self.world.clone();
        world.db = world.db.acting_as(actor);
        world.s3 = world.s3.acting_as(actor);
        world.sns = world.sns.acting_as(actor);
        world.sqs = world.sqs.acting_as(actor);
        world
    }
}

/// A batch and a new process: how many of its records are done.
pub(crate) async fn deliver(world: &World, records: &[Record]) -> usize {
    let events: Vec<&Value> = records.iter().map(|record| &record.json).collect();
    let batch: Batch = serde_json::from_value(json!({ "Records": events })).unwrap();
    let response = Box::pin(world.aggregator().handle(batch, Deadline::NONE)).await;
    let failed = response.batch_item_failures.iter();
    let failed = failed.filter_map(|failed| {
        let is_it = |event: &&Value| {
            event["dynamodb"]["SequenceNumber"].as_str() == failed.item_identifier.as_deref()
        };
        events.iter().position(is_it)
    });
    failed.min().unwrap_or(records.len())
}

/// What an operator does about a record that is lost for ever.
async fn heal(world: &World, tenant: &str, version: u64) {
    let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
    let tally = Tally::new(Table::new(world.db.client(), TABLE), archive);
    let version = Version::new(version).unwrap();
    tally.advance(&tenant.parse().unwrap(), version).await.unwrap();
}
