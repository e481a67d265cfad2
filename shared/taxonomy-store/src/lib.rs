//! Requests to DynamoDB, S3, SQS and SNS: their conditions, and the meaning of their errors. The crate decides nothing.
//!
//! | Module | Content |
//! |---|---|
//! | `error` | [`StoreError`], and the predicates that callers use on it |
//! | `table`, `attributes`, `update_expression` | [`Table`]: the one table; conversions of items; update expressions |
//! | `head`, `heads`, `requests`, `tenants` | [`Head`]: the state of a tenant; [`Heads`]: reading and updating it; requests of operators; lists of tenants |
//! | `cursor`, `loads` | [`LoadCursor`]: the progress of a load; its updates of the head |
//! | `commit`, `log`, `log_parts`, `configuration` | committing a version; the log of versions; the configuration of tenants |
//! | `reader`, `raw_items`, `replace` | [`Reader`]: the access patterns; raw items, for verification; replacing them as they were seen |
//! | `projection`, `concurrent`, `adaptive_concurrency` | [`Projection`]: the conditional writes of items, with bounded concurrency |
//! | `source`, `upload` | [`Sources`]: the source objects; uploading one |
//! | `bucket` | [`Bucket`]: the requests that several kinds of objects share |
//! | `archive`, `object`, `indexes`, `downloads`, `download`, `transfer` | [`Archive`]: the bodies of versions; [`Object`]: storing and comparing one; reading index files; downloads; time-outs by size |
//! | `aggregates`, `checkpoints` | [`Aggregates`]; [`CheckpointNote`]: the progress of audits |
//! | `queue`, `redrive`, `backoff` | [`Queue`]; [`redrive`]; pauses between attempts |
//! | `failures`, `publisher` | [`FailureBucket`]: unfinished stream records; [`Publisher`]: the events topic |
//! | `usage` | [`usage`]: the consumption of one request |
//! | `purge`, `purge_objects` | deleting a tenant, behind the feature `purge` |

mod adaptive_concurrency;
mod backoff;
mod concurrent;
mod error;
mod objects;
#[cfg(feature = "purge")]
mod purge;
mod queues;
mod table;
pub mod usage;

pub use concurrent::Stopped;
pub use error::{StoreError, UnlessLost};
pub use objects::archive::{Archive, Packed};
pub use objects::bucket::{Bucket, PutOutcome};
pub use objects::download::Download;
pub use objects::downloads::DownloadUpload;
pub use objects::failures::{FailureBucket, FailureKind};
pub use objects::indexes::Tail;
pub use objects::object::Object;
pub use objects::source::{ListedSource, SourceBody, SourceError, SourceObject, SourcePage, Sources};
pub use objects::transfer::extra_time;
pub use objects::upload::{Upload, UploadError};
#[cfg(feature = "purge")]
pub use purge::Purge;
pub use queues::Queue;
pub use queues::publisher::Publisher;
pub use queues::redrive::redrive;
pub use table::aggregates::{Aggregates, WithActivity};
pub use table::checkpoints::{Checkpoint, CheckpointNote, FullAudit, StoredNote};
pub use table::commit::Commit;
pub use table::configuration::{
    Configuration, Description, DisplayName, Freeze, InvalidLine, Line, PurgeNote, PurgePhase, RemovalLimit,
};
pub use table::cursor::{LoadCursor, LoadState};
pub use table::head::{Committed, Head, LogEntry, Refusal, SourceStamp, is_index_key_of};
pub use table::heads::{Heads, TenantItems};
pub use table::listing::{ListedTenant, Newest};
pub use table::log::PAGE as LOG_PAGE;
pub use table::projection::{NewerItem, Projection, WriteOutcomes, WriteProgress};
pub use table::raw_items::{ItemContent, StoredItem, is_of_nodes};
pub use table::reader::{Reader, TermItem, Versioned};
pub use table::replace::Replacement;
pub use table::requests::{Answer, Answered, Asked, RepairNote, RepairStep, Request};
pub use table::tenants::TenantPage;
pub use table::{Consistency, Table};

#[cfg(test)]
mod fakes;
