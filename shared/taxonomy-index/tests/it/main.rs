//! The index file against plain readings of the same versions.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod chain;
mod counted;
mod damage;
mod golden;
mod history;
mod large;
mod oracle;
mod parts;
mod same_answers;
mod steps;

#[path = "../../../taxonomy-model/tests/it/support.rs"]
#[expect(
    dead_code,
    reason = "the generator of files, which the model's tests have too"
)]
mod support;
