//! The whole function over the embedded table: events in, answers out, requests and units counted.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batches;
mod cache;
mod caching;
mod failures;
mod fields;
mod forms;
mod gateway;
mod headers;
mod languages;
mod lifetimes;
mod lists;
mod one_name;
mod policies;
mod prepared;
mod refusals;
mod schema;
mod security;
mod stack;
mod terms;
