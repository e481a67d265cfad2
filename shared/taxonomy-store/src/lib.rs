//! The outside: everything that speaks to DynamoDB and S3, and nothing that decides.
//!
//! Rooms, in reading order: [`StoreError`] and the questions to ask of it (`error`); the one table ([`Table`]: `table`,
//! `attributes`); [`Head`], the head of a tenant's chain of versions (`head`); [`Reader`], the access patterns
//! (`reader`); [`Sources`], what upstreams upload (`source`); [`Archive`], snapshots and reports (`archive`); [`Heads`],
//! the commits (`commit`); [`Projection`], the conditional writes (`projection`); [`Aggregates`], what is counted (`aggregates`).

mod aggregates;
mod archive;
mod attributes;
mod backoff;
mod commit;
mod error;
mod head;
mod projection;
mod reader;
mod source;
mod table;

pub use aggregates::Aggregates;
pub use archive::{Archive, Packed};
pub use commit::{Commit, CommitOutcome, Configuration, Heads};
pub use error::StoreError;
pub use head::{Committed, Head, LogEntry, Refusal, SourceStamp};
pub use projection::{Projection, Written};
pub use reader::{Found, Page, Reader, TermWithAncestors};
pub use source::{Body, Object, SourceError, Sources};
pub use table::Table;
