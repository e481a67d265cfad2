//! The whole function over the embedded table: events in, answers out, requests and units counted.
#![expect(
    clippy::unwrap_used,
    reason = "only tests run this; where something is missing they stop"
)]

mod batches;
mod caching;
mod categories;
mod children;
mod cultures;
mod events;
mod failures;
mod gateway;
mod heads;
mod policies;
mod schema;
mod security;
mod stack;
mod stats;
mod terms;
