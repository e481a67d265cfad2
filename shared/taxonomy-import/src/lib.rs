//! Imports of foreign taxonomies (docs/decisions/0022-import.md): files of a source in, a file of our format, an id map and a report out.
//! No AWS, no async, no clock; the caller reads and writes the bytes.
//!
//! Modules, in reading order:
//! - [`Statement`], [`ConceptRef`]: the statements of a source about a concept (`concept`);
//! - [`Graph`]: collects the statements of all files of a source (`graph`);
//! - [`ImportReport`]: content that was changed, kept elsewhere or left out, by stable codes (`report`);
//! - [`IdMap`]: ids of concepts over the releases of a source (`ids`);
//! - [`sources`]: a reader for each dialect, all of one form;
//! - [`ConceptTree`]: one parent each, no cycles, an id each (`tree`); [`WrittenImport`]: the file and the id map (`write`).
//!
//! ```
//! use taxonomy_import::sources::SourceFormat;
//! use taxonomy_import::{Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements};
//! use taxonomy_model::Limits;
//!
//! let mut graph = Graph::new(ImportOptions::new("en-GB".parse()?), Bounds::default());
//! graph.begin_file("taxonomy.en-GB.txt", Some("en-GB".parse()?));
//! SourceFormat::Google.read(&mut "1 - Pets\n7 - Pets > Fish\n".as_bytes(), &mut graph)?;
//!
//! // The id map of the last release would be here.
//! let ids = Some(IdMap::default());
//! let tree = ConceptTree::new(graph, ids, &Replacements::default(), Limits::default()).map_err(|_| "refused")?;
//! let mut file = Vec::new();
//! let written = tree.write(&mut file)?;
//! assert!(written.report.accepted());
//! assert!(String::from_utf8(file)?.starts_with(r#"{"defaultCulture":"en-GB","categories":["#));
//!
//! let mut map = Vec::new();
//! written.ids.write(&mut map)?;
//! assert!(String::from_utf8(map)?.ends_with("category,1,1,,Pets,\nterm,7,7,1,Fish,\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod concept;
mod graph;
mod ids;
mod options;
mod replaced;
mod report;
mod rows;
mod texts;
mod tree;
mod write;

pub mod sources;

pub use concept::{ConceptRef, ExactField, NodeKind, SourcePlace, Statement};
pub use graph::{Bounds, Graph, Stop};
pub use ids::{IdMap, IdRow};
pub use options::{Categories, Choices, ChosenBy, ImportOptions};
pub use replaced::Replacements;
pub use report::{Code, ImportIssue, ImportReport, Severity, Total};
pub use rows::Refused;
pub use tree::{ConceptTree, IdCounts};
pub use write::{ImportCounts, WrittenImport};
