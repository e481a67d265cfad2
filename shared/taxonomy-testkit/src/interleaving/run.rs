//! The loop of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::account::Account;
use super::actors::{Actor, Actors};
use super::fault_rates::{Fate, happens, long};
use super::scenario::{Invocation, Scenario};
use super::settings::Interleaving;
use crate::faults::Fault;
use crate::transport::{Pending, Transport};

/// The number of successive polls without a woken actor after which no actor can proceed: a connector yields twice, and a spawned task may
/// run in between.
const QUIET_LOOKS: usize = 6;
/// The largest number of polls without a request or an end; an actor that exceeds it spins.
const MOST_LOOKS: usize = 100_000;
/// Longer than every time-out, back-off and stall: nothing can proceed if nothing happened for this time.
const NOTHING_MOVES: Duration = Duration::from_secs(3600);
/// The largest number of steps of a run.
const MOST_STEPS: usize = 100_000;
/// The largest time between two requests, in milliseconds.
const MOST_LATENCY_MS: u64 = 5;

impl Interleaving {
    /// Runs a script to its end: all actors have finished or crashed, no action is left, and every request that was still under way has
    /// arrived or is lost. The script runs once, at the start; through the [`Scenario`] it defines the actions that happen at once and the
    /// later ones. Needs a single-threaded runtime with paused time.
    ///
    /// A crashed actor's future is dropped, so none of its code runs afterwards; tasks that it had spawned continue. At the end the gate of
    /// the transport is open and the replicas of the scenario have received all writes.
    ///
    /// # Panics
    /// Panics with seed and log if an invariant fails, an actor panics, nothing can proceed any more, or there are too many steps.
    pub async fn run<'a, T: 'a>(
        self,
        transport: &Transport,
        script: impl FnOnce(&mut Scenario<'a, T>),
    ) -> Account {
        // The back-off of the SDK and of the store takes its jitter from the thread's generator.
        fastrand::seed(self.seed);
        let mut scenario = Scenario::new(self.seed);
        script(&mut scenario);
        Run::new(&self, transport, scenario).finish_all().await
    }
}

pub(super) struct Run<'a, 'r, T> {
    plan: &'r Interleaving,
    transport: &'r Transport,
    scenario: Scenario<'a, T>,
    actors: Actors<'a, T>,
    crashes: usize,
    /// The number of actors of each name that were started.
    started: BTreeMap<String, usize>,
    /// The requests, by the time from which they may be chosen.
    due: BTreeMap<u64, Instant>,
    begin: Instant,
    step: usize,
}

impl<'a, 'r, T: 'a> Run<'a, 'r, T> {
    pub(super) fn new(plan: &'r Interleaving, transport: &'r Transport, scenario: Scenario<'a, T>) -> Self {
        Self {
            plan,
            transport,
            scenario,
            actors: Actors::new(),
            crashes: 0,
            started: BTreeMap::new(),
            due: BTreeMap::new(),
            begin: Instant::now(),
            step: 0,
        }
    }

    pub(super) async fn finish_all(mut self) -> Account {
        self.transport.close_gate();
        loop {
            self.admit();
            self.rest().await;
            self.check();
            let pending = self.transport.pending();
            let is_over = self.actors.running.is_empty() && self.scenario.entering.is_empty();
            if is_over && self.scenario.later.is_empty() && pending.is_empty() {
                break;
            }
            self.step += 1;
            assert!(self.step <= MOST_STEPS, "seed {}: no end", self.plan.seed);
            self.replicate();
            self.advance(&pending).await;
        }
        self.transport.open_gate();
        self.transport.settle().await;
        for db in &self.scenario.replicas {
            db.advance_replica_fully();
        }
        self.check();
        Account {
            seed: self.plan.seed,
            crashes: self.crashes,
            log: std::mem::take(&mut self.scenario.log.lines),
        }
    }

    /// Starts the invocations that wait, up to the largest number of actors.
    fn admit(&mut self) {
        while self.actors.running.len() < self.plan.at_once
            && let Some(invocation) = self.scenario.entering.pop_front()
        {
            let count = self.started.entry(invocation.name.clone()).or_default();
            *count += 1;
            let label = if *count == 1 {
                invocation.name.clone()
            } else {
                format!("{}.{count}", invocation.name)
            };
            self.log(&label, "starts");
            self.actors.start(label, invocation);
        }
    }

