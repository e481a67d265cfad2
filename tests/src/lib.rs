//! Helpers that the integration tests and the proofs share.
//!
//! | Module | Contents |
//! |---|---|
//! | [`world`] | projector and aggregator with their table, buckets, queues and topic |
//! | [`delivery`] | uploads, events, records and messages that reach new processes |
//! | [`stored`] | heads, and live items as texts |
//! | [`files`] | the files of tests, and the items of a file |
//! | [`asking`] | requests to a process of the lookup |
//! | [`operator`] | an operator with a projector at hand |
//! | [`by_hand`] | items and objects that a test reads and changes by hand |
//! | [`plain`] | a plain reading of a file |
//! | [`prelude`] | the words that nearly every test uses |
//! | [`queues`] | the queues of a stack |
//! | [`budget`] | the extent of the proofs |
//! | [`fault_plan`] | the faults at each request, and pairs of them |
//! | [`notification`] | validation of notifications against their published schema and CloudEvents |
//! | [`summary`] | the summary of a proof |
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, here as well"
)]

pub mod asking;
pub mod budget;
pub mod by_hand;
pub mod delivery;
pub mod fault_plan;
pub mod files;
pub mod notification;
pub mod operator;
pub mod plain;
pub mod prelude;
pub mod queues;
pub mod stored;
pub mod summary;
pub mod world;
