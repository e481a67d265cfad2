//! The ordinals of a version: categories in their order, then the terms of each, every term before its children, siblings in their order.

use std::ops::Range;

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{Siblings, Taxonomy, Term};

/// The live ordinals of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preorder {
    categories: Vec<CategoryId>,
    terms: Vec<TermId>,
    /// By ordinal, categories first.
    spans: Vec<u32>,
    firsts: Vec<Option<u32>>,
    /// Ordinals in the order of ids.
    category_ordinals: Vec<u32>,
    term_ordinals: Vec<u32>,
}

impl Preorder {
    /// Numbers the categories and terms of a version.
    #[must_use]
    pub fn new(taxonomy: &Taxonomy) -> Self {
        let siblings = Siblings::new(taxonomy);
        let count = siblings.categories().len();
        let mut order = Self {
            categories: siblings
                .categories()
                .iter()
                .map(|category| category.id())
                .collect(),
            terms: Vec::with_capacity(taxonomy.terms().len()),
            spans: vec![0; count],
            firsts: vec![None; count],
            category_ordinals: Vec::new(),
            term_ordinals: Vec::new(),
        };
        order.spans.reserve_exact(taxonomy.terms().len());
        order.firsts.reserve_exact(taxonomy.terms().len());
        for (ordinal, category) in siblings.categories().iter().enumerate() {
            let first = order.next();
            for term in siblings.top_terms(category.id()) {
                order.walk(&siblings, *term, None);
            }
            order.spans[ordinal] = order.next() - first;
            order.firsts[ordinal] = Some(first);
        }
        drop(siblings);
        order.category_ordinals = by_id(&order.categories, 0);
        order.term_ordinals = by_id(&order.terms, narrow(count));
        order
    }

    /// Adds a term and its subtree. A term lies at most 32 deep, and so does this recursion.
    fn walk(&mut self, siblings: &Siblings<'_>, term: Term<'_>, parent: Option<u32>) {
        let ordinal = self.next();
        self.terms.push(term.id());
        self.spans.push(0);
        self.firsts.push(parent);
        for child in siblings.children(term.id()) {
            self.walk(siblings, *child, Some(ordinal));
        }
        self.spans[ordinal as usize] = self.next() - ordinal;
    }

    /// The ordinal that the next term gets.
    fn next(&self) -> u32 {
        narrow(self.categories.len() + self.terms.len())
    }

    /// The number of live ordinals.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.next()
    }

    /// Whether the version has neither a category nor a term.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The categories in the order of their ordinals, which begin with 0.
    #[must_use]
    pub fn categories(&self) -> &[CategoryId] {
        &self.categories
    }

    /// The terms in the order of their ordinals, which begin behind those of the categories.
    #[must_use]
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    /// The ordinals of the terms.
    #[must_use]
    pub fn term_range(&self) -> Range<u32> {
        narrow(self.categories.len())..self.len()
    }

    /// The ordinals of the categories, in the order of [`Taxonomy::categories`].
    #[must_use]
    pub fn category_ordinals(&self) -> &[u32] {
        &self.category_ordinals
    }

    /// The ordinals of the terms, in the order of [`Taxonomy::terms`].
    #[must_use]
    pub fn term_ordinals(&self) -> &[u32] {
        &self.term_ordinals
    }

    /// The ordinal of a category.
    #[must_use]
    pub fn category(&self, id: CategoryId) -> Option<u32> {
        let id_at = |ordinal: &u32| self.categories.get(*ordinal as usize).copied();
        let found = self
            .category_ordinals
            .binary_search_by_key(&Some(id), id_at)
            .ok()?;
        self.category_ordinals.get(found).copied()
    }

    /// The ordinal of a term.
    #[must_use]
    pub fn term(&self, id: TermId) -> Option<u32> {
        let id_at = |ordinal: &u32| self.terms.get(*ordinal as usize - self.categories.len()).copied();
        let found = self.term_ordinals.binary_search_by_key(&Some(id), id_at).ok()?;
        self.term_ordinals.get(found).copied()
    }

    /// `span` and `first` of a live ordinal.
    pub(crate) fn place(&self, ordinal: u32) -> Option<(u32, Option<u32>)> {
        Some((
            *self.spans.get(ordinal as usize)?,
            *self.firsts.get(ordinal as usize)?,
        ))
    }
}

/// The ordinals of `ids`, which count from `start` on, in the order of the ids.
fn by_id<I: Ord + Copy>(ids: &[I], start: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..narrow(ids.len())).collect();
    order.sort_unstable_by_key(|position| ids.get(*position as usize).copied());
    order.iter_mut().for_each(|position| *position += start);
    order
}

/// A file of 512 MiB has fewer nodes than 32 bits can count.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
