//! One binary: journeys over the real functions and the real SDK, against an embedded DynamoDB and an S3 in memory.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod aggregates;
mod alarms;
mod architecture;
mod audit;
mod caches;
mod capacity;
mod checkpoints;
mod configuration;
mod deadline;
mod default_culture;
mod faults;
mod heartbeat;
mod history;
mod isolation;
mod lambda_http;
mod limits;
mod lookup_template;
mod notification_schema;
mod notifications;
mod poison;
mod policies;
mod projection;
mod provenance;
mod purge;
mod queues;
mod reach;
mod redelivery;
mod refusals;
mod restore;
mod retries;
mod stored;
mod sweep;
mod template;
mod uploads;
mod verify;
