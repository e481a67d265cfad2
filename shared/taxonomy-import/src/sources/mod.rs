//! A reader for each dialect. Each reads one file of a source and adds its statements to a [`Graph`]:
//!
//! ```text
//! pub fn read(input: &mut dyn BufRead, options: &Options, graph: &mut Graph) -> Result<(), Stop>
//! ```
//!
//! The caller names the file before ([`Graph::begin_file`]) and makes a tree behind the last one. A reader that cannot go on records the
//! reason ([`Graph::refuse`]) and returns the [`Stop`]; it records a mistake that it can pass over ([`Graph::issue`]) and reads on, so that a report
//! has as many mistakes as possible.

pub mod esco;
pub mod google;
pub mod open_food_facts;
pub mod shopify;
pub mod skos;
pub mod table;

mod lines;
mod paths;
mod rows;

use std::io::BufRead;

use crate::graph::{Graph, Stop};
use crate::options::ImportOptions;
pub use paths::SEPARATOR;

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceFormat {
    /// SKOS in Turtle.
    Turtle,
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
        Self::JsonLd,
        Self::RdfXml,
        Self::Esco,
        Self::Google,
        Self::Shopify,
        Self::OpenFoodFacts,
        Self::Csv,
    ];

    /// Its name in commands and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Turtle => "turtle",
            Self::JsonLd => "jsonld",
            Self::RdfXml => "rdfxml",
            Self::Esco => "esco",
            Self::Google => "google",
            Self::Shopify => "shopify",
            Self::OpenFoodFacts => "open-food-facts",
            Self::Csv => "csv",
        }
    }

    /// The files that it reads, in a few words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Turtle => "SKOS in Turtle",
            Self::JsonLd => "SKOS in JSON-LD",
            Self::RdfXml => "SKOS in RDF/XML",
            Self::Esco => "The CSV files of ESCO: concepts, broader relations and others",
            Self::Google => "Google product taxonomy, a text a culture, with ids or without",
            Self::Shopify => "Shopify product taxonomy, a text a culture",
            Self::OpenFoodFacts => "A taxonomy of Open Food Facts, as text",
            Self::Csv => "A table with a column for the parent, or one for each level",
        }
    }

    /// Reads a file that has just begun.
    ///
    /// # Errors
    /// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
    pub fn read(
        self,
        input: &mut dyn BufRead,
        options: &ImportOptions,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        match self {
            Self::Turtle => skos::read_turtle(input, options, graph),
            Self::JsonLd => skos::read_json_ld(input, options, graph),
            Self::RdfXml => skos::read_rdf_xml(input, options, graph),
            Self::Esco => esco::read(input, options, graph),
            Self::Google => google::read(input, options, graph),
            Self::Shopify => shopify::read(input, options, graph),
            Self::OpenFoodFacts => open_food_facts::read(input, options, graph),
            Self::Csv => table::read(input, options, graph),
        }
    }
}
