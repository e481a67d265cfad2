//! The loop of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::actors::{Actor, Actors};
use super::chances::{Fate, happens, long};
use super::stage::{Invocation, Stage};
use super::{Account, Ending, Interleaving};
use crate::faults::Fault;
use crate::wire::{Pending, Wire};

/// So many looks at actors of which none was woken mean that nobody moves: a connector yields twice, a spawned task may stand between.
const QUIET_LOOKS: usize = 6;
/// An actor that is woken this often without a request or an end does not wait for anything.
const MOST_LOOKS: usize = 100_000;
/// No time-out, back-off or stall is as long as this.
const NOTHING_MOVES: Duration = Duration::from_secs(3600);
/// Between two requests pass at most so many milliseconds.
const MOST_LATENCY_MS: u64 = 5;

pub(super) struct Run<'a, 'r, T> {
    plan: &'r Interleaving,
    wire: &'r Wire,
    stage: Stage<'a, T>,
    actors: Actors<'a, T>,
    endings: Vec<(String, Ending<T>)>,
    /// How many actors there were of each name.
    started: BTreeMap<String, usize>,
    /// Requests by when they may be chosen.
    due: BTreeMap<u64, Instant>,
    begin: Instant,
    step: usize,
}

impl<'a, 'r, T: 'a> Run<'a, 'r, T> {
    pub(super) fn new(plan: &'r Interleaving, wire: &'r Wire, stage: Stage<'a, T>) -> Self {
        Self {
            plan,
            wire,
            stage,
            actors: Actors::new(),
            endings: Vec::new(),
            started: BTreeMap::new(),
            due: BTreeMap::new(),
            begin: Instant::now(),
            step: 0,
        }
    }

    pub(super) async fn finish_all(mut self) -> Account<T> {
        self.wire.close_gate();
        loop {
            self.admit();
            self.rest().await;
            self.check();
            let pending = self.wire.pending();
            let is_over = self.actors.running.is_empty() && self.stage.entering.is_empty();
            if is_over && self.stage.later.is_empty() && pending.is_empty() {
                break;
            }
            self.step += 1;
            assert!(
                self.step <= self.plan.most_steps,
                "seed {}: no end after {} steps",
                self.plan.seed,
                self.plan.most_steps
            );
            self.replicate();
            self.advance(&pending).await;
        }
        self.wire.open_gate();
        self.wire.settle().await;
        for db in &self.stage.replicas {
            db.advance_replica_fully();
        }
        self.check();
        Account {
            seed: self.plan.seed,
            endings: self.endings,
            log: std::mem::take(&mut self.stage.log.lines),
        }
    }

    /// Starts whoever waits, as long as there is room.
    fn admit(&mut self) {
        while self.actors.running.len() < self.plan.at_once
            && let Some(invocation) = self.stage.entering.pop_front()
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

    /// Lets everybody run until nobody moves.
    async fn rest(&mut self) {
        let mut quiet = 0;
        for _ in 0..MOST_LOOKS {
            let (moved, ended) = self.actors.poll();
            for (actor, output) in ended {
                self.finish(actor, output);
            }
            quiet = if moved { 0 } else { quiet + 1 };
            if quiet == QUIET_LOOKS {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("seed {}: an actor spins", self.plan.seed);
    }

    fn finish(&mut self, actor: Actor<'a, T>, output: T) {
        self.log(&actor.label, "ends");
        let again = (actor.invocation.wants_retry)(&output);
        self.endings.push((actor.label, Ending::Finished(output)));
        if again {
            self.repeat(actor.invocation);
        }
    }

    fn repeat(&mut self, mut invocation: Invocation<'a, T>) {
        if invocation.retries > 0 {
            invocation.retries -= 1;
            self.stage
                .later(move |stage| stage.entering.push_back(invocation));
        }
    }

    fn check(&mut self) {
        for invariant in &mut self.stage.invariants {
            if let Err(wrong) = invariant() {
                panic!("seed {}, step {}: {wrong}", self.plan.seed, self.step);
            }
        }
    }

    fn replicate(&mut self) {
        for index in 0..self.stage.replicas.len() {
            if !happens(&mut self.stage.rng, self.plan.chances.replicate) {
                continue;
            }
            let behind = self.stage.replicas[index].behind();
            if let Some((partition, _)) = self.stage.rng.choice(&behind) {
                self.stage.replicas[index].advance_partition(partition, 1);
            }
        }
    }

    /// One thing happens: a later action, a request, or time passes.
    async fn advance(&mut self, pending: &[Pending]) {
        let now = Instant::now();
        for request in pending {
            assert!(
                !request.actor.is_empty(),
                "seed {}: {request} comes from a client without an actor",
                self.plan.seed
            );
            if !self.due.contains_key(&request.id) {
                let stalls = happens(&mut self.stage.rng, self.plan.chances.stall);
                let due = if stalls {
                    now + long(&mut self.stage.rng)
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
            // Only zombies are left: whoever follows the dead meets them before, between or after.
            (true, false) => 500,
            (false, _) => self.plan.chances.later,
        };
        let later = self.stage.later.len();
        if later > 0 && happens(&mut self.stage.rng, chance) {
            let chosen = self.stage.rng.usize(..later);
            let action = self.stage.later.remove(chosen);
            action(&mut self.stage);
        } else if let Some(request) = self.stage.rng.choice(ready) {
            self.decide(request, pending);
            sleep(Duration::from_millis(self.stage.rng.u64(0..=MOST_LATENCY_MS))).await;
        } else if !self.actors.running.is_empty() || !pending.is_empty() || later > 0 {
            // Otherwise everybody ended without a request, and whoever waits for room is let in now.
            self.pass_time(pending).await;
        }
    }

    fn decide(&mut self, request: &Pending, pending: &[Pending]) {
        let is_alive = self
            .actors
            .running
            .iter()
            .any(|actor| actor.label == request.actor);
        let fate = if is_alive && !request.is_abandoned {
            self.plan.chances.fate(&mut self.stage.rng, request)
        } else if happens(&mut self.stage.rng, self.plan.chances.lost_zombie) {
            Fate::Meet(Some(Fault::DropBeforeSend))
        } else {
            Fate::Meet(None)
        };
        let zombie = if request.is_abandoned {
            ", nobody waits"
        } else {
            ""
        };
        match fate {
            Fate::Meet(fault) => {
                let what = fault.map_or_else(|| "passes".to_owned(), |fault| format!("{fault:?}"));
                self.log(&request.actor, &format!("{request}: {what}{zombie}"));
                self.release(request, fault);
            }
            Fate::Crash { applied } => {
                let when = if applied { "after" } else { "during" };
                self.log(&request.actor, &format!("{request}: crash {when} it"));
                // Dropped first: its sender must not even be woken.
                let crashed = self.actors.crash(&request.actor);
                if applied {
                    self.release(request, None);
                }
                self.bury(crashed, pending);
            }
        }
    }

    /// Lets a request pass and completes its line with what the service says to it.
    fn release(&mut self, request: &Pending, fault: Option<Fault>) {
        self.wire.release(request.id, fault);
        let effect = self.wire.exchanges().last().and_then(|exchange| exchange.effect);
        if let (Some(effect), Some(line)) = (effect, self.stage.log.lines.last_mut()) {
            line.push_str(" -> ");
            line.push_str(&effect);
        }
    }

    /// What a dead actor had on the wire is lost or comes late.
    fn bury(&mut self, crashed: Option<Actor<'a, T>>, pending: &[Pending]) {
        let Some(Actor {
            label, invocation, ..
        }) = crashed
        else {
            return;
        };
        let now = Instant::now();
        for request in pending.iter().filter(|request| request.actor == label) {
            if let Some(due) = self.due.get_mut(&request.id) {
                *due = (*due).max(now + long(&mut self.stage.rng));
            }
        }
        self.endings.push((label, Ending::Crashed));
        self.repeat(invocation);
    }

    /// Nothing can be chosen: time passes until an actor is woken, or a stall ends.
    async fn pass_time(&mut self, pending: &[Pending]) {
        let dues = pending.iter().map(|request| self.due[&request.id]);
        let next = dues.min();
        let until = next.unwrap_or_else(|| Instant::now() + NOTHING_MOVES);
        tokio::select! {
            biased;
            () = self.actors.woken() => {}
            () = sleep_until(until) => {
                assert!(next.is_some() || !self.stage.later.is_empty(), "seed {}: nothing moves any more", self.plan.seed);
            }
        }
    }

    fn log(&mut self, actor: &str, what: &str) {
        let line = format!(
            "{:>4} {:>6} {actor}: {what}",
            self.step,
            self.begin.elapsed().as_millis()
        );
        self.stage.log.lines.push(line);
    }
}
