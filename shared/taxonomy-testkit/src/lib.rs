//! What tests stand on: DynamoDB, S3, SQS and SNS inside the test process, spoken to through the real SDK clients.
//!
//! Nothing here opens a socket, except for a real Valkey server and for a second database engine. All services hang behind the SDK's HTTP connector, so signing, serialising, retries and
//! time-outs are the real ones, and under paused tokio time back-off costs nothing.
//!
//! | File | What is in it |
//! |---|---|
//! | `wire` | [`Wire`]: the connector all services share; counts requests, records them, injects faults, says whose they are, and holds them at a gate |
//! | `exchange` | [`Exchange`], [`Exchanges`]: what went over the wire, with status, items and capacity units |
//! | `faults` | [`Fault`], [`When`]: which request goes wrong, and how |
//! | `dynamodb` | [`EmbeddedDynamoDb`]: the table of decision page 1, dumps for snapshots, stream records for handlers, a replica that lags |
//! | `s3` | [`S3Fake`]: buckets with versions, conditional writes, sizes that lie and the notifications that writes cause |
//! | `sqs` | [`SqsFake`]: queues, dead letters and the task that moves them back |
//! | `sns` | [`SnsFake`]: what was published, with its attributes |
//! | `iam` | [`iam::Policy`]: what the policies of the template allow of what went over the wire |
//! | `cloudfront` | [`CloudFrontFake`]: what a CDN was asked to forget |
//! | `valkey` | [`ValkeyServer`]: the real program, in a process of its own |
//! | `interleaving` | [`Interleaving`]: a few invocations at once, their order and their misfortunes chosen by a seed |
//! | `fixtures` | names every test uses: [`fixtures::ACME`], [`fixtures::EN_GB`] and so on |
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use aws_sdk_dynamodb::types::AttributeValue;
//! use taxonomy_testkit::{EmbeddedDynamoDb, Fault, When};
//!
//! let db = EmbeddedDynamoDb::new();
//! db.create_table("taxonomy");
//! db.wire().inject(When::nth(1).operation("PutItem"), Fault::AnswerLost);
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
//! tests run against it: `make conformance`. The differences between the engines and AWS's documentation are listed in
//! `docs/conformance.md`, and asserted.
//!
//! The embedded engine is stronger than AWS: every read is consistent, the stream has one shard, nothing throttles and
//! transactions never conflict. What a test needs to be weaker it injects with a [`Fault`], or reads from a replica that it holds back
//! ([`EmbeddedDynamoDb::lag`]).
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "only tests run this; where a test is to blame it stops with the message that says so"
)]

pub mod cloudfront;
pub mod dynamodb;
pub mod exchange;
pub mod faults;
pub mod fixtures;
pub mod iam;
pub mod interleaving;
pub mod s3;
pub mod sns;
pub mod sqs;
pub mod valkey;
pub mod wire;

pub use cloudfront::CloudFrontFake;
pub use dynamodb::EmbeddedDynamoDb;
pub use exchange::{Exchange, Exchanges};
pub use faults::{Fault, When};
pub use interleaving::{Account, Chances, Ending, Interleaving, Stage};
pub use s3::S3Fake;
pub use sns::SnsFake;
pub use sqs::SqsFake;
pub use valkey::ValkeyServer;
pub use wire::{Pending, Wire};
