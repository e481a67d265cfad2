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
    /// The place of each ordinal, categories first.
    places: Vec<Place>,
}

/// The numbers of a [`Row`](crate::Row) that follow from the tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) span: u32,
    pub(crate) first: Option<u32>,
    pub(crate) children: u32,
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
        order.places.resize(categories.len(), Place::default());
        for (ordinal, category) in categories.iter().enumerate() {
            let first = order.len();
            let top_terms = siblings.top_terms(category.id());
            for term in top_terms {
                order.walk(&siblings, *term, None);
            }
            order.places[ordinal] = Place {
                span: order.len() - first,
                first: Some(first),
                children: narrow(top_terms.len()),
            };
        }
        order
    }

    /// Adds a term and its subtree. A term lies at most 32 deep, and so does this recursion.
    fn walk(&mut self, siblings: &Siblings<'_>, term: Term<'_>, parent: Option<u32>) {
        let ordinal = self.len();
        self.terms.push(term.id());
        let children = siblings.children(term.id());
        self.places.push(Place {
            span: 0,
            first: parent,
            children: narrow(children.len()),
        });
        for child in children {
            self.walk(siblings, *child, Some(ordinal));
        }
        self.places[ordinal as usize].span = self.len() - ordinal;
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
    pub fn categories_of<'t>(&self, version: &'t Taxonomy) -> impl Iterator<Item = Category<'t>> {
        self.categories.iter().filter_map(|id| version.category(*id))
    }

    /// The terms of the version in the order of their ordinals.
    pub fn terms_of<'t>(&self, version: &'t Taxonomy) -> impl Iterator<Item = Term<'t>> {
        self.terms.iter().filter_map(|id| version.term(*id))
    }

    /// The place of each live ordinal.
    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }
}

/// A file of 512 MiB has fewer nodes than 32 bits can count.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
