//! Requests to DynamoDB, S3, SQS and SNS: their conditions, and the meaning of their errors. The crate decides nothing.
//!
//! | Module | Content |
//! |---|---|
//! | `error` | [`StoreError`], and the predicates that callers use on it |
//! | `table`, `attributes`, `update_expression` | [`Table`]: the one table; conversions of items; update expressions |
//! | `head`, `heads`, `requests`, `tenants` | [`Head`]: the state of a tenant; [`Heads`]: reading and updating it; requests of operators; lists of tenants |
//! | `cursor`, `loads` | [`Cursor`]: the progress of a load; its updates of the head |
//! | `commit`, `log`, `log_parts`, `configuration` | committing a version; the log of versions; the configuration of tenants |
//! | `reader`, `raw_items` | [`Reader`]: the access patterns; raw items, for verification |
//! | `projection`, `concurrent`, `adaptive_concurrency` | [`Projection`]: the conditional writes of items, with bounded concurrency |
//! | `source`, `upload` | [`Sources`]: the source objects; uploading one |
//! | `archive`, `chain`, `indexes`, `downloads`, `download`, `transfer` | [`Archive`]: the bodies of versions; [`Chain`]: changesets in order; index files; downloads; time-outs by size |
//! | `aggregates`, `checkpoints` | [`Aggregates`]; [`Checkpoints`]: the progress of audits |
//! | `queue`, `redrive`, `backoff` | [`Queue`]; [`redrive`]; pauses between attempts |
//! | `failures`, `publisher` | [`FailureBucket`]: unfinished stream records; [`Publisher`]: the events topic |
//! | `usage` | [`usage`]: the consumption of one request |
//! | `purge`, `purge_objects` | deleting a tenant, behind the feature `purge` |

mod adaptive_concurrency;
mod aggregates;
mod archive;
mod attributes;
mod backoff;
mod chain;
mod checkpoints;
mod commit;
mod concurrent;
mod configuration;
mod configure;
mod cursor;
mod download;
mod downloads;
mod error;
mod failures;
mod head;
mod heads;
mod indexes;
mod loads;
mod log;
mod log_parts;
mod projection;
mod publisher;
#[cfg(feature = "purge")]
mod purge;
#[cfg(feature = "purge")]
mod purge_objects;
mod queue;
mod raw_items;
mod reader;
mod redrive;
mod requests;
mod source;
mod table;
mod tenants;
mod transfer;
mod update_expression;
mod upload;
pub mod usage;

pub use aggregates::{Aggregates, Over, Put, WithActivity};
pub use archive::{Archive, Packed, Stored};
pub use chain::Chain;
pub use checkpoints::{Checkpoint, CheckpointNote, Checkpoints, FullAudit, Seen};
pub use commit::{Commit, CommitOutcome};
pub use concurrent::Stopped;
pub use configuration::{Configuration, PurgeNote, PurgePhase, RemovalLimit};
pub use cursor::{Cursor, LoadState};
pub use download::Download;
pub use downloads::DownloadUpload;
pub use error::StoreError;
pub use failures::{FailureBucket, FailureKind};
pub use head::{Committed, Head, LogEntry, Refusal, SourceStamp};
pub use heads::Heads;
pub use indexes::Tail;
pub use log::PAGE as LOG_PAGE;
pub use projection::{NewerItem, Progress, Projection, WriteOutcomes};
pub use publisher::Publisher;
#[cfg(feature = "purge")]
pub use purge::{Presence, Purge};
#[cfg(feature = "purge")]
pub use purge_objects::BucketObjects;
pub use queue::Queue;
pub use raw_items::StoredItem;
pub use reader::{Found, Read, Reader, TermItem};
pub use redrive::redrive;
pub use requests::{Answer, Answered, Asked, Request};
pub use source::{Body, Listed, ListedPage, Object, SourceError, Sources};
pub use table::{Consistency, Table};
pub use tenants::TenantPage;
pub use transfer::extra_time;
pub use upload::{Upload, UploadError};
