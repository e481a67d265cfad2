//! A run that a seed chooses: uploads at random times, events that are delivered once, twice or never, a few concurrent processes whose
//! requests are delayed, lost or answered with an error, and operators.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fastrand::Rng;
use taxonomy_testkit::{FaultRates, Interleaving, Scenario};
use taxonomy_tests::budget::{in_paused_time, run_all, seeds};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::thousands;

use crate::actors::{Violation, given_up, is_acknowledged, plan, project, send_reconcile};
use crate::draft::{Draft, refused};
use crate::stored_file::StoredFile;

use super::SUMMARY;
use super::changeset_log::Upload;
use super::files::other_file;
use super::invariants::Invariants;
use super::quiescent_checks::{self, LastVersion};
use super::script::{deadline_in, notification};

const FAULT_RATES: FaultRates = FaultRates {
    stale_read: 20,
    ..FaultRates::ROUGH
};
/// The maximum number of invocations for one event.
const DELIVERIES: usize = 3;
/// One event in this many is lost.
const LOST: u32 = 10;

/// The state that the actors and actions of a run share. It changes only between two requests.
struct Workload {
    world: World,
    uploads: RefCell<Vec<Upload>>,
    /// The files so far, which may be uploaded again.
    known: RefCell<Vec<StoredFile>>,
    /// Whether every node has a name in both cultures, so that either can be the default.
    is_bilingual: bool,
    /// Whether the event of an upload was lost.
    is_event_lost: Cell<bool>,
    /// The events without a successful invocation, as the messages that the retry queue receives after the last failed one.
    open: RefCell<BTreeMap<usize, String>>,
    delivered: Cell<usize>,
    invariants: RefCell<Invariants>,
    violation: Violation,
}

/// Runs a seed. Returns the log of the run; a violation comes with the seed and the log.
async fn run(seed: u64) -> Result<String, String> {
    let world = World::new();
    Box::pin(world.push(GLOBEX, other_file().to_string().as_bytes())).await;
    let other_tenant = quiescent_checks::other_tenant(&world);
    let workload = Rc::new(Workload {
        invariants: RefCell::new(Invariants::new(&world, TENANT)),
        world,
        uploads: RefCell::default(),
        known: RefCell::default(),
        is_bilingual: seed.is_multiple_of(3),
        is_event_lost: Cell::new(false),
        open: RefCell::default(),
        delivered: Cell::new(0),
        violation: Violation::default(),
    });
    let has_operators = seed.is_multiple_of(4);
    let interleaving = Interleaving::new(seed)
        .fault_rates(FAULT_RATES)
        .at_once(2 + usize::try_from(seed % 3).unwrap());
    let account = interleaving.run(&workload.world.transport, |scenario| {
        scenario.replicate(&workload.world.db);
        let checked = Rc::clone(&workload);
        scenario.always(move || {
            checked.check();
            Ok(())
        });
        let times = scenario.rng().usize(2..=6);
        plan(scenario, times, &workload, Workload::upload);
        let times = scenario.rng().usize(1..=4);
        plan(scenario, times, &workload, Workload::receive_retries);
        let times = scenario.rng().usize(0..=3);
        plan(scenario, times, &workload, Workload::pass_time);
        if has_operators {
            let times = scenario.rng().usize(1..=3);
            plan(scenario, times, &workload, Workload::operate);
        }
    });
    let account = Box::pin(account).await;
    let finished = Box::pin(workload.finish(has_operators, &other_tenant)).await;
    finished.map_err(|violation| format!("PROVE_SEED={seed}: {violation}\n{account}"))?;
    Ok(account.to_string())
}

impl Workload {
    /// Records the first violation of an invariant; the run continues, as the service would.
    fn check(&self) {
        let check = || self.invariants.borrow_mut().check(&self.world);
        self.violation.check(check);
    }

