//! One binary: each format against readers that share nothing with its writer, and the laws that all of them keep.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod csv;
mod graph;
mod history;
mod json;
mod losses;
mod nasty;
mod ndjson;
mod real;
mod rebuilt;
mod skos;

/// Any taxonomy, as the text of a file; the tests of the model use the same.
#[path = "../../../taxonomy-model/tests/it/support.rs"]
#[expect(dead_code, reason = "the tests of the model use more of it")]
mod support;
