//! The parents of concepts: all that are stated, and the one that is chosen.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, RowKind};
use crate::ids::IdMap;
use crate::report::Code;

use super::chains::last_parent;
use super::order::{compare, sort};

/// The depth of the deepest term (docs/decisions/0003-input-file.md).
pub(super) const MAX_DEPTH: u32 = 32;
/// No parent, no sibling, no child.
pub(crate) const NONE: u32 = u32::MAX;

/// The parents of each concept.
#[derive(Debug)]
pub(crate) struct Parents {
    /// All that are described, those of a concept from its offset to the next one.
    list: Vec<u32>,
    offsets: Vec<u32>,
    chosen: Vec<u32>,
}

impl Parents {
    /// Collects the parents, and chooses one each.
    pub(super) fn new(graph: &mut Graph, own: &[Option<NodeKind>], old: &IdMap) -> Self {
        let count = graph.concept_count();
        let mut parents = Self {
            list: Vec::with_capacity(count),
            offsets: Vec::with_capacity(count + 1),
            chosen: vec![NONE; count],
        };
        parents.offsets.push(0);
        let is_two_way = is_two_way(graph);
        let mut found = Found::default();
        for (at, own) in own.iter().enumerate() {
            let concept = graph.at(at);
            if graph.is_declared(concept) {
                found.collect(graph, concept, is_two_way);
                parents.list.extend_from_slice(&found.parents);
                if *own == Some(NodeKind::Category) {
                    if let Some(parent) = found.parents.first() {
                        let message = format!("is a category, and below {}", graph.key(ConceptRef(*parent)));
                        graph.issue_of(Code::CategoryBelow, concept, || message);
                    }
                } else {
                    parents.chosen[at] = found.choose(graph, old, concept);
                }
            }
            // A source has fewer statements than 32 bits count.
            parents
                .offsets
                .push(u32::try_from(parents.list.len()).unwrap_or(NONE));
        }
        parents
    }

    /// Every parent of a concept that is described.
    pub(crate) fn all(&self, concept: ConceptRef) -> impl Iterator<Item = ConceptRef> {
        let at = concept.at();
        let range = match (self.offsets.get(at), self.offsets.get(at + 1)) {
            (Some(start), Some(end)) => *start as usize..*end as usize,
            // A concept that is gone was added later.
            _ => 0..0,
        };
        self.list[range].iter().map(|number| ConceptRef(*number))
    }

    /// Returns the parent of a concept in the tree.
    pub(crate) fn parent_of(&self, concept: ConceptRef) -> Option<ConceptRef> {
        let chosen = self.chosen.get(concept.at()).copied()?;
        (chosen != NONE).then_some(ConceptRef(chosen))
    }

    /// Returns the number of the parent, by the number of a concept.
    pub(crate) fn parent_at(&self, at: usize) -> Option<usize> {
        let chosen = self.chosen.get(at).copied()?;
        (chosen != NONE).then_some(chosen as usize)
    }

    /// Returns whether a term may be below a concept.
    pub(super) fn have_room_below(&self, concept: ConceptRef) -> bool {
        let above = std::iter::successors(Some(concept), |at| self.parent_of(*at));
        above.take(MAX_DEPTH as usize + 1).count() <= MAX_DEPTH as usize
    }

    /// Puts a concept below another one, or at the top.
    pub(super) fn choose(&mut self, concept: ConceptRef, parent: Option<ConceptRef>) {
        if concept.at() >= self.chosen.len() {
            self.chosen.resize(concept.at() + 1, NONE);
        }
        self.chosen[concept.at()] = parent.map_or(NONE, |parent| parent.0);
    }

    /// Cuts each cycle of chosen parents at one concept.
    ///
    /// Every concept leads to one cycle or to one top, so a component has at most one cycle. A parent in another component never closes
    /// a cycle, and each cut leaves one cycle less.
    pub(super) fn cut_cycles(&mut self, graph: &mut Graph) {
        let mut components = Components::new(&self.chosen);
        let mut cycles = self.cycles();
        for cycle in &mut cycles {
            cycle.sort_by(|one, other| compare(graph, *one, *other));
        }
        // A cut decides where the next cycle has a way out. A concept is in one cycle at most.
        cycles.sort_by(|one, other| match (one.first(), other.first()) {
            (Some(one), Some(other)) => compare(graph, *one, *other),
            _ => Ordering::Equal,
        });
        for cycle in cycles {
            let mut out = None;
            'cycle: for concept in &cycle {
                for parent in self.all(*concept) {
                    if components.root(parent.0) != components.root(concept.0) {
                        out = Some((*concept, Some(parent)));
                        break 'cycle;
                    }
                }
            }
            let Some((concept, parent)) = out.or_else(|| Some((*cycle.first()?, None))) else {
                continue;
            };
            let above = self.parent_of(concept).unwrap_or(concept);
            self.choose(concept, parent);
            if let Some(parent) = parent {
                components.join(concept.0, parent.0);
            }
            let message = format!("lies below itself by way of {}", graph.key(above));
            graph.issue_of(Code::Cycle, concept, || message);
        }
    }

    fn cycles(&self) -> Vec<Vec<ConceptRef>> {
        let mut cycles = Vec::new();
        let mut walks = vec![NONE; self.chosen.len()];
        for walk in 0..self.chosen.len() {
            let mut at = walk;
            while walks[at] == NONE {
                walks[at] = u32::try_from(walk).unwrap_or(NONE);
                at = self.parent_at(at).unwrap_or(at);
            }
            let is_cycle = walks[at] as usize == walk && self.chosen[at] != NONE;
            if is_cycle {
                let first = at;
                let below = |at: &usize| self.parent_at(*at).filter(|at| *at != first);
                let around = std::iter::successors(Some(first), below);
                let around = around.filter_map(|at| u32::try_from(at).ok().map(ConceptRef));
                cycles.push(around.collect());
            }
        }
        cycles
    }
}

