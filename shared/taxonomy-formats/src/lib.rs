//! The downloads of a version (docs/decisions/0020-downloads.md). Pure: a validated taxonomy in, bytes into any [`std::io::Write`] out;
//! no AWS, no async, no clock.
//!
//! Each writer is a stream. It walks a [`SortedTaxonomy`], which holds the order of all siblings, and beside that keeps no more than one node, so
//! its memory does not grow with its output. [`skos`] also keeps the hierarchical relations between concepts, and [`history`] what
//! its rows need between two versions.
//!
//! | Module | Writes |
//! |---|---|
//! | [`json`] | the input format, nested, with every field |
//! | [`ndjson`] | a line for each category and term, in tree order |
//! | [`mod@csv`] | a row for each term and culture |
//! | [`skos`] | SKOS in Turtle |
//! | [`history`] | a row for each term and culture and the versions in which its FinalName and lineage stayed the same |
//!
//! ```
//! use taxonomy_formats::{SortedTaxonomy, csv, json};
//! use taxonomy_model::{Defaults, Limits, parse};
//!
//! let file = br#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","terms":[{"id":100,"name":"IT"}]}]}"#;
//! let stack_culture = "en-GB".parse()?;
//! let defaults = Defaults { tenant_culture: None, stack_culture, fallback_chain: Vec::new() };
//! let taxonomy = parse(file, &defaults, Limits::default()).map_err(|_| "refused")?.taxonomy;
//! let tree = SortedTaxonomy::new(&taxonomy, taxonomy_collation::sibling_keys);
//!
//! let mut rows = Vec::new();
//! csv::write(&tree, csv::Dialect::Data, &mut rows)?;
//! assert!(String::from_utf8(rows)?.ends_with("100,en-GB,IT,Sector:IT,,1,Sector,,1,[],,false,[],[]\n"));
//!
//! let mut nested = Vec::new();
//! json::write(&tree, &mut nested)?;
//! assert!(String::from_utf8(nested)?.starts_with(r#"{"defaultCulture":"en-GB","categories":["#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod csv;
pub mod history;
pub mod json;
pub mod ndjson;
pub mod skos;

mod fields;
mod format;
mod losses;
mod tree;

pub use format::{Form, Format, UnknownFormat};
pub use losses::{Content, Loss, losses};
pub use tree::{SortedTaxonomy, TreeNode};

/// The bytes that a writer collects before it passes them on.
const BUFFER: usize = 64 << 10;
