//! Mentions in texts, compared with a reference that tries every name at every place, and word by word.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "helpers of tests; texts are short"
)]

mod damage;
mod letters;
mod names;
mod object;
mod random;
mod reference;
mod rules;