/// The scheme of a concept without a parent: that of the last release if it still is one, else the first.
pub(super) fn scheme_of(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
    let schemes = graph.rows(concept).filter(|row| row.kind == RowKind::InScheme);
    let schemes = schemes.filter_map(|row| graph.other(row));
    let schemes = schemes.filter(|scheme| {
        let mut rows = graph.rows(*scheme);
        rows.any(|row| row.kind == RowKind::Scheme)
    });
    let mut schemes: Vec<u32> = schemes.map(|scheme| scheme.0).collect();
    sort(graph, &mut schemes);
    let last = last_parent(graph, old, concept);
    let kept = last.filter(|last| schemes.contains(&last.0));
    kept.or_else(|| schemes.first().map(|first| ConceptRef(*first)))
}

/// The stated parents of one concept.
#[derive(Default)]
struct Found {
    parents: Vec<u32>,
    preferred: Option<u32>,
}

impl Found {
    fn collect(&mut self, graph: &mut Graph, concept: ConceptRef, is_two_way: bool) {
        self.parents.clear();
        self.preferred = None;
        let (mut up, mut down, mut issues) = (HashSet::new(), HashSet::new(), Vec::new());
        let mut seen = HashSet::new();
        for row in graph.rows(concept) {
            let Some(other) = graph.other(row) else {
                continue;
            };
            match row.kind {
                RowKind::Broader => _ = up.insert(other.0),
                RowKind::NarrowerOf => _ = down.insert(other.0),
                RowKind::Parent => {
                    self.preferred = Some(other.0);
                    continue;
                }
                _ => continue,
            }
            if !seen.insert(other.0) {
                continue;
            }
            if other == concept {
                issues.push((Code::SelfParent, "lies below itself".to_owned()));
            } else if !graph.is_declared(other) {
                let message = format!("lies below {}, which is not described", graph.key(other));
                issues.push((Code::UnknownParent, message));
            } else {
                self.parents.push(other.0);
            }
        }
        if is_two_way {
            for parent in &self.parents {
                if up.contains(parent) != down.contains(parent) {
                    let key = graph.key(ConceptRef(*parent));
                    issues.push((Code::OneWay, format!("lies below {key} by one of the two alone")));
                }
            }
        }
        for (code, message) in issues {
            graph.issue_of(code, concept, || message);
        }
        sort(graph, &mut self.parents);
    }

    fn choose(&self, graph: &mut Graph, old: &IdMap, concept: ConceptRef) -> u32 {
        let is_parent = |parent: &u32| self.parents.contains(parent);
        let last = || {
            let last = last_parent(graph, old, concept)?;
            Some(last.0).filter(is_parent)
        };
        let several = self.parents.len() > 1;
        let kept = self
            .preferred
            .filter(is_parent)
            .or_else(|| several.then(last).flatten());
        let chosen = kept.or_else(|| self.parents.first().copied());
        let Some(chosen) = chosen else { return NONE };
        for parent in self.parents.iter().filter(|parent| **parent != chosen) {
            let message = format!("lies below {} as well", graph.key(ConceptRef(*parent)));
            graph.issue_of(Code::FurtherParent, concept, || message);
        }
        chosen
    }
}

/// Returns true if the source states both directions anywhere.
fn is_two_way(graph: &Graph) -> bool {
    let (mut up, mut down) = (false, false);
    for concept in graph.all() {
        for row in graph.rows(concept) {
            up |= row.kind == RowKind::Broader;
            down |= row.kind == RowKind::NarrowerOf;
        }
        if up && down {
            return true;
        }
    }
    false
}

/// Concepts that are connected by chosen parents (union-find with path halving).
struct Components(Vec<u32>);

impl Components {
    fn new(chosen: &[u32]) -> Self {
        let count = u32::try_from(chosen.len()).unwrap_or(NONE);
        let mut components = Self((0..count).collect());
        for (concept, parent) in (0..count).zip(chosen) {
            if *parent != NONE {
                components.join(concept, *parent);
            }
        }
        components
    }

    fn root(&mut self, concept: u32) -> u32 {
        let mut at = concept;
        loop {
            let above = self.0[at as usize];
            if above == at {
                return at;
            }
            let next = self.0[above as usize];
            self.0[at as usize] = next;
            at = next;
        }
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one as usize] = other;
    }
}
