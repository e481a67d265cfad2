//! The order of siblings: by keys that a language gives, then by id.

use std::collections::HashMap;

use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::changes::fact::NodeId;
use crate::taxonomy::{Category, Node, Taxonomy, Term};

/// The keys by which the siblings of a taxonomy are sorted, for the readers of a culture (`taxonomy-collation`).
pub trait SiblingKeys {
    /// Returns the key of a node, to be compared by bytes, in a list in which every node has a sort key or not (`all_have_sort_keys`).
    fn key(&self, node: Node<'_>, all_have_sort_keys: bool) -> Vec<u8>;
}

/// Gives the keys for the readers of a culture of a taxonomy.
pub type Collate = fn(&Taxonomy, &Culture) -> Box<dyn SiblingKeys>;

/// Categories and terms by parent, each list in its order.
#[derive(Debug)]
pub struct Siblings<'a> {
    categories: Vec<Category<'a>>,
    below: HashMap<NodeId, Vec<Term<'a>>>,
}

impl<'a> Siblings<'a> {
    /// Sorts all lists of a taxonomy.
    pub fn new(taxonomy: &'a Taxonomy, keys: &dyn SiblingKeys) -> Self {
        let mut categories: Vec<Category<'a>> = taxonomy.categories().collect();
        sort_siblings(&mut categories, keys, |category| {
            (category.node, category.id().get())
        });
        let mut below: HashMap<NodeId, Vec<Term<'a>>> = HashMap::new();
        for term in taxonomy.terms() {
            let above = match term.parent() {
                Some(parent) => NodeId::Term(parent.id().get()),
                None => NodeId::Category(term.category().id().get()),
            };
            below.entry(above).or_default().push(term);
        }
        for list in below.values_mut() {
            sort_siblings(list, keys, |term| (term.node, term.id().get()));
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

/// Sorts siblings, given the node and the id of each.
pub fn sort_siblings<'a, T: Copy>(
    list: &mut [T],
    keys: &dyn SiblingKeys,
    node: impl Fn(T) -> (Node<'a>, u64),
) {
    let all_have_sort_keys = list
        .iter()
        .all(|sibling| node(*sibling).0.details().sort_key.is_some());
    list.sort_by_cached_key(|sibling| {
        let (node, id) = node(*sibling);
        (keys.key(node, all_have_sort_keys), id)
    });
}
