//! The model of a taxonomy: its file, its validated tree, its stored forms, and the differences between two versions.
//! Pure: bytes and plain data in, plain data out; no AWS, no async, no clock.
//!
//! Modules, in reading order:
//! - `taxonomy`: [`Taxonomy`], the validated tree of one version, and its construction;
//! - [`parse()`]: the input file to a [`Taxonomy`], with a complete [`Report`] (`parse`, `report`);
//! - [`snapshot`]: the canonical form of a version, and its [`struct@Hash`];
//! - `changes`: [`Fact`], [`diff()`], [`apply`], [`NodeChange`]; [`Record`]; [`changeset`]: their stored form;
//! - [`items`]: the items of a version; [`stored`]: their attributes; [`writes`]: the fewest writes from one version to another;
//! - `counts`: [`Totals`], [`Changes`], [`Census`], [`Coverage`], the aggregates of a version.

mod appearance;
mod changes;
mod codes;
mod counts;
mod day;
mod hash;
mod parse;
mod provenance;
mod report;
mod taxonomy;
mod text;

pub mod items;
pub mod snapshot;

pub use appearance::{Looks, appearance, is_blank, is_invisible};
pub use changes::changeset;
pub use changes::fact::{Fact, NodeId, TermPosition};
pub use changes::facts::{ApplyError, apply, diff, facts_between, touched};
pub use changes::identifiers::{ChangedIdentifier, changed_identifiers};
pub use changes::node_change::{ChangeKind, NodeChange};
pub use changes::operations;
pub use changes::record::{InvalidRecord, Record, TaxonomyBuilder};
pub use counts::census::{CategoryCounts, Census, Counts, TenantCounts};
pub use counts::coverage::Coverage;
pub use counts::stats;
pub use counts::totals::{Changes, Totals, exceeds_removal_limit};
pub use day::is_day;
pub use hash::{Hash, NoHash};
pub use items::attribute;
pub use items::stored;
pub use items::units;
pub use items::writes;
pub use parse::{Defaults, Limits, Parsed, parse, syntax_error};
pub use provenance::Provenance;
pub use report::{Code, Issue, Report, Severity};
pub use taxonomy::details::{Deprecation, Details, Notes, RelatedId, Relation, RelationType};
pub use taxonomy::metadata::Metadata;
pub use taxonomy::settings::Settings;
pub use taxonomy::siblings::{Collate, SiblingKeys, Siblings, sort_siblings};
pub use taxonomy::tree::NodePath;
pub use taxonomy::{Category, Name, Node, Taxonomy, Term};

/// The projection format of this build: the mapping from a taxonomy to [`items`]. A version is projected in the format in which it was
/// committed, so a change here is a new version of every tenant.
pub const PROJECTION_FORMAT: u32 = 1;
