//! Tests of the testkit's database through the real client, and of the engine behind it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests")]

mod common;
mod conformance;
mod reads;
mod replica;
mod stream;
mod writes;
