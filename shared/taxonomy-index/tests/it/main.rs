//! The index file against plain readings of the same versions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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
