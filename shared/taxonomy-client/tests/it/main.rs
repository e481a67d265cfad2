//! The client over the real lookup, behind a gateway that answers as API Gateway does and breaks on demand.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod caching;
mod consumer;
mod lists;
mod passage;
mod refusals;
mod retries;
mod routes;
mod secrets;
mod signatures;
mod sockets;
