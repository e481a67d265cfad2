//! The expander against a source in memory, under paused time.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bound;
mod failures;
mod reference;
mod rules;
mod versions;
mod world;
