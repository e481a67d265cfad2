//! Seeded interleavings: a few invocations at once, whose every request waits at the gate of the wire until the seed says what becomes
//! of it.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`Interleaving`]: seed and limits; [`Account`]: what came of it |
//! | `chances` | [`Chances`]: how often what goes wrong |
//! | `stage` | [`Stage`]: what a script says is to happen: starts, deliveries, later actions, invariants |
//! | `actors` | the futures and who of them was woken |
//! | `run` | the loop: wait until nobody moves, choose a request, decide its fate |
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
//! use taxonomy_testkit::dynamodb::key;
//! use taxonomy_testkit::{Chances, EmbeddedDynamoDb, Interleaving};
//!
//! for seed in 0..20 {
//!     let db = EmbeddedDynamoDb::new();
//!     db.create_table("taxonomy");
//!     let account = Interleaving::new(seed).chances(Chances::ROUGH).run(db.wire(), |stage| {
//!         for name in ["first", "second"] {
//!             let db = db.clone();
//!             stage.later(move |stage| {
//!                 stage.start(name, move |actor| {
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
mod chances;
mod run;
mod stage;

use std::fmt;

pub use chances::Chances;
pub use stage::Stage;

use crate::wire::Wire;

/// A seed and what it may do. The same seed, chances and script make the same run, request for request, if the script's actors
/// themselves are deterministic: one thread, no clocks but tokio's, no order of a hash map.
#[derive(Debug, Clone)]
pub struct Interleaving {
    seed: u64,
    chances: Chances,
    at_once: usize,
    most_steps: usize,
}

impl Interleaving {
    /// Up to three actors at once, at most 100 000 steps, nothing that goes wrong.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            chances: Chances::NONE,
            at_once: 3,
            most_steps: 100_000,
        }
    }

    /// What may go wrong.
    #[must_use]
    pub fn chances(mut self, chances: Chances) -> Self {
        chances.check();
        self.chances = chances;
        self
    }

    /// So many actors run at once; further ones wait until one has ended.
    #[must_use]
    pub fn at_once(mut self, actors: usize) -> Self {
        assert!(actors > 0, "somebody has to run");
        self.at_once = actors;
        self
    }

    /// A run that takes more steps than this panics, with its seed.
    #[must_use]
    pub fn most_steps(mut self, steps: usize) -> Self {
        self.most_steps = steps;
        self
    }

    /// Runs a script to its end: all actors finished or crashed, nothing is left to happen, and every request that was still on the
    /// wire has arrived or is lost. The script runs once, at the start, and says through the [`Stage`] what happens at
    /// once, what later. Wants a single-threaded runtime with paused time.
    ///
    /// A crashed actor's future is dropped, so nothing of it runs on; tasks that it had spawned are not its own. The wire is left with
    /// its gate open, the replicas of the stage have caught up.
    ///
    /// # Panics
    /// If an invariant fails, an actor panics, nothing can move any more, or there are too many steps: each time with seed and log.
    pub async fn run<'a, T: 'a>(self, wire: &Wire, script: impl FnOnce(&mut Stage<'a, T>)) -> Account<T> {
        // The SDK's and the store's back-off take their jitter from the thread's generator.
        fastrand::seed(self.seed);
        let mut stage = Stage::new(self.seed);
        script(&mut stage);
        run::Run::new(&self, wire, stage).finish_all().await
    }
}

/// How an actor ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending<T> {
    /// By itself, with this.
    Finished(T),
    /// It was dropped in the middle.
    Crashed,
}

/// What came of a run. Prints as its seed and log.
#[derive(Debug, Clone)]
pub struct Account<T> {
    /// The seed it came from.
    pub seed: u64,
    /// Every actor, in the order they ended.
    pub endings: Vec<(String, Ending<T>)>,
    /// A line for each thing that happened: step, milliseconds, actor, request, fate.
    pub log: Vec<String>,
}

impl<T> Account<T> {
    /// What an actor finished with; `None` where it crashed or never was.
    pub fn finished(&self, actor: &str) -> Option<&T> {
        let endings = self.endings.iter();
        endings
            .filter(|(name, _)| name == actor)
            .find_map(|(_, ending)| match ending {
                Ending::Finished(output) => Some(output),
                Ending::Crashed => None,
            })
    }

    /// How many actors crashed.
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
