//! A seed's worth of trouble: uploads at random moments, their events delivered once, twice or never, a few processes at once, every
//! request of which the seed may break, hold back or lose, and operators in between.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fastrand::Rng;
use serde_json::{Value, json};
use taxonomy_keys::Version;
use taxonomy_model::Provenance;
use taxonomy_protocol::Deadline;
use taxonomy_runtime::Clock;
use taxonomy_store::Configuration;
use taxonomy_testkit::fixtures::GLOBEX;
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Chances, Interleaving, Stage};
use taxonomy_tests::world::{TENANT, World};

use crate::chain::Upload;
use crate::files::{Stored, drawn, file, node, refused};
use crate::rest::{self, Last};
use crate::script::{QUEUE, notification, tenant};
use crate::watch::{Rules, Watch};

/// Everything that can go wrong on AWS goes wrong.
const CHANCES: Chances = Chances {
    stale_read: 20,
    ..Chances::ROUGH
};
/// Lambda invokes for one event at most so often.
const DELIVERIES: usize = 3;
/// One event in so many is lost on its way.
const LOST: u32 = 10;

/// Whether what was asked for is done.
type Done = bool;

/// What a run has in common; everything in it happens between two requests.
struct Storm {
    world: World,
    uploads: RefCell<Vec<Upload>>,
    /// What was put, to be put again.
    known: RefCell<Vec<Stored>>,
    /// Everything has names in both cultures, so that either can be the default.
    bilingual: bool,
    /// Some upload may have been heard of by nobody.
    lost: Cell<bool>,
    /// What nobody has worked off yet, as the messages that the retry queue gets if nobody does.
    open: RefCell<BTreeMap<usize, String>>,
    delivered: Cell<usize>,
    watch: RefCell<Watch>,
    violation: RefCell<Option<String>>,
}

/// Runs a seed. What goes wrong comes with the number that brings it back and the log of how it came to that.
pub(crate) async fn run(seed: u64, rules: Rules) -> Result<(), String> {
    let world = World::new();
    let other = file(&[node(1, "Sector", &[node(1, "IT", &[])])]);
    Box::pin(world.push(GLOBEX, other.to_string().as_bytes())).await;
    let neighbour = rest::neighbour(&world);
    let storm = Rc::new(Storm {
        watch: RefCell::new(Watch::new(&world, TENANT, rules)),
        world,
        uploads: RefCell::default(),
        known: RefCell::default(),
        bilingual: seed.is_multiple_of(3),
        lost: Cell::new(false),
        open: RefCell::default(),
        delivered: Cell::new(0),
        violation: RefCell::default(),
    });
    let operators = seed.is_multiple_of(4);
    let interleaving = Interleaving::new(seed).chances(CHANCES);
    let at_once = 2 + usize::try_from(seed % 3).unwrap();
    let account = interleaving.at_once(at_once).run(&storm.world.wire, |stage| {
        stage.replicate(&storm.world.db);
        let watching = Rc::clone(&storm);
        stage.always(move || {
            watching.look();
            Ok(())
        });
        for _ in 0..stage.rng().usize(2..=6) {
            let storm = Rc::clone(&storm);
            stage.later(move |stage| storm.upload(stage));
        }
        for _ in 0..stage.rng().usize(1..=4) {
            let storm = Rc::clone(&storm);
            stage.later(move |stage| storm.serve_queue(stage));
        }
        for _ in 0..stage.rng().usize(0..=3) {
            let storm = Rc::clone(&storm);
            stage.later(move |stage| storm.pass_and_sweep(stage));
        }
        if operators {
            for _ in 0..stage.rng().usize(1..=3) {
                let storm = Rc::clone(&storm);
                stage.later(move |stage| storm.operate(stage));
            }
        }
    });
    let account = Box::pin(account).await;
    let ended = Box::pin(storm.ends_well(operators, &neighbour)).await;
    ended.map_err(|wrong| format!("PROVE_SEED={seed}: {wrong}\n{account}"))
}

