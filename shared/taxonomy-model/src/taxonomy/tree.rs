//! The nodes of a taxonomy, under construction or finished. All texts are in one buffer and all names in one list, so that a taxonomy
//! takes little more memory than its texts.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;

use taxonomy_keys::Culture;

use crate::taxonomy::details::Details;
use crate::taxonomy::names::{NameData, NameList, PathData};
use crate::text::{TextBuffer, narrow};

#[derive(Debug, Clone, Default)]
pub(crate) struct TaxonomyTree {
    pub(crate) cultures: Vec<Culture>,
    pub(crate) text: TextBuffer,
    pub(crate) names: NameList,
    pub(crate) details: Vec<Details>,
    pub(crate) categories: Vec<NodeData>,
    pub(crate) terms: Vec<NodeData>,
}

impl PathData {
    pub(crate) fn is_some(self) -> bool {
        !matches!(self, Self::None)
    }
}

/// A category or a term; `category` and `parent` are positions in their lists.
#[derive(Debug, Clone)]
pub(crate) struct NodeData {
    pub(crate) id: u64,
    pub(crate) category: u32,
    pub(crate) parent: Option<Position>,
    pub(crate) depth: u8,
    pub(crate) leaf: bool,
    pub(crate) names: Range<u32>,
    pub(crate) details: Option<Position>,
}

/// An optional position in a list, in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position(NonZeroU32);

impl Position {
    /// Positions are far below the reserved number; see [`narrow`].
    pub(crate) fn new(position: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(position))
    }

    pub(crate) fn get(self) -> u32 {
        self.0.get() - 1
    }
}

impl NodeData {
    /// Creates a node of which only the position is known.
    pub(crate) fn new(category: u32, parent: Option<u32>, depth: u8) -> Self {
        Self {
            id: 0,
            category,
            parent: parent.map(Position::new),
            depth,
            leaf: true,
            names: 0..0,
            details: None,
        }
    }

    /// Returns the node above a term.
    pub(crate) fn above(&self) -> NodeRef {
        let parent = self.parent.map(Position::get);
        parent.map_or(NodeRef::Category(self.category), NodeRef::Term)
    }
}

/// Adds a node. The list grows by an eighth: doubled, it would often be half empty.
pub(crate) fn push_node(nodes: &mut Vec<NodeData>, node: NodeData) {
    if nodes.len() == nodes.capacity() {
        nodes.reserve_exact((nodes.len() / 8).max(64));
    }
    nodes.push(node);
}

/// A node by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum NodeRef {
    Category(u32),
    Term(u32),
}

