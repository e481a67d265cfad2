//! The embedded DynamoDB through the real client.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests")]

mod common;
mod limits;
mod reads;
mod replica;
mod stream;
mod writes;