impl Storm {
    /// Notes the first thing that is wrong; the run goes on, as the world would.
    fn look(&self) {
        if self.violation.borrow().is_none() {
            let seen = self.watch.borrow_mut().step(&self.world);
            *self.violation.borrow_mut() = seen.err();
        }
    }

    /// Puts a file and delivers its event, or not.
    fn upload(self: &Rc<Self>, stage: &mut Stage<'_, Done>) {
        let (stored, is_valid) = self.draw(stage.rng());
        stored.put(&self.world);
        if is_valid {
            let upload = Upload::new(&stored.file, &stored.bytes);
            self.uploads.borrow_mut().push(upload);
        }
        stage.note(&format!("upload, valid {is_valid}: {}", stored.file));
        let event = notification(&self.world);
        if stage.rng().u32(..LOST) == 0 {
            self.lost.set(true);
            return;
        }
        let payload = json!({ "requestPayload": event }).to_string();
        self.deliver(stage, "event", event.clone(), payload.clone());
        for _ in 0..stage.rng().usize(0..=1) {
            let (storm, event, payload) = (Rc::clone(self), event.clone(), payload.clone());
            stage.later(move |stage| storm.deliver(stage, "duplicate", event, payload));
        }
    }

    /// A new file, plain or packed; now and then one that is refused, or bytes that were there before, perhaps under another label.
    fn draw(&self, rng: &mut Rng) -> (Stored, bool) {
        let mut known = self.known.borrow_mut();
        let kind = rng.u32(0..100);
        if kind < 8 {
            return (Stored::plain(&refused()), false);
        }
        if kind < 25
            && let Some(stored) = rng.choice(known.iter())
        {
            let stored = stored.clone();
            let stored = if rng.bool() { stored.mislabelled() } else { stored };
            let is_valid = stored.is_readable();
            return (stored, is_valid);
        }
        let file = drawn(rng, self.bilingual);
        let stored = if rng.u8(..3) == 0 {
            Stored::zipped(&file)
        } else {
            Stored::plain(&file)
        };
        known.push(stored.clone());
        (stored, true)
    }

    /// An invocation that Lambda repeats; one in four has hardly any time. `payload` is what the retry queue gets in the end.
    fn deliver(self: &Rc<Self>, stage: &mut Stage<'_, Done>, name: &str, event: Value, payload: String) {
        let number = self.delivered.get();
        self.delivered.set(number + 1);
        self.open.borrow_mut().insert(number, payload);
        let ticks = (stage.rng().u8(..4) == 0).then(|| stage.rng().u64(3..40));
        let storm = Rc::clone(self);
        let invocation = move |actor: &str| {
            let world = storm.acting_as(actor);
            let deadline = ticks.map_or(Deadline::NONE, |ticks| {
                let now = world.taxonomies().clock().now_ms();
                Deadline::of_invocation(now + Deadline::MARGIN_MS + ticks * 1000)
            });
            let (event, storm) = (event.clone(), Rc::clone(&storm));
            async move {
                let handled = Box::pin(world.projector().handle(event, deadline)).await;
                let done = handled.is_ok_and(|response| response.batch_item_failures.is_empty());
                if done {
                    storm.open.borrow_mut().remove(&number);
                }
                done
            }
        };
        stage.deliver(name, DELIVERIES - 1, |done| !done, invocation);
    }

    /// Whoever reads the retry queue takes what is there now.
    fn serve_queue(self: &Rc<Self>, stage: &mut Stage<'_, Done>) {
        for message in self.world.sqs.take_visible(QUEUE) {
            let body = message.body.clone();
            self.deliver(stage, "message", sqs_event(QUEUE, &[message]), body);
        }
    }

    /// Time passes, so that leases end and somebody counts as left behind; perhaps the sweep comes.
    fn pass_and_sweep(self: &Rc<Self>, stage: &mut Stage<'_, Done>) {
        self.world.pass(stage.rng().u64(30..1200));
        if stage.rng().bool() {
            let payload = json!({ "requestPayload": sweep() }).to_string();
            self.deliver(stage, "sweep", sweep(), payload);
        }
    }

