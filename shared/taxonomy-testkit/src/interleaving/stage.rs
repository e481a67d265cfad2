//! What a script says is to happen.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;

use fastrand::Rng;

use crate::dynamodb::EmbeddedDynamoDb;

pub(super) type Running<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
pub(super) type Later<'a, T> = Box<dyn FnOnce(&mut Stage<'a, T>) + 'a>;
type Make<'a, T> = Box<dyn FnMut(&str) -> Running<'a, T> + 'a>;
type Invariant<'a> = Box<dyn FnMut() -> Result<(), String> + 'a>;

/// What is to happen in a run whose actors end with `T`. Scripts and later actions get it; all of them run between requests, so what
/// they do at once (such as putting a file into S3) nothing interrupts.
pub struct Stage<'a, T> {
    pub(super) rng: Rng,
    pub(super) later: Vec<Later<'a, T>>,
    pub(super) entering: VecDeque<Invocation<'a, T>>,
    pub(super) invariants: Vec<Invariant<'a>>,
    pub(super) replicas: Vec<EmbeddedDynamoDb>,
    pub(super) log: Log,
}

/// Something that can be started, perhaps again.
pub(super) struct Invocation<'a, T> {
    pub(super) name: String,
    /// How often it may be started after this time.
    pub(super) retries: usize,
    pub(super) make: Make<'a, T>,
    pub(super) wants_retry: Box<dyn Fn(&T) -> bool + 'a>,
}

impl<'a, T> Stage<'a, T> {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            later: Vec::new(),
            entering: VecDeque::new(),
            invariants: Vec::new(),
            replicas: Vec::new(),
            log: Log {
                seed,
                lines: Vec::new(),
            },
        }
    }

    /// The seed's generator, for choices of the script.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Does this at a random moment of the run, in any order with the other later actions.
    pub fn later(&mut self, action: impl FnOnce(&mut Self) + 'a) {
        self.later.push(Box::new(action));
    }

    /// Starts an actor, as soon as there are fewer than [may run at once](super::Interleaving::at_once). The closure gets the actor's
    /// label, which is the name or, where that is taken, the name with a number; every client the actor uses must be built with
    /// it: `db.acting_as(actor)`.
    pub fn start<F>(&mut self, name: &str, invocation: impl FnOnce(&str) -> F + 'a)
    where
        F: Future<Output = T> + 'a,
    {
        let mut invocation = Some(invocation);
        let make = move |actor: &str| {
            let invocation = invocation.take();
            invocation.expect("it is started once")(actor)
        };
        self.deliver(name, 0, |_| false, make);
    }

    /// The same for an invocation that AWS repeats, so many times: after a crash, and where the outcome wants it. Each repetition is
    /// an actor of its own and starts at a random later moment.
    pub fn deliver<F>(
        &mut self,
        name: &str,
        retries: usize,
        wants_retry: impl Fn(&T) -> bool + 'a,
        mut invocation: impl FnMut(&str) -> F + 'a,
    ) where
        F: Future<Output = T> + 'a,
    {
        self.entering.push_back(Invocation {
            name: name.to_owned(),
            retries,
            make: Box::new(move |actor| Box::pin(invocation(actor))),
            wants_retry: Box::new(wants_retry),
        });
    }

    /// Checks this after each step; what it says is wrong stops the run with a panic.
    pub fn always(&mut self, invariant: impl FnMut() -> Result<(), String> + 'a) {
        self.invariants.push(Box::new(invariant));
    }

    /// Holds a replica of this database and lets writes arrive there at random, one partition before the other.
    pub fn replicate(&mut self, db: &EmbeddedDynamoDb) {
        db.hold_replica();
        self.replicas.push(db.clone());
    }

    /// Writes a line into the log.
    pub fn note(&mut self, line: &str) {
        self.log.lines.push(line.to_owned());
    }
}

impl<T> fmt::Debug for Stage<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage")
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

/// The log of a run. If a panic ends it, it says how it came to that.
#[derive(Debug)]
pub(super) struct Log {
    seed: u64,
    pub(super) lines: Vec<String>,
}

impl Drop for Log {
    #[expect(clippy::print_stderr, reason = "the output of a failing test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "the run of seed {} until then:\n{}",
                self.seed,
                self.lines.join("\n")
            );
        }
    }
}
