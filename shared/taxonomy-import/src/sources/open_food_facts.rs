//! The taxonomies of Open Food Facts: blocks of lines, each block a concept.
//!
//! ```text
//! # a comment
//! < en:Fruits
//! en: Apples, apple
//! fr: Pommes
//! wikidata:en: Q89
//! ```
//!
//! The key of a concept is its canonical tag: the language and the first name of the first line of names, in lower case, in some languages
//! without accents, spaces and punctuation as hyphens. A parent is named by any of its names. The files are written for
//! Product Opener (<https://github.com/openfoodfacts/openfoodfacts-server>), which passes over lines that it does not know and reads two
//! blocks of a key as one; so does this reader, and reports them.

mod line;
mod tag;

use std::io::BufRead;

use taxonomy_model::RelationType;

use super::lines::Lines;
use super::shared_names::{NameRole, SharedNames};
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::report::Code;
use line::{BlockLine, split_names};
use tag::tag_of;

/// The scheme of the canonical tags.
const SCHEME: &str = "open-food-facts";
/// The most parents and properties before the names of a block, which are kept until the names come.
const MOST_BEFORE_NAMES: usize = 10_000;
/// The mark of names that are the same in every language.
const EVERY_LANGUAGE: &str = "xx";

/// Reads a text.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub(super) fn read(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(SCHEME);
    let mut lines = Lines::new(input, graph);
    let mut reader = BlockReader::default();
    while let Some(line) = lines.next(graph)? {
        reader.line(&line, lines.number, graph)?;
    }
    reader.end_block(graph);
    reader.link(graph)
}

#[derive(Default)]
struct BlockReader {
    /// The tags of its parents.
    parents: Vec<String>,
    /// The lines of properties before its first line of names.
    properties: Vec<(String, SourcePlace)>,
    begun: Option<u64>,
    concept: Option<ConceptRef>,
    /// The concept of each name, as a tag.
    tags: SharedNames,
    /// Parents by tag, since they may be described later.
    waiting: Vec<(ConceptRef, Box<str>)>,
}

impl BlockReader {
    fn line(&mut self, line: &str, number: u64, graph: &mut Graph) -> Result<(), Stop> {
        let at = SourcePlace::at(number, 1);
        let parsed = BlockLine::new(line);
        if !matches!(parsed, BlockLine::Blank | BlockLine::Comment | BlockLine::Words) {
            self.begun.get_or_insert(number);
        }
        if self.parents.len() + self.properties.len() > MOST_BEFORE_NAMES {
            let message = format_args!("more than {MOST_BEFORE_NAMES} lines before the names of a block");
            return Err(graph.refuse(Code::TooLarge, at, message));
        }
        match parsed {
            BlockLine::Blank => self.end_block(graph),
            BlockLine::Comment => {}
            BlockLine::Words => {
                graph.issue(Code::Ignored, at, None, "words for the matching of names");
            }
            BlockLine::Parent(language, name) => {
                // A block without an empty line before the next one.
                if self.concept.is_some() {
                    self.end_block(graph);
                    self.begun = Some(number);
                }
                self.parents.push(tag_of(language, name));
            }
            BlockLine::Names(language, names) => self.names(language, names, at, graph)?,
            BlockLine::Property(name, language, value) => match self.concept {
                Some(concept) => property(graph, concept, (name, language, value), at)?,
                None => self.properties.push((line.to_owned(), at)),
            },
            BlockLine::Unknown => {
                let message = "neither names, parent, property nor comment";
                graph.issue(Code::UnknownLine, at, self.concept, message);
            }
        }
        Ok(())
    }

    /// A line of names: the first is the preferred one, the first of the block the key.
    fn names(&mut self, language: &str, names: &str, at: SourcePlace, graph: &mut Graph) -> Result<(), Stop> {
        let names = split_names(names);
        let Some(first) = names.first() else {
            let message = format_args!("no name in {language}");
            graph.issue(Code::EmptyText, at, self.concept, message);
            return Ok(());
        };
        let concept = match self.concept {
            Some(concept) => concept,
            None => self.begin(&tag_of(language, first), at, graph)?,
        };
        let tag = (language != EVERY_LANGUAGE).then_some(language);
        graph.state(concept, Statement::Name(tag, first), at)?;
        for name in &names[1..] {
            graph.state(concept, Statement::AltName(tag, name), at)?;
        }
        for (at, name) in names.iter().enumerate() {
            let tag = tag_of(language, name);
            let role = match at {
                0 if tag == graph.key(concept) => NameRole::Key,
                0 => NameRole::First,
                _ => NameRole::Other,
            };
            self.tags.add(&tag.into(), role, concept);
        }
        Ok(())
    }

    /// Begins a concept with the parents and properties before its names, or goes on with the one that has its key.
    fn begin(&mut self, key: &str, at: SourcePlace, graph: &mut Graph) -> Result<ConceptRef, Stop> {
        let concept = graph.concept(key)?;
        if graph.is_declared(concept) {
            graph.issue(Code::SecondBlock, at, Some(concept), "a second block");
        }
        graph.state(concept, Statement::Concept, at)?;
        self.concept = Some(concept);
        for parent in self.parents.drain(..) {
            self.waiting.push((concept, parent.into()));
        }
        for (line, at) in self.properties.drain(..) {
            if let BlockLine::Property(name, language, value) = BlockLine::new(&line) {
                property(graph, concept, (name, language, value), at)?;
            }
        }
        Ok(concept)
    }

    fn end_block(&mut self, graph: &mut Graph) {
        let has_more = !self.parents.is_empty() || !self.properties.is_empty();
        if let (None, true, Some(line)) = (self.concept, has_more, self.begun) {
            let message = "a block without names";
            graph.issue(Code::UnknownLine, SourcePlace::at(line, 1), None, message);
        }
        self.parents.clear();
        self.properties.clear();
        (self.begun, self.concept) = (None, None);
    }

    /// Parents that no block describes are known by their tags.
    fn link(&mut self, graph: &mut Graph) -> Result<(), Stop> {
        for (concept, tag) in std::mem::take(&mut self.waiting) {
            let parent = match self.tags.parent(&tag, concept, graph) {
                Some(parent) => parent,
                None => graph.concept(&tag)?,
            };
            graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
        }
        let unshared = self.tags.unshared().map(|(tag, concept)| (tag.into(), concept));
        graph.aliases.extend(unshared);
        Ok(())
    }
}

/// A mapping to Wikidata, a description, or a property of the metadata.
fn property(
    graph: &mut Graph,
    concept: ConceptRef,
    (name, language, value): (&str, &str, &str),
    at: SourcePlace,
) -> Result<(), Stop> {
    let tag = (language != EVERY_LANGUAGE).then_some(language);
    let is_item = value
        .strip_prefix('Q')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()));
    let statement = match name {
        "wikidata" if is_item => Statement::Mapping(RelationType::Exact, Some("wikidata"), value),
        "description" => Statement::Definition(tag, value),
        _ => Statement::Property(name, tag, value),
    };
    graph.state(concept, statement, at)
}
