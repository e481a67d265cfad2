//! The values of entries, ready to be served: a hit decodes and copies nothing.

use std::collections::BTreeMap;
use std::mem::size_of;
use std::sync::Arc;

use quick_cache::Weighter;
use taxonomy_keys::Culture;
use taxonomy_model::stored::{StoredCategory, StoredName, StoredPath, StoredTerm};
use taxonomy_model::{Deprecation, Notes, RelatedId, Relation};
use taxonomy_store::Found;

use crate::query::Key;

/// The value of an entry. `None` is a value as well: the item is absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CachedValue {
    Term(Option<Arc<Found<StoredTerm>>>),
    Category(Option<Arc<Found<StoredCategory>>>),
}

/// The overhead of an entry in bytes: the cache, the reference counts and the allocator.
const OVERHEAD: usize = 200;

/// A size in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight;

impl Weighter<Key, CachedValue> for Weight {
    fn weight(&self, key: &Key, answer: &CachedValue) -> u64 {
        let bytes = OVERHEAD + size_of::<Key>() + size_of::<CachedValue>() + key.entry.heap() + answer.heap();
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl CachedValue {
    /// The version that wrote the item; 0 where there is no item.
    pub(crate) fn newest(&self) -> u64 {
        fn of<T>(found: Option<&Arc<Found<T>>>) -> u64 {
            found.map_or(0, |found| found.modified_in)
        }
        match self {
            Self::Term(found) => of(found.as_ref()),
            Self::Category(found) => of(found.as_ref()),
        }
    }

    fn heap(&self) -> usize {
        match self {
            Self::Term(found) => shared(found.as_ref(), term),
            Self::Category(found) => shared(found.as_ref(), category),
        }
    }
}

fn shared<T>(found: Option<&Arc<Found<T>>>, heap: impl Fn(&T) -> usize) -> usize {
    found.map_or(0, |found| size_of::<Found<T>>() + heap(&found.value))
}

/// The overhead of the allocator for a small allocation, in bytes.
const PIECE: usize = 16;

fn text(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.len() + PIECE }
}

fn optional(piece: Option<&String>) -> usize {
    piece.map_or(0, |piece| text(piece))
}

/// A culture is shared text behind two reference counts.
fn culture(culture: &Culture) -> usize {
    culture.as_str().len() + 2 * PIECE
}

fn list<T>(items: &[T], heap: impl Fn(&T) -> usize) -> usize {
    let pieces = items.iter().map(|item| size_of::<T>() + heap(item));
    pieces.sum::<usize>() + if items.is_empty() { 0 } else { PIECE }
}

/// The size of an entry of a map, with its share of a node.
fn names<T>(map: &BTreeMap<Culture, T>, heap: impl Fn(&T) -> usize) -> usize {
    let entries = map
        .iter()
        .map(|(tag, entry)| 2 * (size_of::<Culture>() + size_of::<T>()) + culture(tag) + heap(entry));
    entries.sum()
}

fn path(path: Option<&StoredPath>) -> usize {
    path.map_or(0, |path| text(path.text()))
}

fn term(term: &StoredTerm) -> usize {
    optional(term.category_path.as_ref())
        + term.category_culture.as_ref().map_or(0, culture)
        + culture(&term.culture)
        + text(&term.name)
        + text(&term.final_name)
        + path(term.path.as_ref())
        + list(&term.lineage, |entry| {
            text(&entry.name) + path(entry.path.as_ref()) + entry.culture.as_ref().map_or(0, culture)
        })
        + optional(term.notation.as_ref())
        + list(&term.alt_names, |name| text(name))
        + term.notes.as_ref().map_or(0, notes)
        + optional(term.sort_key.as_ref())
        + optional(term.metadata.as_ref())
        + term.deprecation.as_ref().map_or(0, deprecation)
        + list(&term.replaced_by, |_| 0)
        + list(&term.relations, relation)
}

fn notes(notes: &Notes) -> usize {
    optional(notes.definition.as_ref()) + optional(notes.scope_note.as_ref())
}

fn deprecation(deprecation: &Deprecation) -> usize {
    optional(deprecation.reason.as_ref()) + optional(deprecation.since.as_ref())
}

fn relation(relation: &Relation) -> usize {
    let id = match &relation.id {
        RelatedId::Term(_) => 0,
        RelatedId::Concept(id) => text(id),
    };
    optional(relation.scheme.as_ref()) + id
}

fn name(name: &StoredName) -> usize {
    text(&name.name) + optional(name.path.as_ref())
}

fn category(category: &StoredCategory) -> usize {
    culture(&category.culture)
        + text(&category.name)
        + optional(category.path.as_ref())
        + names(&category.names, name)
        + optional(category.notation.as_ref())
        + names(&category.alt_names, |alt_names| {
            list(alt_names, |name| text(name))
        })
        + names(&category.notes, notes)
        + optional(category.sort_key.as_ref())
        + optional(category.metadata.as_ref())
        + category.deprecation.as_ref().map_or(0, deprecation)
        + list(&category.replaced_by, |_| 0)
        + list(&category.relations, relation)
}
