//! Concept schemes, and the one of several in which a concept has its place.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, StatementKind};
use crate::ids::IdMap;
use crate::report::Code;

use super::chains::{known_kind, last_category};
use super::nodes::Nodes;

const MEMBER: &[StatementKind] = &[StatementKind::TopOf, StatementKind::InScheme];
const TOP: &[StatementKind] = &[StatementKind::TopOf];

/// The number of concepts in each scheme that has any.
pub(super) struct Schemes(HashMap<ConceptRef, u64>);

impl Schemes {
    pub(super) fn new(graph: &Graph) -> Self {
        let mut counts = HashMap::new();
        for concept in graph.declared() {
            for scheme in stated(graph, concept, MEMBER) {
                *counts.entry(scheme).or_default() += 1;
            }
        }
        Self(counts)
    }

    /// The number of schemes with concepts.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The schemes of a concept, those with the most concepts first.
    fn of(&self, graph: &Graph, concept: ConceptRef, kinds: &'static [StatementKind]) -> Vec<ConceptRef> {
        let mut schemes = stated(graph, concept, kinds);
        schemes.sort_by_key(|scheme| Reverse(self.0.get(scheme)));
        schemes
    }

    /// The schemes in which a concept may have its place, the best first: the one of the last release, else one of which it is a top, else
    /// all of its own; none where it is in none.
    fn places(&self, graph: &Graph, old: &IdMap, concept: ConceptRef) -> Vec<ConceptRef> {
        let schemes = self.of(graph, concept, MEMBER);
        if schemes.len() < 2 {
            return schemes;
        }
        let last = last_category(graph, old, concept).filter(|last| schemes.contains(last));
        match last.or_else(|| self.of(graph, concept, TOP).first().copied()) {
            Some(scheme) => vec![scheme],
            None => schemes,
        }
    }

    /// The scheme of a concept without regard to its parent.
    pub(super) fn home(&self, graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
        self.places(graph, old, concept).first().copied()
    }

    /// Returns whether a concept may be in one scheme with its parent.
    pub(super) fn join(&self, graph: &Graph, old: &IdMap, concept: ConceptRef, parent: ConceptRef) -> bool {
        let [own, above] = [concept, parent].map(|concept| self.places(graph, old, concept));
        own.is_empty() || above.is_empty() || own.iter().any(|scheme| above.contains(scheme))
    }

    /// Takes a parent in another scheme from a concept, from the top down: one in no scheme is in that of its parent.
    pub(super) fn part(&self, graph: &mut Graph, old: &IdMap, nodes: &mut Nodes) {
        let mut homes = vec![None; graph.concept_count()];
        for concept in nodes.top_down(graph) {
            if !graph.is_declared(concept) || known_kind(graph, old, concept) == Some(NodeKind::Category) {
                continue;
            }
            let parent = nodes.get(concept).parent;
            let above = parent.and_then(|parent| homes[parent.at()]);
            let places = self.places(graph, old, concept);
            let inherited = above.filter(|above| places.is_empty() || places.contains(above));
            let home = inherited.or_else(|| places.first().copied());
            homes[concept.at()] = home;
            if let (Some(parent), Some(above), Some(home)) = (parent, above, home)
                && above != home
            {
                nodes.get_mut(concept).parent = None;
                let [parent, above] = [parent, above].map(|concept| graph.key(concept).to_owned());
                let message = format!("lies below {parent}, which is in the scheme {above}");
                graph.issue_of(Code::OtherScheme, concept, message);
            }
        }
    }

    /// Reports the memberships that the tree does not show, a line a scheme; where there is one scheme, it says nothing of its concepts.
    pub(super) fn report_lost(&self, graph: &mut Graph, nodes: &Nodes) {
        if self.count() < 2 {
            return;
        }
        let mut lost = HashMap::<ConceptRef, u64>::new();
        let mut categories = vec![None; graph.concept_count()];
        for concept in nodes.top_down(graph) {
            let above = nodes
                .get(concept)
                .parent
                .and_then(|parent| categories[parent.at()]);
            let category = above.unwrap_or(concept);
            categories[concept.at()] = Some(category);
            if graph.is_declared(concept) {
                for scheme in stated(graph, concept, MEMBER) {
                    *lost.entry(scheme).or_default() += u64::from(scheme != category);
                }
            }
        }
        let mut lost: Vec<(String, u64)> = lost
            .into_iter()
            .map(|(scheme, count)| (graph.key(scheme).to_owned(), count))
            .filter(|(_, count)| *count > 0)
            .collect();
        lost.sort();
        for (scheme, count) in lost {
            let message = format!("concepts of this scheme that are elsewhere: {count}");
            graph.report.add_unplaced(Code::Ignored, Some(&scheme), message);
        }
    }
}

/// The schemes that are stated of a concept, each once.
fn stated(graph: &Graph, concept: ConceptRef, kinds: &'static [StatementKind]) -> Vec<ConceptRef> {
    let mut seen = HashSet::from([concept]);
    let others = graph.others(concept, kinds).filter(|scheme| seen.insert(*scheme));
    let mut schemes: Vec<ConceptRef> = others
        .filter(|scheme| graph.has(*scheme, StatementKind::Scheme))
        .collect();
    graph.sort_unordered(&mut schemes);
    schemes
}
