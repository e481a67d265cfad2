//! The ordinals of a version: categories in their order, then the terms of each, every term before its children, siblings in their order.

use std::ops::Range;

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{Category, Collate, Siblings, Taxonomy, Term};

/// The live ordinals of a version.
#[derive(Debug, Clone)]
pub struct Preorder {
    pub(crate) collate: Collate,
    categories: Vec<CategoryId>,
    terms: Vec<TermId>,
    /// `span` and `first` of each ordinal, categories first.
    places: Vec<(u32, Option<u32>)>,
}

impl Preorder {
    /// Numbers the categories and terms of a version, siblings in the order of its default culture.
    pub fn new(taxonomy: &Taxonomy, collate: Collate) -> Self {
        let keys = collate(taxonomy, &taxonomy.settings().default_culture);
        let siblings = Siblings::new(taxonomy, &*keys);
        let categories = siblings.categories();
        let mut order = Self {
            collate,
            categories: categories.iter().map(|category| category.id()).collect(),
            terms: Vec::with_capacity(taxonomy.terms().len()),
            places: Vec::with_capacity(categories.len() + taxonomy.terms().len()),
        };
        order.places.resize(categories.len(), (0, None));
        for (ordinal, category) in categories.iter().enumerate() {
            let first = order.len();
            for term in siblings.top_terms(category.id()) {
                order.walk(&siblings, *term, None);
            }
            order.places[ordinal] = (order.len() - first, Some(first));
        }
        order
    }

    /// Adds a term and its subtree. A term lies at most 32 deep, and so does this recursion.
    fn walk(&mut self, siblings: &Siblings<'_>, term: Term<'_>, parent: Option<u32>) {
        let ordinal = self.len();
        self.terms.push(term.id());
        self.places.push((0, parent));
        for child in siblings.children(term.id()) {
            self.walk(siblings, *child, Some(ordinal));
        }
        self.places[ordinal as usize].0 = self.len() - ordinal;
    }

    /// The number of live ordinals.
    #[expect(clippy::len_without_is_empty, reason = "no caller asks for an empty version")]
    pub fn len(&self) -> u32 {
        narrow(self.places.len())
    }

    /// The categories in the order of their ordinals, which begin with 0.
    pub fn categories(&self) -> &[CategoryId] {
        &self.categories
    }

    /// The terms in the order of their ordinals, which begin behind those of the categories.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    /// The ordinals of the terms.
    pub fn term_range(&self) -> Range<u32> {
        narrow(self.categories.len())..self.len()
    }

    /// The categories of the version in the order of their ordinals.
    pub(crate) fn categories_of<'t>(&self, version: &'t Taxonomy) -> impl Iterator<Item = Category<'t>> {
        self.categories.iter().filter_map(|id| version.category(*id))
    }

    /// The terms of the version in the order of their ordinals.
    pub(crate) fn terms_of<'t>(&self, version: &'t Taxonomy) -> impl Iterator<Item = Term<'t>> {
        self.terms.iter().filter_map(|id| version.term(*id))
    }

    /// `span` and `first` of each live ordinal.
    pub(crate) fn places(&self) -> &[(u32, Option<u32>)] {
        &self.places
    }
}

/// A file of 512 MiB has fewer nodes than 32 bits can count.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