    /// An operator does something, once, and has the tenant looked at.
    fn operate(self: &Rc<Self>, stage: &mut Stage<'_, Done>) {
        let (what, to) = (stage.rng().u8(..3), stage.rng().u64(1..=3));
        let french = self.bilingual && stage.rng().bool();
        let storm = Rc::clone(self);
        stage.start("operator", move |actor| {
            let world = storm.acting_as(actor);
            async move {
                let (taxonomies, tenant) = (world.taxonomies(), tenant());
                let command = async {
                    match what {
                        0 => taxonomies.rebuild(&tenant, Provenance::default()).await.map(drop),
                        1 => {
                            let to = Version::new(to).unwrap();
                            taxonomies
                                .roll_back(&tenant, to, Provenance::default())
                                .await
                                .map(drop)
                        }
                        _ => {
                            let current = taxonomies.configuration(&tenant).await?;
                            let wanted = Configuration {
                                default_culture: french.then(|| "fr-FR".parse().unwrap()),
                                ..current
                            };
                            taxonomies.configure(&tenant, &wanted).await.map(drop)
                        }
                    }
                };
                // Whatever became of it, the tenant is looked at.
                drop(Box::pin(command).await);
                world.sqs.send(QUEUE, &json!({ "tenant": TENANT }).to_string());
                true
            }
        });
    }

    /// The retry queue is worked off and the sweep has come, all of it without trouble: then everything holds.
    async fn ends_well(&self, operators: bool, neighbour: &[String]) -> Result<(), String> {
        self.calm()?;
        self.world.db.drop_replica();
        for payload in self.open.take().into_values() {
            self.world.sqs.send(QUEUE, &payload);
        }
        for _ in 0..10 {
            for message in self.world.next_retries() {
                let failed = || {
                    let waiting = self.world.sqs.messages(QUEUE).into_iter();
                    waiting.filter(|message| message.body.contains(r#""tries""#))
                };
                // Others may have failed in the storm and still wait.
                let before: BTreeSet<String> = failed().map(|message| message.id).collect();
                let event = sqs_event(QUEUE, std::slice::from_ref(&message));
                let response = self.handle(event).await?;
                if response["batchItemFailures"] != json!([]) {
                    return Err(format!("a clean delivery of {} failed: {response}", message.body));
                }
                if let Some(again) = failed().find(|again| !before.contains(&again.id)) {
                    return Err(format!(
                        "a clean delivery of {} failed: {}",
                        message.body, again.body
                    ));
                }
            }
        }
        self.world.pass(1200);
        self.handle(sweep()).await?;
        // What an operator's command left to do no event tells of if he dies; the daily sweep finds it.
        if operators || self.lost.get() {
            self.handle(json!({"source": "taxonomy.schedule", "detail-type": "sweep-sources"}))
                .await?;
        }
        self.calm()?;
        let uploads = self.uploads.borrow().clone();
        let last = if operators {
            Last::UploadOrRollback
        } else {
            Last::Upload
        };
        rest::holds(&self.world, &uploads, last, neighbour)?;
        if !uploads.is_empty() {
            rest::a_duplicate_costs_two_reads(&self.world, &notification(&self.world)).await?;
        }
        self.calm()
    }

    fn calm(&self) -> Result<(), String> {
        self.look();
        self.violation.borrow().clone().map_or(Ok(()), Err)
    }

    async fn handle(&self, event: Value) -> Result<Value, String> {
        let handled = Box::pin(self.world.deliver(event)).await;
        handled.map_err(|error| format!("a clean delivery failed: {error}"))
    }

    /// The same world, with whose clients an actor at the gate works.
    fn acting_as(&self, actor: &str) -> World {
        let mut world = self.world.clone();
        world.db = world.db.acting_as(actor);
        world.s3 = world.s3.acting_as(actor);
        world.sqs = world.sqs.acting_as(actor);
        world
    }
}

fn sweep() -> Value {
    json!({"source": "taxonomy.schedule", "detail-type": "sweep"})
}
