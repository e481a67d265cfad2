//! The events of a run, as its script defines them.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::pin::Pin;

use fastrand::Rng;

use crate::dynamodb::EmbeddedDynamoDb;

pub(super) type Running<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
pub(super) type Later<'a, T> = Box<dyn FnOnce(&mut Scenario<'a, T>) + 'a>;
type Make<'a, T> = Box<dyn FnMut(&str) -> Running<'a, T> + 'a>;
type Invariant<'a> = Box<dyn FnMut() -> Result<(), String> + 'a>;

/// The events of a run whose actors return `T`. The script and each later action receive it. They run between requests, so no request
/// interrupts an action (such as writing a file to S3).
pub struct Scenario<'a, T> {
    pub(super) rng: Rng,
    pub(super) later: Vec<Later<'a, T>>,
    pub(super) entering: VecDeque<Invocation<'a, T>>,
    pub(super) invariants: Vec<Invariant<'a>>,
    pub(super) replicas: Vec<EmbeddedDynamoDb>,
    /// The processes of [`Self::request`].
    pub(super) servers: BTreeSet<String>,
    pub(super) log: Log,
}

/// An actor to start, with the number of its repetitions.
pub(super) struct Invocation<'a, T> {
    pub(super) name: String,
    /// The number of times it may still be repeated.
    pub(super) retries: usize,
    pub(super) make: Make<'a, T>,
    pub(super) wants_retry: Box<dyn Fn(&T) -> bool + 'a>,
}

impl<'a, T> Scenario<'a, T> {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            later: Vec::new(),
            entering: VecDeque::new(),
            invariants: Vec::new(),
            replicas: Vec::new(),
            servers: BTreeSet::new(),
            log: Log {
                seed,
                lines: Vec::new(),
            },
        }
    }

    /// Returns the seeded generator, for random choices of the script.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// Runs the action at a random moment of the run, in random order among the later actions.
    pub fn later(&mut self, action: impl FnOnce(&mut Self) + 'a) {
        self.later.push(Box::new(action));
    }

    /// Starts an actor as soon as fewer run than [the largest number at once](super::Interleaving::at_once). The closure receives the actor's
    /// label, which is the name or, if that is used already, the name with a number. Every client of the actor must be built with
    /// this label: `db.acting_as(actor)`.
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

    /// Starts an actor that sends a request to a process which outlives it. The clients of the process were built with the label `process`. The requests
    /// that they send are delayed and reordered, and meet no fault.
    pub fn request<F>(&mut self, process: &str, request: impl FnOnce() -> F + 'a)
    where
        F: Future<Output = T> + 'a,
    {
        self.servers.insert(process.to_owned());
        self.start(process, move |_| request());
    }

    /// Starts an invocation that AWS repeats, up to `retries` times: after a crash, and if `wants_retry` returns true for its result. Each
    /// repetition is an actor of its own and starts at a random later moment.
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

    /// Checks an invariant after each step; an error panics and ends the run.
    pub fn always(&mut self, invariant: impl FnMut() -> Result<(), String> + 'a) {
        self.invariants.push(Box::new(invariant));
    }

    /// Holds a replica of this database; writes arrive there at random times, for each partition independently.
    pub fn replicate(&mut self, db: &EmbeddedDynamoDb) {
        db.hold_replica();
        self.replicas.push(db.clone());
    }

    /// Appends a line to the log.
    pub fn note(&mut self, line: &str) {
        self.log.lines.push(line.to_owned());
    }
}

impl<T> fmt::Debug for Scenario<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("log", &self.log)
            .finish_non_exhaustive()
    }
}

/// The log of a run. If a panic ends the run, the log is printed.
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
