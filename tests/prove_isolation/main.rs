//! The proof of isolation: several tenants share the functions, the stream and the queues, one of them fails in every way there is, and the
//! others are committed, counted and published as if it was not there.
//!
//! | File | What is in it |
//! |---|---|
//! | `platform` | Lambda, SNS, SQS and the stream in virtual time: batch size, parallelisation, maximum and reserved concurrency, retries |
//! | `neighbour` | the ways in which the noisy tenant fails |
//! | `workload` | the quiet tenants and their uploads |
//! | `case` | one run, and what came of it |
//! | `cases` | seed after seed: each run beside the same run without the noisy tenant |
//! | `categories` | a changeset of as many categories as a test needs |
//! | `counting` | the largest tenant, counted within a partition's units and the function's time |
//! | `proof` | the line that says how much was tried |
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod case;
mod cases;
mod categories;
mod counting;
mod neighbour;
mod platform;
mod proof;
mod workload;