impl TaxonomyTree {
    /// Creates an empty tree with a reserve for texts, in bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            text: TextBuffer::with_room(bytes),
            names: NameList::small(),
            ..Self::default()
        }
    }

    /// Frees the reserves of texts, names and nodes.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.names.shrink_to_fit();
        self.details.shrink_to_fit();
        self.categories.shrink_to_fit();
        self.terms.shrink_to_fit();
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let details = self.details.iter().map(Details::memory);
        self.text.bytes()
            + self.names.bytes()
            + details.sum::<usize>()
            + (self.categories.capacity() + self.terms.capacity()) * size_of::<NodeData>()
            + self
                .cultures
                .iter()
                .map(|tag| size_of::<Culture>() + 16 + tag.as_str().len())
                .sum::<usize>()
    }

    /// Returns the number of a culture.
    pub(crate) fn culture(&mut self, culture: &Culture) -> u16 {
        let known = self.cultures.iter().position(|other| other == culture);
        let position = known.unwrap_or_else(|| {
            self.cultures.push(culture.clone());
            self.cultures.len() - 1
        });
        u16::try_from(position).unwrap_or(u16::MAX)
    }

    /// The same, but none for a culture beyond the limit.
    pub(crate) fn culture_within(&mut self, culture: &Culture, most: usize) -> Option<u16> {
        let is_new = self.cultures.len() >= most && !self.cultures.contains(culture);
        (!is_new).then(|| self.culture(culture))
    }

    /// Returns the number of a culture of a finished tree, whose cultures are sorted.
    pub(crate) fn finished_culture(&self, culture: &Culture) -> Option<u16> {
        u16::try_from(self.cultures.binary_search(culture).ok()?).ok()
    }

    /// Stores a path of a node in a culture: its own part, if it begins with the path of the parent. The names of the parent must be complete and
    /// sorted, otherwise the path is stored whole.
    pub(crate) fn push_path(&mut self, above: Option<NodeRef>, culture: u16, path: &str) -> PathData {
        let mut prefix = String::new();
        let has_path = above.is_some_and(|above| self.write_path_above(above, culture, &mut prefix));
        match path.strip_prefix(&prefix) {
            Some(rest) if has_path => PathData::Below(self.text.push(rest)),
            _ => PathData::Whole(self.text.push(path)),
        }
    }

    /// Stores the details of a node, unless there are none.
    pub(crate) fn push_details(&mut self, details: Details) -> Option<Position> {
        if details == Details::default() {
            return None;
        }
        self.details.push(details);
        Some(Position::new(narrow(self.details.len() - 1)))
    }

    pub(crate) fn node(&self, node: NodeRef) -> &NodeData {
        match node {
            NodeRef::Category(position) => &self.categories[position as usize],
            NodeRef::Term(position) => &self.terms[position as usize],
        }
    }

    pub(crate) fn node_mut(&mut self, node: NodeRef) -> &mut NodeData {
        match node {
            NodeRef::Category(position) => &mut self.categories[position as usize],
            NodeRef::Term(position) => &mut self.terms[position as usize],
        }
    }

    /// Returns the node above a node; none for a category.
    pub(crate) fn above(&self, node: NodeRef) -> Option<NodeRef> {
        match node {
            NodeRef::Category(_) => None,
            NodeRef::Term(_) => Some(self.node(node).above()),
        }
    }

    /// Creates a term directly below a node, of which only the position is known.
    pub(crate) fn term_below(&self, above: NodeRef) -> NodeData {
        let node = self.node(above);
        let depth = node.depth.saturating_add(1);
        match above {
            NodeRef::Category(category) => NodeData::new(category, None, depth),
            NodeRef::Term(parent) => NodeData::new(node.category, Some(parent), depth),
        }
    }

    pub(crate) fn details(&self, node: &NodeData) -> Option<&Details> {
        node.details.map(|index| &self.details[index.get() as usize])
    }

    /// Sorts the names of a node, as [`name_in`](Self::name_in) requires.
    pub(crate) fn sort_names(&mut self, names: &Range<u32>) {
        self.names
            .get_mut(names)
            .sort_unstable_by_key(|name| name.culture);
    }

    pub(crate) fn names_of(&self, node: &NodeData) -> &[NameData] {
        self.names.get(&node.names)
    }

    /// Returns the name in a culture; the names of the node must be sorted.
    pub(crate) fn name_in(&self, node: &NodeData, culture: u16) -> Option<&NameData> {
        let names = self.names_of(node);
        let found = names.binary_search_by_key(&culture, |name| name.culture).ok()?;
        Some(&names[found])
    }

    /// Returns the path of a node in a culture.
    pub(crate) fn path(&self, node: &NodeData, name: &NameData) -> Option<Cow<'_, str>> {
        match name.path() {
            PathData::None => None,
            PathData::Whole(path) => Some(Cow::Borrowed(self.text.get(path))),
            PathData::Below(_) => {
                let mut path = String::new();
                self.write_path(node, name, &mut path);
                Some(Cow::Owned(path))
            }
        }
    }

    /// Appends the path of a node; the depth of a term is at most [`MAX_DEPTH`](taxonomy_keys::MAX_DEPTH).
    fn write_path(&self, node: &NodeData, name: &NameData, path: &mut String) {
        match name.path() {
            PathData::None => {}
            PathData::Whole(whole) => path.push_str(self.text.get(whole)),
            PathData::Below(rest) => {
                self.write_path_above(node.above(), name.culture, path);
                path.push_str(self.text.get(rest));
            }
        }
    }

    /// Appends the path of a node in a culture; returns false if it has none.
    fn write_path_above(&self, above: NodeRef, culture: u16, path: &mut String) -> bool {
        let node = self.node(above);
        let name = self.name_in(node, culture).filter(|name| name.path().is_some());
        name.inspect(|name| self.write_path(node, name, path)).is_some()
    }
}

/// The path of a node, which is put together when it is read.
#[derive(Clone, Copy)]
pub struct NodePath<'a> {
    pub(crate) tree: &'a TaxonomyTree,
    pub(crate) node: &'a NodeData,
    pub(crate) name: &'a NameData,
}

impl<'a> NodePath<'a> {
    /// Its text.
    pub fn text(self) -> Cow<'a, str> {
        self.tree.path(self.node, self.name).unwrap_or_default()
    }
}

impl fmt::Debug for NodePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}
