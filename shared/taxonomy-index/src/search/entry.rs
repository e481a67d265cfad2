//! The names in a search object.

/// A category or a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A category; its depth is 0.
    Category,
    /// A term.
    Term,
}

/// The kind of a name. The order is that of the ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The name of the node.
    Preferred,
    /// Another name of the node.
    Alternative,
    /// The code of the node in a classification.
    Notation,
}

/// One name of a category or a term.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The position of the node in the version, in preorder.
    pub ordinal: u32,
    /// The id of the node.
    pub id: u64,
    /// The name in its displayed form.
    pub name: &'a str,
    /// The kind of the name.
    pub kind: Kind,
    /// The depth of a term, from 1 to 255; 0 for a category.
    pub depth: u8,
    /// Whether the node is deprecated.
    pub deprecated: bool,
    /// The text that the node is sorted by among its siblings; empty for none.
    pub sort_key: &'a str,
}

/// The number of combinations of kind, state and node: names are numbered by partition, so that a partition is a range of ranks.
pub(crate) const PARTITIONS: usize = 12;

/// What all names of a partition have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Partition {
    pub(crate) kind: Kind,
    pub(crate) deprecated: bool,
    pub(crate) node: Node,
}

impl Entry<'_> {
    /// Returns its partition: by kind, live before deprecated in each, categories before terms.
    pub(crate) fn partition(&self) -> usize {
        self.kind as usize * 4 + usize::from(self.deprecated) * 2 + usize::from(self.depth > 0)
    }
}

impl Partition {
    pub(crate) fn new(number: usize) -> Self {
        Self {
            kind: match number / 4 {
                0 => Kind::Preferred,
                1 => Kind::Alternative,
                _ => Kind::Notation,
            },
            deprecated: number / 2 % 2 == 1,
            node: if number.is_multiple_of(2) {
                Node::Category
            } else {
                Node::Term
            },
        }
    }
}
