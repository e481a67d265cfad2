//! The order of siblings: by sort key, otherwise by name in the default culture, then by id.

use std::collections::HashMap;

use taxonomy_keys::{CategoryId, TermId};

use crate::changes::fact::NodeId;
use crate::taxonomy::{Category, Node, Taxonomy, Term};

/// Categories and terms by parent, each list in its order.
#[derive(Debug)]
pub struct Siblings<'a> {
    categories: Vec<Category<'a>>,
    below: HashMap<NodeId, Vec<Term<'a>>>,
}

impl<'a> Siblings<'a> {
    /// Sorts all lists of a taxonomy.
    pub fn new(taxonomy: &'a Taxonomy) -> Self {
        let mut categories: Vec<Category<'a>> = taxonomy.categories().collect();
        categories.sort_by_cached_key(|category| (sibling_order(category.node), category.id()));
        let mut below: HashMap<NodeId, Vec<Term<'a>>> = HashMap::new();
        for term in taxonomy.terms() {
            let above = match term.parent() {
                Some(parent) => NodeId::Term(parent.id().get()),
                None => NodeId::Category(term.category().id().get()),
            };
            below.entry(above).or_default().push(term);
        }
        for list in below.values_mut() {
            list.sort_by_cached_key(|term| (sibling_order(term.node), term.id()));
        }
        Self { categories, below }
    }

    /// Returns the categories.
    pub fn categories(&self) -> &[Category<'a>] {
        &self.categories
    }

    /// Returns the terms of a category without a parent.
    pub fn top_terms(&self, category: CategoryId) -> &[Term<'a>] {
        self.below(NodeId::Category(category.get()))
    }

    /// Returns the children of a term.
    pub fn children(&self, term: TermId) -> &[Term<'a>] {
        self.below(NodeId::Term(term.get()))
    }

    fn below(&self, node: NodeId) -> &[Term<'a>] {
        self.below.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Returns the text that a category or a term is sorted by among its siblings, before its id: the author's sort key, or the name in lower case.
pub fn sibling_order(node: Node<'_>) -> String {
    match &node.details().sort_key {
        Some(sort_key) => sort_key.clone(),
        None => node.default_name().name.to_lowercase(),
    }
}
