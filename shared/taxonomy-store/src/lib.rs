//! The outside: everything that speaks to DynamoDB, S3, SQS and SNS, and nothing that decides.
//!
//! Rooms, in reading order: [`StoreError`] and the questions to ask of it (`error`); the one table ([`Table`]: `table`,
//! `attributes`, `change`); [`Head`], what is known of a tenant (`head`); [`Reader`], the access patterns
//! (`reader`, `audit`); [`Sources`], what upstreams upload (`source`), and uploading it (`upload`); [`Archive`], snapshots, changesets and reports (`archive`; `indexes`, the index files of versions; `download`, `downloads` and `download_queue`, downloads of versions and the queue that has them made; `transfer`, the time that a body may
//! take); [`Heads`], the heads (`heads`, `cursor`, and lists of them in `tenants`), the commit of a version (`commit`), the log (`log`) and what operators configure (`configuration`); [`Chain`], the
//! changesets one after the other (`chain`); [`Projection`], the conditional writes (`projection`, `paced`, `pace`); [`RetryQueue`], what is not
//! finished (`retry_queue`), and [`DeadLetters`], what failed on every try (`dead_letters`; [`redrive`] moves it back); [`AuditNotes`], how far chains are verified
//! (`audit_notes`); [`Aggregates`], what is counted (`aggregates`); [`DeferredQueue`] and [`Failures`], stream records that are not
//! done (`deferred_queue`, `failures`); [`Publisher`], the topic that tells others (`publisher`); [`usage`], the counts of what one request consumes; `Purge` and `Objects`, which delete a tenant, behind the feature `purge` (`purge`, `purge_objects`).

mod aggregates;
mod archive;
mod attributes;
mod audit;
mod audit_notes;
mod backoff;
mod chain;
mod change;
mod commit;
mod configuration;
mod cursor;
mod dead_letters;
mod deferred_queue;
mod download;
mod download_queue;
mod downloads;
mod error;
mod failures;
mod head;
mod heads;
mod indexes;
mod log;
mod log_parts;
mod pace;
mod paced;
mod projection;
mod publisher;
#[cfg(feature = "purge")]
mod purge;
#[cfg(feature = "purge")]
mod purge_objects;
mod reader;
mod redrive;
mod retry_queue;
mod sabotage;
mod source;
mod table;
mod tenants;
mod transfer;
mod upload;
pub mod usage;

pub use aggregates::{Aggregates, Over, Put, WithActivity};
pub use archive::{Archive, Packed, Stored};
pub use audit::StoredItem;
pub use audit_notes::{AuditNote, AuditNotes, Checkpoint, FullAudit, Seen};
pub use chain::Chain;
pub use commit::{Commit, CommitOutcome};
pub use configuration::{Configuration, Fuse, PurgeNote, PurgePhase};
pub use cursor::{Cursor, LoadState};
pub use dead_letters::DeadLetters;
pub use deferred_queue::DeferredQueue;
pub use download::Download;
pub use download_queue::DownloadQueue;
pub use downloads::DownloadUpload;
pub use error::StoreError;
pub use failures::{Failures, Kept};
pub use head::{Committed, Head, LogEntry, Refusal, SourceStamp};
pub use heads::{Heads, Index};
pub use indexes::Tail;
pub use log::PAGE as LOG_PAGE;
pub use paced::Stopped;
pub use projection::{Progress, Projection, Written};
pub use publisher::Publisher;
#[cfg(feature = "purge")]
pub use purge::{Presence, Purge};
#[cfg(feature = "purge")]
pub use purge_objects::Objects;
pub use reader::{Found, Page, Read, Reader, Row, TermItem};
pub use redrive::redrive;
pub use retry_queue::RetryQueue;
pub use sabotage::Sabotage;
pub use source::{Body, Listed, ListedPage, Object, SourceError, Sources};
pub use table::{Consistency, Table};
pub use tenants::TenantPage;
pub use transfer::extra_time;
pub use upload::{Upload, UploadError};
