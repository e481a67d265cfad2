//! Imports through the public interface.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod categories;
mod cultures;
mod damaged;
mod esco;
mod hostile;
mod ids;
mod kinds;
mod metadata;
mod open_food_facts;
mod paths;
mod random;
mod refused;
mod releases;
mod rules;
mod skos;
mod sort_keys;
mod support;
mod table;
mod texts;
mod written;
