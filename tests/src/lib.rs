//! What the journeys and the proofs share.
//!
//! | Module | What is in it |
//! |---|---|
//! | [`world`] | projector and aggregator with everything around them |
//! | [`files`] | the files of journeys, and the items that a file asks for |
//! | [`queues`] | the queues of a stack |
//! | [`effort`] | how much is tried |
//! | [`mistakes`] | what is done wrong on purpose |
//! | [`notification`] | notifications against their published schema and CloudEvents |
//! | [`closing`] | what was tried, in a proof's last lines |
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and a proof says what it tried, here as well"
)]

pub mod closing;
pub mod effort;
pub mod files;
pub mod mistakes;
pub mod notification;
pub mod queues;
pub mod world;
