//! Search objects, compared with a search that looks at every name, and with a reference that tries every name at every place of a text.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    reason = "helpers of tests; objects fit into memory"
)]

mod answers;
mod bounds;
mod damage;
mod large;
mod mention;
mod object;
mod ranges;
mod reading;
mod reference;
mod spellings;
mod symbols;
mod typed;
