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
//! use std::cell::Cell;
//! use taxonomy_testkit::dynamodb::key;
//! use taxonomy_testkit::{EmbeddedDynamoDb, FaultRates, Interleaving};
//!
//! for seed in 0..20 {
//!     let (db, acknowledged) = (EmbeddedDynamoDb::new(), Cell::new(0));
//!     db.create_table("taxonomy");
//!     let account = Interleaving::new(seed).fault_rates(FaultRates::ROUGH).run(db.transport(), |scenario| {
//!         for name in ["first", "second"] {
//!             let (db, acknowledged) = (db.clone(), &acknowledged);
//!             scenario.later(move |scenario| {
//!                 scenario.start(name, move |actor| {
//!                     let put = db.acting_as(actor).client().put_item().table_name("taxonomy");
//!                     let put = put.set_item(Some(key("TAXONOMY#acme", name)));
//!                     async move { acknowledged.set(acknowledged.get() + usize::from(put.send().await.is_ok())) }
//!                 });
//!             });
//!         }
//!     });
//!     let account = account.await;
//!     assert!(db.items("taxonomy").len() >= acknowledged.get(), "{account}");
//! }
//! # });
//! ```

mod account;
mod actors;
mod fault_rates;
mod run;
mod scenario;
mod settings;

pub use account::Account;
pub use fault_rates::FaultRates;
pub use scenario::Scenario;
pub use settings::Interleaving;
