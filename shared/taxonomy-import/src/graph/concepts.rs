//! The concepts of a source by their keys.

use std::hash::BuildHasher;

use super::rows::ConceptRow;
use super::{Graph, NONE, StatementKind, Stop};
use crate::concept::{ConceptRef, SourcePlace};

impl Graph {
    /// The concept of a key, which may be only referred to so far.
    ///
    /// # Errors
    /// [`Stop::Refused`] beyond the bounds.
    pub fn concept(&mut self, key: &str) -> Result<ConceptRef, Stop> {
        let hash = self.hasher.hash_one(key);
        let first = self.by_hash.get(&hash).copied();
        if let Some(found) = first.and_then(|first| self.find(first, key)) {
            return Ok(found);
        }
        let number = self.push_concept(key, first.unwrap_or(NONE))?;
        self.by_hash.insert(hash, number);
        Ok(ConceptRef(number))
    }

    fn push_concept(&mut self, key: &str, same_hash: u32) -> Result<u32, Stop> {
        let number = self.concepts.len();
        let (Some(span), true, Ok(number)) = (
            self.texts.push(key),
            number < self.bounds.concepts,
            u32::try_from(number),
        ) else {
            return Err(self.too_large("concepts"));
        };
        self.concepts.push(ConceptRow {
            key: span,
            first: NONE,
            last: NONE,
            same_hash,
            file: NONE,
            last_file: NONE,
            stated: 0,
            place: SourcePlace::UNKNOWN,
        });
        Ok(number)
    }

    /// The concept of a key, where there is one.
    pub fn known(&self, key: &str) -> Option<ConceptRef> {
        let first = self.by_hash.get(&self.hasher.hash_one(key))?;
        self.find(*first, key)
    }

    fn find(&self, first: u32, key: &str) -> Option<ConceptRef> {
        let mut number = first;
        while number != NONE {
            let concept = self.concepts.get(number as usize);
            if self.texts.get(concept.key) == key {
                return Some(ConceptRef(number));
            }
            number = concept.same_hash;
        }
        None
    }

    /// Returns true if any file describes the concept.
    pub fn is_declared(&self, concept: ConceptRef) -> bool {
        self.concepts.get(concept.at()).file != NONE
    }

    /// Returns true if it is a concept that any file describes, or a scheme.
    pub(crate) fn is_described(&self, concept: ConceptRef) -> bool {
        self.is_declared(concept) || self.has(concept, StatementKind::Scheme)
    }

    /// Returns true if the current file describes the concept.
    pub fn is_declared_here(&self, concept: ConceptRef) -> bool {
        self.is_declared(concept) && self.concepts.get(concept.at()).last_file == self.file()
    }

    /// The key of a concept.
    pub fn key(&self, concept: ConceptRef) -> &str {
        self.texts.get(self.concepts.get(concept.at()).key)
    }

    /// Every concept, those that are only referred to included.
    pub(crate) fn all(&self) -> impl Iterator<Item = ConceptRef> + use<> {
        (0..self.concepts.len()).map(ConceptRef::new)
    }

    /// Every concept that is described.
    pub(crate) fn declared(&self) -> impl Iterator<Item = ConceptRef> {
        self.all().filter(|concept| self.is_declared(*concept))
    }

    pub(crate) fn concept_count(&self) -> usize {
        self.concepts.len()
    }
}
