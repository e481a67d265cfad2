//! A reader for each dialect. Each reads one file of a source and states in a [`Graph`](crate::Graph) what it says:
//!
//! ```text
//! pub fn read(input: &mut dyn BufRead, options: &Options, graph: &mut Graph) -> Result<(), Stop>
//! ```
//!
//! The caller names the file before ([`Graph::begin_file`](crate::Graph::begin_file)) and finishes the graph behind the last one. A reader
//! that cannot go on records the reason ([`Graph::refuse`](crate::Graph::refuse)) and returns the [`Stop`](crate::Stop); what it can pass
//! over it records ([`Graph::issue`](crate::Graph::issue)) and reads on, so that a report has as many mistakes as possible.

/// Between the names of a path, in the texts of Google and Shopify and in keys that are paths.
pub const SEPARATOR: &str = " > ";

pub mod esco;
pub mod skos;

mod rows;
