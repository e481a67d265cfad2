//! The documented behaviour of DynamoDB, checked on the engine of the testkit through the real client.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod conformance;