    /// Uploads a file, and delivers its event unless it is lost.
    fn upload<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let (stored, is_valid) = self.draw_file(scenario.rng());
        stored.put(&self.world);
        if is_valid {
            let upload = Upload::new(&stored.file, &stored.bytes);
            self.uploads.borrow_mut().push(upload);
        }
        scenario.note(&format!("upload, valid {is_valid}: {}", stored.file));
        let event = notification(&self.world);
        if scenario.rng().u32(..LOST) == 0 {
            self.is_event_lost.set(true);
            return;
        }
        let payload = given_up(&event);
        self.deliver(scenario, "event", event.clone(), payload.clone());
        for _ in 0..scenario.rng().usize(0..=1) {
            let (workload, event, payload) = (Rc::clone(self), event.clone(), payload.clone());
            scenario.later(move |scenario| workload.deliver(scenario, "duplicate", event, payload));
        }
    }

    /// Draws a new file, plain or compressed, or sometimes a file that is refused or an earlier one, which may have the wrong label.
    fn draw_file(&self, rng: &mut Rng) -> (StoredFile, bool) {
        let mut known = self.known.borrow_mut();
        let kind = rng.u32(0..100);
        if kind < 8 {
            return (StoredFile::plain(&refused(0)), false);
        }
        if kind < 25
            && let Some(stored) = rng.choice(known.iter())
        {
            let stored = stored.clone();
            let stored = if rng.bool() { stored.mislabelled() } else { stored };
            let is_valid = stored.is_readable();
            return (stored, is_valid);
        }
        let draft = Draft::drawn(rng).edited(rng);
        let file = draft.in_french(rng, self.is_bilingual).file();
        let stored = if rng.u8(..3) == 0 {
            StoredFile::compressed(&file)
        } else {
            StoredFile::plain(&file)
        };
        known.push(stored.clone());
        (stored, true)
    }

    /// Starts an invocation that Lambda repeats; one in four has little time. The retry queue receives `payload` after the last failure.
    fn deliver<'a>(
        self: &Rc<Self>,
        scenario: &mut Scenario<'a, bool>,
        name: &str,
        event: Value,
        payload: String,
    ) {
        let number = self.delivered.get();
        self.delivered.set(number + 1);
        self.open.borrow_mut().insert(number, payload);
        let readings = (scenario.rng().u8(..4) == 0).then(|| scenario.rng().u64(3..40));
        let workload = Rc::clone(self);
        let invocation = move |actor: &str| {
            let world = workload.world.acting_as(actor);
            let deadline = readings.map_or(Deadline::NONE, |readings| deadline_in(&world, readings));
            let (event, workload) = (event.clone(), Rc::clone(&workload));
            async move {
                let succeeded = project(&world, event, deadline).await;
                if succeeded {
                    workload.open.borrow_mut().remove(&number);
                }
                succeeded
            }
        };
        scenario.deliver(name, DELIVERIES - 1, |succeeded| !succeeded, invocation);
    }

    /// Receives the visible messages of the retry queue.
    fn receive_retries<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        for message in self.world.sqs.take_visible(RETRIES) {
            let body = message.body.clone();
            self.deliver(scenario, "message", sqs_event(RETRIES, &[message]), body);
        }
    }

    /// Lets time pass, so that leases end and tenants count as left behind; the sweep may run.
    fn pass_time<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        self.world.pass(scenario.rng().u64(30..1200));
        if scenario.rng().bool() {
            let event = scheduled("sweep");
            let payload = given_up(&event);
            self.deliver(scenario, "sweep", event, payload);
        }
    }

    /// Runs one command of an operator, and sends the message that reconciles the tenant.
    fn operate<'a>(self: &Rc<Self>, scenario: &mut Scenario<'a, bool>) {
        let (command, to) = (scenario.rng().u8(..3), scenario.rng().u64(1..=3));
        let is_french = self.is_bilingual && scenario.rng().bool();
        let workload = Rc::clone(self);
        scenario.start("operator", move |actor| {
            let world = workload.world.acting_as(actor);
            async move {
                let (service, tenant) = (world.service(), tenant());
                let run = async {
                    match command {
                        0 => service.rebuild(&tenant, Provenance::default()).await.map(drop),
                        1 => {
                            let to = Version::new(to).unwrap();
                            let rolled_back = service.roll_back(&tenant, to, Provenance::default());
                            rolled_back.await.map(drop)
                        }
                        _ => {
                            let current = service.configuration(&tenant).await?;
                            let wanted = Configuration {
                                default_culture: is_french.then(|| "fr-FR".parse().unwrap()),
                                ..current
                            };
                            service.configure(&tenant, &wanted).await.map(drop)
                        }
                    }
                };
                // Also after a failure the tenant is reconciled.
                drop(Box::pin(run).await);
                send_reconcile(&world);
                true
            }
        });
    }

    /// Empties the retry queue and runs the sweeps, without faults, and checks everything.
    async fn finish(&self, has_operators: bool, other_tenant: &[String]) -> Result<(), String> {
        self.violation()?;
        self.world.db.drop_replica();
        for payload in self.open.take().into_values() {
            self.world.sqs.send(RETRIES, &payload);
        }
        for _ in 0..10 {
            for message in self.world.next_retries() {
                self.retry(&message).await?;
            }
        }
        self.world.pass(1200);
        self.handle(scheduled("sweep")).await?;
        // No event reports the unfinished command of an operator whose process died; the daily sweep finds it.
        if has_operators || self.is_event_lost.get() {
            self.handle(scheduled("sweep-sources")).await?;
        }
        self.violation()?;
        let uploads = self.uploads.borrow().clone();
        let last = if has_operators {
            LastVersion::UploadOrRollback
        } else {
            LastVersion::Upload
        };
        quiescent_checks::check(&self.world, &uploads, last, other_tenant)?;
        if !uploads.is_empty() {
            quiescent_checks::duplicate_costs_two_reads(&self.world, &notification(&self.world)).await?;
        }
        self.violation()
    }

    /// Delivers a message of the retry queue, which must succeed.
    async fn retry(&self, message: &Message) -> Result<(), String> {
        let failed = || {
            let waiting = self.world.sqs.messages(RETRIES).into_iter();
            waiting.filter(|message| message.body.contains(r#""tries""#))
        };
        // Others may have failed during the run and still wait.
        let before: BTreeSet<String> = failed().map(|message| message.id).collect();
        let event = sqs_event(RETRIES, std::slice::from_ref(message));
        let response = self.handle(event).await?;
        let again = failed().find(|again| !before.contains(&again.id));
        let reason = match again {
            Some(again) => again.body,
            None if is_acknowledged(&response) => return Ok(()),
            None => response.to_string(),
        };
        Err(format!(
            "a delivery of {} without faults failed: {reason}",
            message.body
        ))
    }

    fn violation(&self) -> Result<(), String> {
        self.check();
        self.violation.get().map_or(Ok(()), Err)
    }

    async fn handle(&self, event: Value) -> Result<Value, String> {
        let handled = Box::pin(self.world.deliver(event)).await;
        handled.map_err(|error| format!("a delivery without faults failed: {error}"))
    }
}

#[test]
fn every_interleaving_ends_consistently() {
    let seeds = seeds(20, 4000);
    let violations = run_all(&seeds, async |seed| run(*seed).await.map(drop));
    SUMMARY.record(
        "interleavings",
        seeds.len(),
        format!("{} interleavings", thousands(seeds.len())),
        &violations,
    );
}

/// A printed seed is of use only if it reproduces its run.
#[test]
fn a_seed_reproduces_its_run() {
    let once = || in_paused_time(run(3)).unwrap();
    assert_eq!(once(), once());
}
