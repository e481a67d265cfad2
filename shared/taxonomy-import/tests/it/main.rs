//! Imports through the public interface.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ids;
mod releases;
mod rules;
mod skos;
mod support;
mod texts;
