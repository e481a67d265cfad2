//! The parents of concepts: all that are stated, and the one that is chosen.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, StatementKind};
use crate::ids::IdMap;
use crate::report::Code;

use super::chains::{known_kind, last_parent};
use super::nodes::Nodes;
use super::schemes::Schemes;

/// Chooses a parent for each concept that is described, one in the same scheme if schemes are given.
pub(super) fn choose(graph: &mut Graph, old: &IdMap, nodes: &mut Nodes, schemes: Option<&Schemes>) {
    let has = |kind| graph.all().any(|concept| graph.has(concept, kind));
    // The source states both directions anywhere.
    let is_two_way = has(StatementKind::Broader) && has(StatementKind::NarrowerOf);
    for concept in graph.all() {
        if !graph.is_declared(concept) {
            continue;
        }
        report_faults(graph, concept, is_two_way);
        let parents = parents_of(graph, concept);
        if known_kind(graph, old, concept) == Some(NodeKind::Category) {
            if let Some(parent) = parents.first() {
                let message = format!("is a category, and below {}", graph.key(*parent));
                graph.issue_of(Code::CategoryBelow, concept, message);
            }
        } else {
            nodes.get_mut(concept).parent = choose_one(graph, old, concept, &parents, schemes);
        }
    }
}

/// The concepts that are stated to be right above one, each once.
fn stated(graph: &Graph, concept: ConceptRef) -> impl Iterator<Item = ConceptRef> {
    let mut seen = HashSet::new();
    let others = graph.others(concept, &[StatementKind::Broader, StatementKind::NarrowerOf]);
    others.filter(move |other| seen.insert(*other))
}

/// Every parent of a concept that is described.
fn parents_of(graph: &Graph, concept: ConceptRef) -> Vec<ConceptRef> {
    let others = stated(graph, concept);
    let mut parents: Vec<ConceptRef> = others
        .filter(|other| *other != concept && graph.is_declared(*other))
        .collect();
    graph.sort_unordered(&mut parents);
    parents
}

fn report_faults(graph: &mut Graph, concept: ConceptRef, is_two_way: bool) {
    let all = |kind| -> HashSet<ConceptRef> { graph.others(concept, kind).collect() };
    let (up, down) = match is_two_way {
        true => (all(&[StatementKind::Broader]), all(&[StatementKind::NarrowerOf])),
        false => (HashSet::new(), HashSet::new()),
    };
    let mut issues = Vec::new();
    for other in stated(graph, concept) {
        let key = graph.key(other);
        if other == concept {
            issues.push((Code::SelfParent, "lies below itself".to_owned()));
        } else if !graph.is_declared(other) {
            issues.push((
                Code::UnknownParent,
                format!("lies below {key}, which is not described"),
            ));
        } else if up.contains(&other) != down.contains(&other) {
            issues.push((Code::OneWay, format!("lies below {key} by one of the two alone")));
        }
    }
    for (code, message) in issues {
        graph.issue_of(code, concept, message);
    }
}

fn choose_one(
    graph: &mut Graph,
    old: &IdMap,
    concept: ConceptRef,
    parents: &[ConceptRef],
    schemes: Option<&Schemes>,
) -> Option<ConceptRef> {
    let is_parent = |parent: &ConceptRef| parents.contains(parent);
    let preferred = graph
        .others(concept, &[StatementKind::Parent])
        .last()
        .filter(is_parent);
    let kept = preferred.or_else(|| match parents.len() {
        0 | 1 => None,
        _ => last_parent(graph, old, concept).filter(is_parent),
    });
    let joined = || {
        let mut parents = parents.iter().copied().filter(|_| parents.len() > 1);
        schemes.and_then(|schemes| parents.find(|parent| schemes.join(graph, old, concept, *parent)))
    };
    let chosen = kept.or_else(joined).or_else(|| parents.first().copied())?;
    for parent in parents.iter().filter(|parent| **parent != chosen) {
        let message = format!("lies below {} as well", graph.key(*parent));
        graph.issue_of(Code::FurtherParent, concept, message);
    }
    Some(chosen)
}

/// Cuts each cycle of chosen parents at one concept.
///
/// Every concept leads to one cycle or to one top, so a component has at most one cycle. A parent in another component never closes
/// a cycle, and each cut leaves one cycle less.
pub(super) fn cut_cycles(graph: &mut Graph, nodes: &mut Nodes) {
    let mut components = Components::new(graph, nodes);
    let mut cycles = cycles(graph, nodes);
    for cycle in &mut cycles {
        cycle.sort_by(|one, other| compare(graph, *one, *other));
    }
    // A cut decides where the next cycle has a way out. A concept is in one cycle at most.
    cycles.sort_by(|one, other| match (one.first(), other.first()) {
        (Some(one), Some(other)) => compare(graph, *one, *other),
        _ => Ordering::Equal,
    });
    for cycle in cycles {
        let way_out = cycle.iter().find_map(|concept| {
            let mut parents = parents_of(graph, *concept).into_iter();
            let parent = parents.find(|parent| components.root(*parent) != components.root(*concept))?;
            Some((*concept, Some(parent)))
        });
        let Some((concept, parent)) = way_out.or_else(|| Some((*cycle.first()?, None))) else {
            continue;
        };
        let above = std::mem::replace(&mut nodes.get_mut(concept).parent, parent).unwrap_or(concept);
        if let Some(parent) = parent {
            components.join(concept, parent);
        }
        let message = format!("lies below itself by way of {}", graph.key(above));
        graph.issue_of(Code::Cycle, concept, message);
    }
}

/// Compares by the order of the source, or by key where the source has none.
fn compare(graph: &Graph, one: ConceptRef, other: ConceptRef) -> Ordering {
    match graph.is_unordered {
        true => graph.key(one).cmp(graph.key(other)),
        false => one.cmp(&other),
    }
}

fn cycles(graph: &Graph, nodes: &Nodes) -> Vec<Vec<ConceptRef>> {
    let mut cycles = Vec::new();
    let mut walks: Vec<Option<ConceptRef>> = vec![None; graph.concept_count()];
    for walk in graph.all() {
        let mut at = walk;
        while walks[at.at()].is_none() {
            walks[at.at()] = Some(walk);
            at = nodes.get(at).parent.unwrap_or(at);
        }
        if walks[at.at()] == Some(walk) && nodes.get(at).parent.is_some() {
            let below = |node: &ConceptRef| nodes.get(*node).parent.filter(|above| *above != at);
            cycles.push(std::iter::successors(Some(at), below).collect());
        }
    }
    cycles
}

/// Concepts that are connected by chosen parents (union-find with path halving).
pub(super) struct Components(Vec<ConceptRef>);

impl Components {
    pub(super) fn new(graph: &Graph, nodes: &Nodes) -> Self {
        let mut components = Self(graph.all().collect());
        for concept in graph.all() {
            if let Some(parent) = nodes.get(concept).parent {
                components.join(concept, parent);
            }
        }
        components
    }

    pub(super) fn root(&mut self, concept: ConceptRef) -> ConceptRef {
        let mut at = concept;
        loop {
            let above = self.0[at.at()];
            if above == at {
                return at;
            }
            let next = self.0[above.at()];
            self.0[at.at()] = next;
            at = next;
        }
    }

    /// Makes room for the concepts that were added.
    pub(super) fn add(&mut self, graph: &Graph) {
        self.0.extend(graph.all().skip(self.0.len()));
    }

    pub(super) fn join(&mut self, one: ConceptRef, other: ConceptRef) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.at()] = other;
    }
}
