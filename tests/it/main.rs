//! One binary: journeys over the real functions and the real SDK, against an embedded DynamoDB and an S3 in memory.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod aggregates;
mod architecture;
mod audit;
mod caches;
mod capacity;
mod configuration;
mod deadline;
mod faults;
mod heartbeat;
mod history;
mod lambda_http;
mod notifications;
mod poison;
mod projection;
mod reach;
mod refusals;
mod restore;
mod retries;
mod stored;
mod sweep;
mod template;
mod verify;
