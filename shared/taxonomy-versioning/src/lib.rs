//! The versions of a tenant: from a source object to a committed version, from a version to the items of the table, and the operators'
//! commands over versions. The crate decides; `taxonomy-store` sends the requests.
//!
//! The state machine of a tenant: [`Service::reconcile`] repeats *plan* and *action* until nothing is left to do. The actions are to ingest a
//! source object, to commit a version, and to project it. Every action is idempotent, and every process may execute any of them at any time.
//!
//! | Module | Content |
//! |---|---|
//! | `service` | [`Service`]: the entry point, with its stores and configuration |
//! | `reconcile`, `plan` | the loop over one tenant; its next action, a pure function |
//! | `ingest`, `settings` | a source object, committed or refused; the settings of a version |
//! | `commit`, `version` | committing a version; the records that a version consists of |
//! | `load`, `heartbeat` | which load a tenant needs next; the heartbeat of a load |
//! | `project`, `full_rewrite`, `progress`, `deadline` | doing a load; full loads; its progress; [`Deadline`], the end of an invocation |
//! | `files`, `store_files` | search objects and index files: building them, storing them before the commit |
//! | `aggregate` | [`AggregateUpdater`]: the aggregates of a projected version |
//! | `requests`, `rollback`, `rebuild`, `configure` | requests of operators, and carrying them out; settings |
//! | `history`, `downloads`, `parts` | past versions; downloads, written part by part |
//! | `verify`, `repair`, `replay`, `count_items`, `audit`, `checkpoint` | verification, repair, and the progress of audits |
//! | `partitions` | the partitions of everything that a tenant ever had |
//! | `preview` | a version in memory |
//! | `purge` | deleting a tenant, behind the feature `purge` |

mod aggregate;
mod audit;
mod checkpoint;
mod commit;
mod configure;
mod count_items;
mod deadline;
mod downloads;
mod error;
mod files;
mod full_rewrite;
mod heartbeat;
mod history;
mod ingest;
mod load;
mod partitions;
mod parts;
mod plan;
mod preview;
mod progress;
mod project;
#[cfg(feature = "purge")]
mod purge;
mod rebuild;
mod reconcile;
mod repair;
mod replay;
mod requests;
mod rollback;
mod service;
mod settings;
mod store_files;
mod verify;
mod version;

pub use aggregate::{AggregateUpdate, AggregateUpdater, UpdateLimits};
pub use audit::{Audit, AuditRequest, Audited};
pub use checkpoint::FULL_EVERY;
pub use deadline::Deadline;
pub use downloads::Made;
pub use error::{VersioningError, causes};
pub use history::State;
pub use preview::{Preview, PreviewBase};
#[cfg(feature = "purge")]
pub use purge::{PURGE_QUIET, PurgeOptions, PurgePlan, PurgeProgress, PurgeStep, Purged};
pub use reconcile::Outcome;
pub use service::{Service, ServiceConfig, Stores};
pub use verify::{Difference, Verdict};
