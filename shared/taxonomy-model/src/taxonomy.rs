//! The validated tree of one version.

pub(crate) mod derived;
pub(crate) mod details;
pub(crate) mod draft;
pub(crate) mod lineage;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod settings;
pub(crate) mod siblings;
pub(crate) mod tree;
pub(crate) mod under;

use taxonomy_keys::{CategoryId, Culture, TermId};

use crate::taxonomy::details::Details;
use crate::taxonomy::names::NameData;
use crate::taxonomy::settings::Settings;
use crate::taxonomy::tree::{NodeData, NodePath, TaxonomyTree};

/// A taxonomy with the invariants of the format: ids are unique, every node has a name in the default culture, the depth is bounded.
///
/// Categories and terms ascend by id; names of a node ascend by culture.
///
/// A block of an index file has a part of one: some terms, with their categories and all their ancestors. There [`Term::is_leaf`] and
/// [`Taxonomy::order`] are of the part alone.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    pub(crate) settings: Settings,
    pub(crate) tree: TaxonomyTree,
}

/// A name of a node in one culture.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// Its culture.
    pub culture: &'a Culture,
    /// The name.
    pub name: &'a str,
    /// The path, where the file gives one.
    pub path: Option<NodePath<'a>>,
}

impl Taxonomy {
    /// Default culture and fallback chain of the version.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every culture in which something has a name, ascending.
    pub fn cultures(&self) -> &[Culture] {
        &self.tree.cultures
    }

    /// Returns the cultures to try for a reader of `culture`, the best first and the default last.
    pub fn order(&self, culture: &Culture) -> Vec<Culture> {
        self.settings.order(culture, self.cultures())
    }

    /// The categories, ascending by id.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = Category<'_>> {
        self.tree.categories.iter().map(|data| self.category_of(data))
    }

    /// The terms, ascending by id.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = Term<'_>> {
        self.tree.terms.iter().map(|data| self.term_of(data))
    }

    /// The category with this id.
    pub fn category(&self, id: CategoryId) -> Option<Category<'_>> {
        find(&self.tree.categories, id.get()).map(|data| self.category_of(data))
    }

    /// The term with this id.
    pub fn term(&self, id: TermId) -> Option<Term<'_>> {
        find(&self.tree.terms, id.get()).map(|data| self.term_of(data))
    }

    /// Returns the approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.tree.bytes()
    }

    fn category_of<'a>(&'a self, data: &'a NodeData) -> Category<'a> {
        Category {
            node: Node { taxonomy: self, data },
        }
    }

    fn term_of<'a>(&'a self, data: &'a NodeData) -> Term<'a> {
        Term {
            node: Node { taxonomy: self, data },
        }
    }
}

fn find(nodes: &[NodeData], id: u64) -> Option<&NodeData> {
    let found = nodes.binary_search_by_key(&id, |data| data.id).ok()?;
    Some(&nodes[found])
}

/// The common fields of categories and terms.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    taxonomy: &'a Taxonomy,
    data: &'a NodeData,
}

impl<'a> Node<'a> {
    /// Iterates over the names, ascending by culture.
    pub fn names(self) -> impl Iterator<Item = Name<'a>> {
        let names = self.taxonomy.tree.names_of(self.data).iter();
        names.map(move |name| self.named(name))
    }

    /// The name in exactly this culture.
    pub fn name_in(self, culture: &Culture) -> Option<Name<'a>> {
        let tree = &self.taxonomy.tree;
        Some(self.named(tree.name_in(self.data, tree.finished_culture(culture)?)?))
    }

    fn named(self, name: &'a NameData) -> Name<'a> {
        let (tree, node) = (&self.taxonomy.tree, self.data);
        Name {
            culture: &tree.cultures[usize::from(name.culture)],
            name: tree.text.get(name.name()),
            path: name.path().is_some().then_some(NodePath { tree, node, name }),
        }
    }

    /// The name in the default culture.
    ///
    /// # Panics
    /// Never: every constructor of [`Taxonomy`] checks that each node has one.
    #[expect(
        clippy::expect_used,
        reason = "an invariant of the type, checked by TaxonomyTree::finish"
    )]
    pub fn default_name(self) -> Name<'a> {
        self.name_in(&self.taxonomy.settings.default_culture)
            .expect("every node has a name in the default culture")
    }

    /// Returns the name in the first culture of `order` in which the node has one, otherwise in the default culture.
    pub fn name_by(self, order: &[Culture]) -> Name<'a> {
        let named = order.iter().find_map(|culture| self.name_in(culture));
        named.unwrap_or_else(|| self.default_name())
    }

    /// Returns the name for a reader of `culture`: by [`Taxonomy::order`].
    pub fn best_name(self, culture: &Culture) -> Name<'a> {
        // The culture itself is the first of its order, and no other culture of the taxonomy changes the order of those of the node.
        let exact = self.name_in(culture);
        let cultures = self.names().map(|name| name.culture);
        exact.unwrap_or_else(|| self.name_by(&self.taxonomy.settings.order(culture, cultures)))
    }

    /// The optional fields.
    pub fn details(self) -> &'a Details {
        self.taxonomy.tree.details(self.data).unwrap_or(Details::none())
    }
}

/// A category of a taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Category<'a> {
    /// Names and the other fields that terms have too.
    pub node: Node<'a>,
}

impl Category<'_> {
    /// Its id.
    pub fn id(self) -> CategoryId {
        CategoryId::new(self.node.data.id).unwrap_or(CategoryId::MAX)
    }
}

/// A term of a taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Term<'a> {
    /// Names and the other fields that categories have too.
    pub node: Node<'a>,
}

impl<'a> Term<'a> {
    /// Its id.
    pub fn id(self) -> TermId {
        TermId::new(self.node.data.id).unwrap_or(TermId::MAX)
    }

    /// The category it belongs to.
    pub fn category(self) -> Category<'a> {
        let Node { taxonomy, data } = self.node;
        taxonomy.category_of(&taxonomy.tree.categories[data.category as usize])
    }

    /// The term above it; none for a top term.
    pub fn parent(self) -> Option<Self> {
        let Node { taxonomy, data } = self.node;
        let position = data.parent?.get();
        Some(taxonomy.term_of(&taxonomy.tree.terms[position as usize]))
    }

    /// Its ancestors, nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |term| term.parent())
    }

    /// 1 for a top term.
    pub fn depth(self) -> u8 {
        self.node.data.depth
    }

    /// Returns whether it has no children.
    pub fn is_leaf(self) -> bool {
        self.node.data.leaf
    }
}