    /// Lets all actors run until none can proceed.
    async fn rest(&mut self) {
        let mut quiet = 0;
        for _ in 0..MOST_LOOKS {
            let (moved, ended) = self.actors.poll();
            for (actor, output) in ended {
                self.finish(actor, &output);
            }
            quiet = if moved { 0 } else { quiet + 1 };
            if quiet == QUIET_LOOKS {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("seed {}: an actor spins", self.plan.seed);
    }

    fn finish(&mut self, actor: Actor<'a, T>, output: &T) {
        self.log(&actor.label, "ends");
        if (actor.invocation.wants_retry)(output) {
            self.repeat(actor.invocation);
        }
    }

    fn repeat(&mut self, mut invocation: Invocation<'a, T>) {
        if invocation.retries > 0 {
            invocation.retries -= 1;
            self.scenario
                .later(move |scenario| scenario.entering.push_back(invocation));
        }
    }

    fn check(&mut self) {
        for invariant in &mut self.scenario.invariants {
            if let Err(wrong) = invariant() {
                panic!("seed {}, step {}: {wrong}", self.plan.seed, self.step);
            }
        }
    }

    fn replicate(&mut self) {
        for index in 0..self.scenario.replicas.len() {
            if !happens(&mut self.scenario.rng, self.plan.fault_rates.replicate) {
                continue;
            }
            let behind = self.scenario.replicas[index].behind();
            if let Some((partition, _)) = self.scenario.rng.choice(&behind) {
                self.scenario.replicas[index].advance_partition(partition, 1);
            }
        }
    }

    /// Performs one event: a later action, a request, or the passing of time.
    async fn advance(&mut self, pending: &[Pending]) {
        let now = Instant::now();
        for request in pending {
            assert!(
                !request.actor.is_empty(),
                "seed {}: {request} comes from a client without an actor",
                self.plan.seed
            );
            if !self.due.contains_key(&request.id) {
                let stalls = happens(&mut self.scenario.rng, self.plan.fault_rates.stall);
                let due = if stalls {
                    now + long(&mut self.scenario.rng)
                } else {
                    now
                };
                self.due.insert(request.id, due);
                if stalls {
                    let line = format!("{request}: stalls for {} ms", (due - now).as_millis());
                    self.log(&request.actor, &line);
                }
            }
        }
        let ready: Vec<_> = pending
            .iter()
            .filter(|request| self.due[&request.id] <= now)
            .collect();
        let chance = match (self.actors.running.is_empty(), pending.is_empty()) {
            (true, true) => 1000,
            // Only requests of dead actors are left: a later invocation must be able to meet them before, between or after its own requests.
            (true, false) => 500,
            (false, _) => self.plan.fault_rates.later,
        };
        let later = self.scenario.later.len();
        if later > 0 && happens(&mut self.scenario.rng, chance) {
            let chosen = self.scenario.rng.usize(..later);
            let action = self.scenario.later.remove(chosen);
            action(&mut self.scenario);
        } else if let Some(request) = self.scenario.rng.choice(ready) {
            self.decide(request, pending);
            sleep(Duration::from_millis(self.scenario.rng.u64(0..=MOST_LATENCY_MS))).await;
        } else if !self.actors.running.is_empty() || !pending.is_empty() || later > 0 {
            // Otherwise all actors ended without a request, and the next `admit` starts those that wait for a free place.
            self.pass_time(pending).await;
        }
    }

    fn decide(&mut self, request: &Pending, pending: &[Pending]) {
        let is_alive = self
            .actors
            .running
            .iter()
            .any(|actor| actor.label == request.actor);
        let fate = if self.scenario.servers.contains(&request.actor) {
            Fate::Meet(None)
        } else if is_alive && !request.is_abandoned {
            self.plan.fault_rates.fate(&mut self.scenario.rng, request)
        } else if happens(&mut self.scenario.rng, self.plan.fault_rates.lost_zombie) {
            Fate::Meet(Some(Fault::DropBeforeSend))
        } else {
            Fate::Meet(None)
        };
        let zombie = if request.is_abandoned { ", abandoned" } else { "" };
        match fate {
            Fate::Meet(fault) => {
                let what = fault.map_or_else(|| "passes".to_owned(), |fault| format!("{fault:?}"));
                self.log(&request.actor, &format!("{request}: {what}{zombie}"));
                self.release(request, fault);
            }
            Fate::Crash { applied } => {
                let when = if applied { "after" } else { "during" };
                self.log(&request.actor, &format!("{request}: crash {when} it"));
                // The actor is dropped before the request is released, so that its future is not woken.
                let crashed = self.actors.crash(&request.actor);
                if applied {
                    self.release(request, None);
                }
                self.bury(crashed, pending);
            }
        }
    }

    /// Lets a request pass and appends the service's result to its log line.
    fn release(&mut self, request: &Pending, fault: Option<Fault>) {
        self.transport.release(request.id, fault);
        let effect = self
            .transport
            .exchanges()
            .last()
            .and_then(|exchange| exchange.effect);
        if let (Some(effect), Some(line)) = (effect, self.scenario.log.lines.last_mut()) {
            line.push_str(" -> ");
            line.push_str(&effect);
        }
    }

    /// Delays the pending requests of a dead actor; they arrive late or are lost.
    fn bury(&mut self, crashed: Option<Actor<'a, T>>, pending: &[Pending]) {
        let Some(actor) = crashed else { return };
        let now = Instant::now();
        for request in pending.iter().filter(|request| request.actor == actor.label) {
            if let Some(due) = self.due.get_mut(&request.id) {
                *due = (*due).max(now + long(&mut self.scenario.rng));
            }
        }
        self.crashes += 1;
        self.repeat(actor.invocation);
    }

    /// Lets time pass until an actor is woken or a stall ends, because no request can be chosen.
    async fn pass_time(&mut self, pending: &[Pending]) {
        let dues = pending.iter().map(|request| self.due[&request.id]);
        let next = dues.min();
        let until = next.unwrap_or_else(|| Instant::now() + NOTHING_MOVES);
        tokio::select! {
            biased;
            () = self.actors.woken() => {}
            () = sleep_until(until) => {
                assert!(next.is_some() || !self.scenario.later.is_empty(), "seed {}: nothing moves any more", self.plan.seed);
            }
        }
    }

    fn log(&mut self, actor: &str, what: &str) {
        let line = format!(
            "{:>4} {:>6} {actor}: {what}",
            self.step,
            self.begin.elapsed().as_millis()
        );
        self.scenario.log.lines.push(line);
    }
}
