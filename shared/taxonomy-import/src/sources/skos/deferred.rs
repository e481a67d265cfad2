//! Statements that mean something only together with others, which may come later or in another file: labels and notes that are
//! resources, titles, identifiers. They are collected, and stated when all files are read.

use std::collections::{HashMap, HashSet};

use taxonomy_keys::Culture;

use super::vocabulary::TextStatement;
use crate::concept::{ConceptRef, SourcePlace};
use crate::texts::{Span, Texts};

/// A text, with its language where it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeferredText {
    language: Span,
    text: Span,
}

/// A resource in one of its two roles: that of a label, or of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Resource {
    number: u32,
    pub(super) is_label: bool,
}

/// A part of the evidence that an untyped resource is a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// It has a label.
    Label,
    /// It has a property that only concepts have.
    Semantic,
}

/// The collected statements.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    /// The number of statements.
    pub(super) count: usize,
    texts: Texts,
    /// Resources that are labels or notes, or have a text, by IRI or blank node and file.
    resources: HashMap<Box<str>, u32>,
    /// The concepts of a resource, and the statement that its texts make about each.
    pub(super) roles: Vec<(Resource, ConceptRef, TextStatement)>,
    /// The texts of a resource.
    pub(super) values: Vec<(Resource, DeferredText)>,
    /// Names for want of a preferred one, by rank.
    pub(super) titles: Vec<(ConceptRef, u8, DeferredText)>,
    /// Numbers by which the source identifies concepts; they count in downloads of our own alone.
    pub(super) identifiers: Vec<(ConceptRef, u64)>,
    /// The releases of resources; they count where those are schemes.
    pub(super) releases: Vec<(ConceptRef, Box<str>)>,
    /// The languages of resources; they count where those are schemes.
    pub(super) languages: HashSet<(ConceptRef, Culture)>,
    /// Resources of classes that may be those of concepts, each with its file and place.
    pub(super) types: Vec<(ConceptRef, ConceptRef, u32, SourcePlace)>,
    /// Classes, each below another one.
    pub(super) subclasses: Vec<(ConceptRef, ConceptRef)>,
    /// The members of each collection, and the lists of those of ordered ones, by their first node.
    pub(super) collections: HashMap<ConceptRef, u64>,
    pub(super) lists: Vec<(ConceptRef, Box<str>)>,
    /// The nodes of lists, each with the next one.
    pub(super) rests: HashMap<Box<str>, Box<str>>,
    pub(super) schemes: HashSet<ConceptRef>,
    pub(super) hints: HashMap<ConceptRef, Hint>,
}

impl Deferred {
    /// A resource in its role; none where there is no room.
    pub(super) fn resource(&mut self, key: &str, is_label: bool) -> Option<Resource> {
        let number = match self.resources.get(key) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.resources.len()).ok()?;
                self.resources.insert(key.into(), number);
                number
            }
        };
        Some(Resource { number, is_label })
    }

    /// Keeps a text; none where there is no room.
    pub(super) fn push_text(&mut self, language: Option<&str>, text: &str) -> Option<DeferredText> {
        Some(DeferredText {
            language: self.texts.push(language.unwrap_or_default())?,
            text: self.texts.push(text)?,
        })
    }

    /// The language of a text, and the text.
    pub(super) fn text(&self, text: DeferredText) -> (Option<&str>, &str) {
        let language = Some(self.texts.get(text.language)).filter(|language| !language.is_empty());
        (language, self.texts.get(text.text))
    }

    /// The release of a scheme; of several the smallest.
    pub(crate) fn release(&self) -> Option<&str> {
        let releases = self.releases.iter();
        let of_schemes = releases.filter(|(concept, _)| self.schemes.contains(concept));
        of_schemes.map(|(_, release)| &**release).min()
    }

    /// The language of the schemes, where it is one.
    pub(super) fn language(&self) -> Option<Culture> {
        let languages = self.languages.iter();
        let mut of_schemes = languages.filter(|(concept, _)| self.schemes.contains(concept));
        let (_, first) = of_schemes.next()?;
        of_schemes
            .all(|(_, language)| language == first)
            .then(|| first.clone())
    }
}
