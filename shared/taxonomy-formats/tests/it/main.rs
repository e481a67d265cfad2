//! One binary: each format against readers that share nothing with its writer, and the laws that all of them keep.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod csv;
mod graph;
mod history;
mod json;
mod losses;
mod ndjson;
mod skos;
