//! The whole function over the embedded table: events in, answers out, requests and units counted.
#![expect(
    clippy::unwrap_used,
    reason = "only tests run this; where something is missing they stop"
)]

mod batches;
mod cache;
mod caching;
mod categories;
mod children;
mod cultures;
mod events;
mod failures;
mod fields;
mod forms;
mod gateway;
mod headers;
mod heads;
mod languages;
mod lifetimes;
mod one_name;
mod policies;
mod prepared;
mod requests;
mod schema;
mod security;
mod sibling_order;
mod stack;
mod stats;
mod tenant_list;
mod terms;
