//! Statements that mean something only together with others, which may come later or in another file: labels and notes that are
//! resources, titles, identifiers. They are collected, and stated when all files are read.

use std::collections::{HashMap, HashSet};

use super::vocabulary::{Label, Note};
use crate::concept::ConceptRef;
use crate::texts::{Span, Texts};

/// The role of a resource for a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Label(Label),
    Note(Note),
}

/// A text, with its language where it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) language: Span,
    pub(super) text: Span,
}

/// A part of the evidence that an untyped resource is a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// It has a label.
    Label,
    /// It has a property that only concepts have.
    Place,
}

/// The collected statements.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    pub(super) texts: Texts,
    /// Resources that are labels or notes, or have a text, by IRI or blank node and file.
    pub(super) resources: HashMap<Box<str>, u32>,
    /// The concepts of a resource.
    pub(super) roles: Vec<(u32, ConceptRef, Role)>,
    /// The texts of a resource; true for one of a label.
    pub(super) values: Vec<(u32, bool, Text)>,
    /// Names for want of a preferred one, by rank.
    pub(super) titles: Vec<(ConceptRef, u8, Text)>,
    pub(super) identifiers: Vec<(ConceptRef, u64)>,
    pub(super) releases: Vec<(ConceptRef, Box<str>)>,
    pub(super) schemes: HashSet<ConceptRef>,
    pub(super) hints: HashMap<ConceptRef, Hint>,
}

impl Deferred {
    pub(super) fn resource(&mut self, key: &str) -> Option<u32> {
        if let Some(number) = self.resources.get(key) {
            return Some(*number);
        }
        let number = u32::try_from(self.resources.len()).ok()?;
        self.resources.insert(key.into(), number);
        Some(number)
    }

    pub(super) fn text(&mut self, language: Option<&str>, text: &str) -> Option<Text> {
        Some(Text {
            language: self.texts.push(language.unwrap_or_default())?,
            text: self.texts.push(text)?,
        })
    }

    /// The release of a scheme; of several the smallest.
    pub(crate) fn release(&self) -> Option<&str> {
        let releases = self.releases.iter();
        let of_schemes = releases.filter(|(concept, _)| self.schemes.contains(concept));
        of_schemes.map(|(_, release)| &**release).min()
    }

    pub(super) fn len(&self) -> usize {
        self.roles.len()
            + self.values.len()
            + self.titles.len()
            + self.identifiers.len()
            + self.releases.len()
    }
}
