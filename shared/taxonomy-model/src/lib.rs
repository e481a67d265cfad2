//! The model of a taxonomy: its file, its validated tree, its stored forms, and the differences between two versions.
//! Pure: bytes and plain data in, plain data out; no AWS, no async, no clock.
//!
//! Modules, in reading order:
//! - [`Taxonomy`], the validated tree of one version, and its construction (`taxonomy`, `tree`, `details`, `settings`, `draft`);
//! - [`parse()`]: the input file to a [`Taxonomy`], with a complete [`Report`] (`parse`, `report`);
//! - [`snapshot`]: the canonical form of a version, and its [`struct@Hash`];
//! - [`Fact`], [`diff()`], [`apply`]: the differences between two versions; [`changeset`]: their stored form;
//!   [`NodeChange`]: the change of one category or term;
//! - [`Fragment`]: some terms of a version with all their ancestors;
//! - [`stored`]: the stored attributes of every item; [`items`]: the items of a version;
//!   [`writes`]: the fewest writes that turn the items of one version into those of another;
//! - [`Totals`], [`Changes`], [`Census`], [`Coverage`]: the aggregates of a version.

mod census;
mod codes;
mod coverage;
mod day;
mod derived;
mod details;
mod draft;
mod fact;
mod facts;
mod fragment;
mod hash;
mod lineage;
mod metadata;
mod names;
mod node_change;
mod parse;
mod provenance;
mod record;
mod report;
mod settings;
mod siblings;
mod stored_path;
mod taxonomy;
mod text;
mod totals;
mod tree;

pub mod attribute;
pub mod changeset;
pub mod items;
pub mod operations;
pub mod snapshot;
pub mod stats;
pub mod stored;
mod under;
pub mod units;
pub mod writes;

pub use census::{CategoryCounts, Census, Counts, TenantCounts};
pub use coverage::Coverage;
pub use day::is_day;
pub use details::{Deprecation, Details, Notes, RelatedId, Relation, RelationType};
pub use fact::{Fact, NodeId, TermPosition};
pub use facts::{ApplyError, apply, diff, facts_between, touched};
pub use fragment::{Fragment, FragmentBuilder};
pub use hash::{Hash, NoHash};
pub use metadata::Metadata;
pub use node_change::{ChangeKind, NodeChange};
pub use parse::{Defaults, Limits, Parsed, parse};
pub use provenance::Provenance;
pub use record::{InvalidRecord, Record};
pub use report::{Code, Issue, Report, Severity};
pub use settings::Settings;
pub use siblings::{Siblings, sibling_order};
pub use taxonomy::{Category, Name, Node, Taxonomy, Term};
pub use totals::{Changes, Totals, exceeds_removal_limit};
pub use tree::Path;

/// The projection format of this build: the mapping from a taxonomy to [`items`]. A version is projected in the format in which it was
/// committed, so a change here is a new version of every tenant.
pub const PROJECTION_FORMAT: u32 = 1;
