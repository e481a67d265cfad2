//! The order of siblings: by sort key, otherwise by name in the default culture, then by id.

use std::collections::HashMap;

use taxonomy_keys::{CategoryId, TermId};

use crate::taxonomy::{Category, Node, Taxonomy, Term};

/// Categories and terms by parent, each list in its order.
#[derive(Debug)]
pub struct Siblings<'a> {
    categories: Vec<Category<'a>>,
    top: HashMap<CategoryId, Vec<Term<'a>>>,
    below: HashMap<TermId, Vec<Term<'a>>>,
}

impl<'a> Siblings<'a> {
    /// Sorts all lists of a taxonomy.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy) -> Self {
        let mut categories: Vec<Category<'a>> = taxonomy.categories().collect();
        categories.sort_by_cached_key(|category| (sibling_order(category.node), category.id()));
        let mut top: HashMap<CategoryId, Vec<Term<'a>>> = HashMap::new();
        let mut below: HashMap<TermId, Vec<Term<'a>>> = HashMap::new();
        for term in taxonomy.terms() {
            let list = match term.parent() {
                Some(parent) => below.entry(parent.id()).or_default(),
                None => top.entry(term.category().id()).or_default(),
            };
            list.push(term);
        }
        for list in top.values_mut().chain(below.values_mut()) {
            list.sort_by_cached_key(|term| (sibling_order(term.node), term.id()));
        }
        Self {
            categories,
            top,
            below,
        }
    }

    /// Returns the categories.
    #[must_use]
    pub fn categories(&self) -> &[Category<'a>] {
        &self.categories
    }

    /// Returns the terms of a category without a parent.
    #[must_use]
    pub fn top_terms(&self, category: CategoryId) -> &[Term<'a>] {
        self.top.get(&category).map_or(&[], Vec::as_slice)
    }

    /// Returns the children of a term.
    #[must_use]
    pub fn children(&self, term: TermId) -> &[Term<'a>] {
        self.below.get(&term).map_or(&[], Vec::as_slice)
    }
}

/// Returns the text that a category or a term is sorted by among its siblings, before its id: the author's sort key, or the name in lower case.
#[must_use]
pub fn sibling_order(node: Node<'_>) -> String {
    match &node.details().sort_key {
        Some(sort_key) => sort_key.clone(),
        None => node.default_name().name.to_lowercase(),
    }
}
