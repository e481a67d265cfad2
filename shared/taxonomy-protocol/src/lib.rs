//! The protocol: how a tenant's file becomes a version, and a version the table; and what operators do with versions.
//! It decides; what it asks for is done by `taxonomy-store`.
//!
//! Rooms, in reading order: [`Taxonomies`], everything this works with (`taxonomies`); `due`, what there is to do for a tenant; `reconcile`, doing it until the tenant is at rest;
//! `take`, a file looked at; `propose`, a version committed; `version`, what is stored of one besides its content; `preview`, a version in memory; `settings`, what a version is besides its content; `catch_up`, the
//! table brought to the head, `everything` for full versions, `phases` for the order of its writes while the default culture changes, `course` for how far it is, `heartbeat` for what other processes see of it; [`Deadline`]; [`Tally`], what is counted of it (`tally`); then the operators' commands: `configure`, `history`,
//! `restore` (roll back, rebuild), `verify`, `replay` (the chain, from the first version or a checkpoint), `audit`, `checkpoint` (how far
//! audits came) and `recount`; `downloads` of versions, written part by part (`parts`); behind a feature of its own `purge`, which deletes a tenant.

mod audit;
mod catch_up;
mod checkpoint;
mod configure;
mod course;
mod deadline;
mod downloads;
mod due;
mod error;
mod everything;
mod heartbeat;
mod history;
mod indexing;
#[cfg(feature = "sabotage")]
mod mistaken;
mod parts;
mod phases;
mod preview;
mod propose;
#[cfg(feature = "purge")]
mod purge;
#[cfg(feature = "purge")]
mod purge_ids;
mod reconcile;
mod recount;
mod replay;
mod restore;
mod searching;
mod settings;
mod take;
mod tally;
mod taxonomies;
mod verify;
mod version;

pub use audit::{Audit, Audited, Order};
pub use checkpoint::FULL_EVERY;
pub use deadline::Deadline;
pub use downloads::Made;
pub use error::{ProtocolError, causes};
pub use heartbeat::Deferral;
pub use history::State;
pub use preview::{Preview, PreviewBase};
#[cfg(feature = "purge")]
pub use purge::{PURGE_QUIET, PurgeOptions, PurgePlan, PurgeProgress, PurgeStep, Purged};
pub use reconcile::Outcome;
pub use tally::{Tallied, Tally, TallyLimits};
pub use taxonomies::{Bounds, Taxonomies};
pub use taxonomy_index::INDEX_FORMAT;
#[cfg(feature = "sabotage")]
pub use taxonomy_store::Sabotage;
pub use verify::{Difference, Verdict};
