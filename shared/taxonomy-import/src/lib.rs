//! Imports of foreign taxonomies (docs/decisions/0022-import.md): files of a source in, a file of our format, an id map and a report out.
//! No AWS, no async, no clock; where the bytes come from and go to is the caller's.
//!
//! Rooms, in reading order:
//! - [`Statement`], [`ConceptRef`]: what a source can say about a concept (`concept`);
//! - [`Graph`]: collects the statements of all files of a source (`graph`);
//! - [`Report`]: what was found, kept elsewhere or left out, by stable codes (`report`);
//! - [`IdMap`]: ids of concepts over the releases of a source (`ids`);
//! - `sources`: a reader for each dialect, all of one form.

mod concept;
mod graph;
mod ids;
mod options;
mod quotes;
mod replaced;
mod report;
mod texts;
mod tree;
mod write;

pub mod sources;

pub use concept::{ConceptRef, Field, NodeKind, Place, Statement};
pub use graph::{Bounds, Graph, Stop};
pub use ids::{COLUMNS as ID_MAP_COLUMNS, IdMap, IdRow, Refused};
pub use options::{Categories, Options};
pub use replaced::{COLUMNS as REPLACEMENT_COLUMNS, Replacements};
pub use report::{Code, Issue, Report, Severity, Total};
pub use tree::{IdCounts, Tree};
pub use write::{Counts, Written};
