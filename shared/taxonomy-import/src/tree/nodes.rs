//! The decisions about the concepts of a source.

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::Graph;

/// The depth of the deepest term (docs/decisions/0003-input-file.md).
pub(super) const MAX_DEPTH: u32 = 32;

/// The decisions about a concept, which becomes no node without a kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Node {
    pub(crate) kind: Option<NodeKind>,
    pub(crate) parent: Option<ConceptRef>,
    pub(crate) id: u64,
}

/// The decisions about all concepts, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Nodes(Vec<Node>);

impl Nodes {
    /// Makes room for the decisions about so many concepts.
    pub(crate) fn with_room(concepts: usize) -> Self {
        Self(Vec::with_capacity(concepts))
    }

    pub(crate) fn get(&self, concept: ConceptRef) -> Node {
        self.0.get(concept.at()).copied().unwrap_or_default()
    }

    pub(super) fn get_mut(&mut self, concept: ConceptRef) -> &mut Node {
        let at = concept.at();
        if at >= self.0.len() {
            self.0.resize(at + 1, Node::default());
        }
        &mut self.0[at]
    }

    /// Every category and term.
    pub(crate) fn all(&self) -> impl Iterator<Item = ConceptRef> {
        let nodes = self.0.iter().enumerate();
        nodes.filter_map(|(at, node)| node.kind.map(|_| ConceptRef::new(at)))
    }

    /// Every node of a kind.
    pub(super) fn of_kind(&self, kind: NodeKind) -> impl Iterator<Item = ConceptRef> {
        self.all().filter(move |concept| self.is(*concept, kind))
    }

    pub(crate) fn is(&self, concept: ConceptRef, kind: NodeKind) -> bool {
        self.get(concept).kind == Some(kind)
    }

    /// Every concept, parents before those below them. Chosen parents have no cycles.
    pub(super) fn top_down(&self, graph: &Graph) -> Vec<ConceptRef> {
        let mut order = Vec::with_capacity(graph.concept_count());
        let mut is_done = vec![false; graph.concept_count()];
        let mut open = Vec::new();
        for concept in graph.all() {
            let mut next = Some(concept);
            while let Some(at) = next.filter(|at| !is_done[at.at()]) {
                is_done[at.at()] = true;
                open.push(at);
                next = self.get(at).parent;
            }
            order.extend(open.drain(..).rev());
        }
        order
    }

    /// Returns whether a term may be below a concept.
    pub(super) fn have_room_below(&self, concept: ConceptRef) -> bool {
        let above = std::iter::successors(Some(concept), |at| self.get(*at).parent);
        above.take(MAX_DEPTH as usize + 1).count() <= MAX_DEPTH as usize
    }
}
