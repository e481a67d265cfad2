//! What the journeys and the proofs share.
//!
//! | Module | What is in it |
//! |---|---|
//! | [`world`] | projector and aggregator with everything around them, and what a file asks for |
//! | [`effort`] | how much is tried |
//! | [`told`] | what was tried, in a proof's last lines |
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, here as well"
)]

pub mod effort;
pub mod told;
pub mod world;
