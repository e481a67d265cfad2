//! A reader for each dialect; those of paths share one. Each reads one file of a source and adds its statements to a [`Graph`]:
//!
//! ```text
//! pub fn read(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop>
//! ```
//!
//! The caller names the file before ([`Graph::begin_file`]) and makes a tree behind the last one. A reader that cannot go on records the
//! reason ([`Graph::refuse`]) and returns the [`Stop`]; it records a mistake that it can pass over ([`Graph::issue`]) and reads on, so that a report
//! has as many mistakes as possible.

pub mod esco;
pub mod skos;

mod google;
mod lines;
mod open_food_facts;
mod paths;
mod rows;
mod shared_names;
mod shopify;
pub(crate) mod table;

use std::io::BufRead;

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;
pub(crate) use paths::SEPARATOR;
pub use table::{COLUMN_FIELDS, is_column_field};

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceFormat {
    /// SKOS in Turtle, TriG or N-Triples.
    Turtle,
    /// SKOS in N-Quads or N-Triples.
    NQuads,
    /// SKOS in JSON-LD.
    JsonLd,
    /// SKOS in RDF/XML.
    RdfXml,
    /// The CSV files of ESCO.
    Esco,
    /// The text of Google's product taxonomy.
    Google,
    /// The text of Shopify's product taxonomy.
    Shopify,
    /// The text of a taxonomy of Open Food Facts.
    OpenFoodFacts,
    /// A table.
    Csv,
}

impl SourceFormat {
    /// Every dialect.
    pub const ALL: &[Self] = &[
        Self::Turtle,
        Self::NQuads,
        Self::JsonLd,
        Self::RdfXml,
        Self::Esco,
        Self::Google,
        Self::Shopify,
        Self::OpenFoodFacts,
        Self::Csv,
    ];

    /// Its name in commands and reports, and the files that it reads in a few words.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Turtle => ("turtle", "SKOS in Turtle, TriG or N-Triples"),
            Self::NQuads => ("nquads", "SKOS in N-Quads or N-Triples"),
            Self::JsonLd => ("jsonld", "SKOS in JSON-LD"),
            Self::RdfXml => ("rdfxml", "SKOS in RDF/XML"),
            Self::Esco => (
                "esco",
                "The CSV files of ESCO: concepts, broader relations and others",
            ),
            Self::Google => (
                "google",
                "Google product taxonomy, a text a culture, with ids or without",
            ),
            Self::Shopify => ("shopify", "Shopify product taxonomy, a text a culture"),
            Self::OpenFoodFacts => ("open-food-facts", "A taxonomy of Open Food Facts, as text"),
            Self::Csv => (
                "csv",
                "A table with a column for the parent, or one for each level",
            ),
        }
    }

    /// Its name in commands and reports.
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    /// The files that it reads, in a few words.
    pub const fn description(self) -> &'static str {
        self.texts().1
    }

    /// Reads a file that has just begun.
    ///
    /// # Errors
    /// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
    pub fn read(self, input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
        if let Some(message) = packed(input.fill_buf()?) {
            return Err(graph.refuse(Code::PackedFile, SourcePlace::at(1, 1), message));
        }
        match self {
            Self::Turtle => skos::read_turtle(input, graph),
            Self::NQuads => skos::read_n_quads(input, graph),
            Self::JsonLd => skos::read_json_ld(input, graph),
            Self::RdfXml => skos::read_rdf_xml(input, graph),
            Self::Esco => esco::read(input, graph),
            Self::Google => paths::read(input, &google::DIALECT, graph),
            Self::Shopify => paths::read(input, &shopify::DIALECT, graph),
            Self::OpenFoodFacts => open_food_facts::read(input, graph),
            Self::Csv => table::read(input, graph),
        }
    }
}

/// Returns what the beginning of a file shows, if that is an archive or a workbook.
fn packed(beginning: &[u8]) -> Option<&'static str> {
    let has = |part: &[u8]| beginning.windows(part.len()).any(|window| window == part);
    match beginning {
        [b'P', b'K', 3, 4, ..] if has(b"[Content_Types].xml") || has(b"xl/") => {
            Some("the file is a workbook (.xlsx)")
        }
        [b'P', b'K', 3, 4, ..] if has(b"opendocument.spreadsheet") => Some("the file is a workbook (.ods)"),
        [b'P', b'K', 3, 4, ..] => Some("the file is a zip archive"),
        [0xD0, 0xCF, 0x11, 0xE0, ..] => Some("the file is a workbook (.xls)"),
        _ => None,
    }
}
