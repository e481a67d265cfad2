//! The simulation: the real functions over services in memory, in orders and with faults that a seed chooses or that are enumerated, checked
//! against an oracle that shares no code with them. `cargo test` runs a sample of the cases, `PROVE=all` runs all of them.
//!
//! A *scenario* has a workload, which starts the processes (*actors*) and injects the faults, and checkers, which compare with the oracle.
//!
//! | Module | Contents |
//! |---|---|
//! | `draft`, `stored_file` | the files that are uploaded, and how S3 stores them |
//! | `content` | the oracle's reading of a file, from which the scenarios derive what must be stored and answered |
//! | `actors` | invocations of the functions as AWS makes them, planned actions, the first violation of a run |
//! | `raw` | raw reading of the table, the buckets and the recorded requests |
//! | `store` | the scenario of the event store and the projection |
//! | `aggregates` | the scenario of the stream and the aggregates |
//! | `caches` | the scenario of the lookup and its caches |
//! | `isolation` | the scenario of noisy and quiet tenants |
//! | `losses` | the scenario of lost and altered objects, over the scripts of the event store |
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod actors;
mod aggregates;
mod caches;
mod content;
mod draft;
mod isolation;
mod losses;
mod raw;
mod store;
mod stored_file;

use taxonomy_tests::fault_plan;
