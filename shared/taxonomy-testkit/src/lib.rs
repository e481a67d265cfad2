//! In-process fakes of DynamoDB, S3, SQS, SNS and CloudFront for tests, which call them through the real SDK clients.
//!
//! Nothing in this crate opens a socket, except for a real Valkey server and for a second database engine. All services are behind the SDK's
//! HTTP connector, so signing, serialisation, retries and time-outs are the real ones, and under paused tokio time a back-off costs no real time.
//!
//! | File | Contents |
//! |---|---|
//! | `fake` | [`Fake`]: a service with the transport of its clients |
//! | `transport` | [`Transport`]: the connector that all services share; counts and records requests, injects faults, names the actor of a request, and holds requests at a gate |
//! | `exchange` | [`Exchange`], [`Exchanges`]: the recorded requests and responses, with status, items and capacity units |
//! | `faults` | [`Fault`], [`When`]: fault injection |
//! | `dynamodb` | [`EmbeddedDynamoDb`]: the table of decision page 1, dumps for snapshots, stream records for handlers, a replica that lags |
//! | `s3` | [`S3Fake`]: buckets with versions, conditional writes, false sizes, and the notifications that writes cause |
//! | `sqs` | [`SqsFake`]: queues, dead letters and redrives |
//! | `sns` | [`SnsFake`]: published messages with their attributes |
//! | `iam` | [`iam::Policy`]: whether the policies of the template allow a recorded request |
//! | `cloudfront` | [`CloudFrontFake`]: invalidations of a CDN |
//! | `valkey` | [`ValkeyServer`]: the real program, in a process of its own |
//! | `interleaving` | [`Interleaving`]: a few concurrent invocations; a seed chooses their order and their faults |
//! | `fixtures` | names that every test uses: [`fixtures::ACME`], [`fixtures::TABLE`] and so on |
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use aws_sdk_dynamodb::types::AttributeValue;
//! use taxonomy_testkit::{EmbeddedDynamoDb, Fault, When};
//!
//! let db = EmbeddedDynamoDb::new();
//! db.create_table("taxonomy");
//! db.transport().inject(When::nth(1).operation("PutItem"), Fault::AnswerLost);
//!
//! let put = db.client().put_item().table_name("taxonomy");
//! let put = put.item("PK", AttributeValue::S("TAXONOMY#acme".into())).item("SK", AttributeValue::S("HEAD".into()));
//! put.send().await.unwrap();
//!
//! assert_eq!(db.dump("taxonomy"), ["TAXONOMY#acme | HEAD"]);
//! assert_eq!(db.exchanges().count("PutItem"), 2, "the SDK sent it again by itself");
//! # });
//! ```
//!
//! `TAXONOMY_ENGINE=http://127.0.0.1:PORT` puts another engine behind [`EmbeddedDynamoDb`], such as Amazon's DynamoDB Local, and the same
//! tests run against it: `make prove NAMES=conformance`. `docs/conformance.md` lists the differences between the engines and AWS's documentation, and
//! tests assert them.
//!
//! The embedded engine gives stronger guarantees than AWS: every read is consistent, the stream has one shard, nothing is throttled and
//! transactions never conflict. A test that needs weaker guarantees injects a [`Fault`], or reads from a replica that it holds back
//! ([`EmbeddedDynamoDb::lag`]).
#![allow(clippy::disallowed_methods, reason = "a test is no function that is frozen")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "only tests run this; a mistake of a test panics with a message that names it"
)]

pub mod cloudfront;
pub mod dynamodb;
pub mod exchange;
pub mod fake;
pub mod faults;
pub mod fixtures;
pub mod iam;
pub mod interleaving;
pub mod s3;
pub mod sns;
pub mod sqs;
pub mod transport;
pub mod valkey;
mod xml;

use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_sdk_dynamodb::config::retry::{RetryPartition, TokenBucket};
use serde_json::Value;

pub use cloudfront::CloudFrontFake;
pub use dynamodb::EmbeddedDynamoDb;
pub use exchange::{Exchange, Exchanges};
pub use fake::Fake;
pub use faults::{Fault, Injected, When};
pub use interleaving::{Account, FaultRates, Interleaving, Scenario};
pub use s3::S3Fake;
pub use sns::SnsFake;
pub use sqs::SqsFake;
pub use transport::{Pending, Transport};
pub use valkey::ValkeyServer;

/// Returns a partition of retries without a quota. The quota of the SDK is one for all clients of a process, so tests that throttle would take the
/// retries of those that run beside them.
pub fn unlimited_retries() -> RetryPartition {
    RetryPartition::custom("testkit")
        .token_bucket(TokenBucket::unlimited())
        .build()
}

/// Locks a state, even after a test that held it has failed.
pub(crate) fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the first record of a sample event.
pub(crate) fn sample(event: &str) -> Value {
    let mut event: Value = serde_json::from_str(event).expect("a sample event is JSON");
    event["Records"][0].take()
}
