//! The versions of a tenant: from a source object to a committed version, from a version to the items of the table, and the operators'
//! commands over versions. The crate decides; `taxonomy-store` sends the requests.
//!
//! The state machine of a tenant: [`Service::reconcile`] repeats *plan* and *action* until nothing is left to do. The actions are to ingest a
//! source object, to commit a version, and to project it. Every action is idempotent, and every process may execute any of them at any time.
//!
//! | Module | Content |
//! |---|---|
//! | `service`, `reconcile`, `plan` | [`Service`]: the entry point; the loop over one tenant; its next action, a pure function |
//! | `ingest` | from a source object to a committed version, with all its files, or a refusal |
//! | `load`, `deadline` | which load a tenant needs next, and doing it; [`Deadline`], the end of an invocation |
//! | `aggregate` | [`AggregateUpdater`]: the aggregates of a version |
//! | `requests` | requests of operators, and carrying them out; settings |
//! | `restore` | restoring lost bodies and files from what is left |
//! | `history` | past versions, their downloads, a version in memory |
//! | `verify` | verification, repair, and audits |
//! | `purge` | deleting a tenant, behind the feature `purge` |

mod aggregate;
mod deadline;
mod error;
mod history;
mod ingest;
mod load;
mod plan;
#[cfg(feature = "purge")]
mod purge;
mod reconcile;
mod requests;
mod restore;
mod service;
mod verify;

pub use aggregate::{AggregateUpdate, AggregateUpdater, UpdateLimits};
pub use deadline::Deadline;
pub use error::VersioningError;
pub use history::State;
pub use history::preview::{Preview, PreviewBase};
pub use plan::behind_ms;
#[cfg(feature = "purge")]
pub use purge::{PURGE_QUIET, PurgeOptions, PurgePlan, PurgeProgress, PurgeStep, Purged};
pub use reconcile::Outcome;
pub use requests::repair::RepairReport;
pub use service::{Service, ServiceConfig, Stores};
pub use verify::Verdict;
pub use verify::audit::{Audit, AuditRequest, Audited};
pub use verify::checkpoint::FULL_EVERY;
pub use verify::difference::{Difference, Findings, Found, Mending, Place};
