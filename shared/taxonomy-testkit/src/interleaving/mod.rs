//! Seeded interleavings: a run has a few concurrent invocations (actors), and each of their requests waits at the gate of the transport until
//! the seed decides its outcome.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`Interleaving`]: seed and limits; [`Account`]: the result of a run |
//! | `fault_rates` | [`FaultRates`]: the rates of the faults |
//! | `scenario` | [`Scenario`]: the events of a run: starts, deliveries, later actions, invariants |
//! | `actors` | the futures, and which of them were woken |
//! | `run` | the loop: wait until no actor can proceed, choose a request, decide its outcome |
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
//! use taxonomy_testkit::dynamodb::key;
//! use taxonomy_testkit::{EmbeddedDynamoDb, FaultRates, Interleaving};
//!
//! for seed in 0..20 {
//!     let db = EmbeddedDynamoDb::new();
//!     db.create_table("taxonomy");
//!     let account = Interleaving::new(seed).fault_rates(FaultRates::ROUGH).run(db.transport(), |scenario| {
//!         for name in ["first", "second"] {
//!             let db = db.clone();
//!             scenario.later(move |scenario| {
//!                 scenario.start(name, move |actor| {
//!                     let put = db.acting_as(actor).client().put_item().table_name("taxonomy");
//!                     let put = put.set_item(Some(key("TAXONOMY#acme", name)));
//!                     async move { put.send().await.is_ok() }
//!                 });
//!             });
//!         }
//!     });
//!     let account = account.await;
//!     for name in ["first", "second"] {
//!         let claims = account.finished(name) == Some(&true);
//!         let written = db.dump("taxonomy").contains(&format!("TAXONOMY#acme | {name}"));
//!         assert!(written || !claims, "{account}");
//!     }
//! }
//! # });
//! ```

mod actors;
mod fault_rates;
mod run;
mod scenario;

use std::fmt;

pub use fault_rates::FaultRates;
pub use scenario::Scenario;

use crate::transport::Transport;

/// A seed and the limits of its run. The same seed, fault rates and script make the same run, request for request, if the script's actors
/// are deterministic themselves: one thread, no clock but tokio's, no order of a hash map.
#[derive(Debug, Clone)]
pub struct Interleaving {
    seed: u64,
    fault_rates: FaultRates,
    at_once: usize,
    most_steps: usize,
}

impl Interleaving {
    /// Creates a run of up to three actors at once and at most 100 000 steps, without faults.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            fault_rates: FaultRates::NONE,
            at_once: 3,
            most_steps: 100_000,
        }
    }

    /// Sets the fault rates.
    #[must_use]
    pub fn fault_rates(mut self, fault_rates: FaultRates) -> Self {
        fault_rates.check();
        self.fault_rates = fault_rates;
        self
    }

    /// Sets the largest number of actors that run at once; further actors wait until one has ended.
    #[must_use]
    pub fn at_once(mut self, actors: usize) -> Self {
        assert!(actors > 0, "at least one actor runs");
        self.at_once = actors;
        self
    }

    /// Sets the largest number of steps. A run that takes more panics with its seed.
    #[must_use]
    pub fn most_steps(mut self, steps: usize) -> Self {
        self.most_steps = steps;
        self
    }

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
    ) -> Account<T> {
        // The back-off of the SDK and of the store takes its jitter from the thread's generator.
        fastrand::seed(self.seed);
        let mut scenario = Scenario::new(self.seed);
        script(&mut scenario);
        run::Run::new(&self, transport, scenario).finish_all().await
    }
}

/// The outcome of an actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending<T> {
    /// It returned this value.
    Finished(T),
    /// Its future was dropped before it returned.
    Crashed,
}

/// The result of a run. Prints as its seed and log.
#[derive(Debug, Clone)]
pub struct Account<T> {
    /// The seed of the run.
    pub seed: u64,
    /// Every actor, in the order in which they ended.
    pub endings: Vec<(String, Ending<T>)>,
    /// One line per event: step, milliseconds, actor, request, outcome.
    pub log: Vec<String>,
}

impl<T> Account<T> {
    /// Returns the value that an actor finished with; `None` if it crashed or never existed.
    pub fn finished(&self, actor: &str) -> Option<&T> {
        let endings = self.endings.iter();
        endings
            .filter(|(name, _)| name == actor)
            .find_map(|(_, ending)| match ending {
                Ending::Finished(output) => Some(output),
                Ending::Crashed => None,
            })
    }

    /// Returns the number of actors that crashed.
    pub fn crashes(&self) -> usize {
        let endings = self.endings.iter();
        endings
            .filter(|(_, ending)| matches!(ending, Ending::Crashed))
            .count()
    }
}

impl<T> fmt::Display for Account<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}", self.seed)?;
        self.log.iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}
