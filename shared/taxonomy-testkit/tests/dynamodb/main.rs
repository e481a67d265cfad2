//! The documented behaviour of DynamoDB, checked on the engine of the testkit through the real client.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests")]

mod conformance;
