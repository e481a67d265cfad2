//! A taxonomy and the order of its siblings.

use std::{iter, slice};

use taxonomy_model::{self as model, Category, Collate, Siblings, Taxonomy, Term};

/// A taxonomy and the order of its siblings, which is sorted once for all writers.
#[derive(Debug)]
pub struct SortedTaxonomy<'a> {
    taxonomy: &'a Taxonomy,
    siblings: Siblings<'a>,
}

/// A category or a term.
#[derive(Debug, Clone, Copy)]
pub enum TreeNode<'a> {
    /// A category.
    Category(Category<'a>),
    /// A term.
    Term(Term<'a>),
}

impl<'a> SortedTaxonomy<'a> {
    /// Sorts the siblings of a taxonomy, in the order of its default culture.
    pub fn new(taxonomy: &'a Taxonomy, collate: Collate) -> Self {
        let keys = collate(taxonomy, &taxonomy.settings().default_culture);
        Self {
            taxonomy,
            siblings: Siblings::new(taxonomy, &*keys),
        }
    }

    /// The taxonomy.
    pub fn taxonomy(&self) -> &'a Taxonomy {
        self.taxonomy
    }

    /// The categories in sibling order.
    pub fn categories(&self) -> &[Category<'a>] {
        self.siblings.categories()
    }

    /// The terms right below a node, in sibling order.
    pub fn below(&self, node: TreeNode<'a>) -> &[Term<'a>] {
        match node {
            TreeNode::Category(category) => self.siblings.top_terms(category.id()),
            TreeNode::Term(term) => self.siblings.children(term.id()),
        }
    }

    /// Every category, each followed by its terms: a parent before its children, siblings in their order.
    pub fn walk(&self) -> impl Iterator<Item = TreeNode<'a>> {
        let mut categories = self.categories().iter();
        // The rest of each list on the way down; their number is at most the depth of a term.
        let mut open: Vec<slice::Iter<'_, Term<'a>>> = Vec::new();
        iter::from_fn(move || {
            let node = loop {
                match open.last_mut() {
                    None => break TreeNode::Category(*categories.next()?),
                    Some(list) => match list.next() {
                        Some(term) => break TreeNode::Term(*term),
                        None => drop(open.pop()),
                    },
                }
            };
            open.push(self.below(node).iter());
            Some(node)
        })
    }

    /// Every term, in the order of [`walk`](Self::walk).
    pub fn terms(&self) -> impl Iterator<Item = Term<'a>> {
        self.walk().filter_map(|node| match node {
            TreeNode::Category(_) => None,
            TreeNode::Term(term) => Some(term),
        })
    }
}

impl<'a> TreeNode<'a> {
    /// Names and details.
    pub fn node(self) -> model::Node<'a> {
        match self {
            Self::Category(category) => category.node,
            Self::Term(term) => term.node,
        }
    }

    /// Its id, which a category and a term may share.
    pub fn id(self) -> u64 {
        match self {
            Self::Category(category) => category.id().get(),
            Self::Term(term) => term.id().get(),
        }
    }
}
