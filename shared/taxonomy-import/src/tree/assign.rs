//! The id of each category and term: that of the id map, that of a concept that it replaced, the source's own number, or a new one.

use std::collections::{HashMap, HashSet};

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, RowKind};
use crate::ids::{IdMap, MAX_ID};
use crate::report::Code;

use super::chains::{ends, is_alias};
use super::counts::IdCounts;

/// Gives an id to each node.
pub(super) fn assign(graph: &mut Graph, old: &IdMap, kinds: &[Option<NodeKind>]) -> (Vec<u64>, IdCounts) {
    let mut ids = vec![0; kinds.len()];
    let mut counts = IdCounts::default();
    for kind in [NodeKind::Category, NodeKind::Term] {
        let mut nodes: Vec<ConceptRef> = graph
            .all()
            .filter(|node| kinds[node.at()] == Some(kind))
            .collect();
        nodes.sort_by(|one, other| graph.key(*one).cmp(graph.key(*other)));
        let mut assigned = Assigned::new(graph, old, kind, kinds, &nodes);
        for node in nodes {
            ids[node.at()] = assigned.id_of(graph, node, &mut counts);
        }
    }
    (ids, counts)
}

/// The ids of the nodes of a kind.
struct Assigned<'a> {
    old: &'a IdMap,
    kind: NodeKind,
    kinds: &'a [Option<NodeKind>],
    /// The ids that go over to new keys.
    passed: HashMap<ConceptRef, u64>,
    taken: HashSet<u64>,
    /// The ids of the map that nodes have.
    kept: HashSet<u64>,
    highest: Option<u64>,
    lowest_free: u64,
}

impl<'a> Assigned<'a> {
    fn new(
        graph: &Graph,
        old: &'a IdMap,
        kind: NodeKind,
        kinds: &'a [Option<NodeKind>],
        nodes: &[ConceptRef],
    ) -> Self {
        let rows = old.rows().filter(|row| row.kind == kind);
        let taken: HashSet<u64> = rows.map(|row| row.id).collect();
        let numbers = nodes.iter().filter_map(|node| number(graph, *node).0);
        let highest = taken.iter().copied().chain(numbers).max();
        Self {
            old,
            kind,
            kinds,
            passed: passed_on(graph, old, kind, kinds),
            taken,
            kept: HashSet::new(),
            highest,
            lowest_free: 1,
        }
    }

    fn id_of(&mut self, graph: &mut Graph, node: ConceptRef, counts: &mut IdCounts) -> u64 {
        let (number, is_own) = number(graph, node);
        let (old, kinds, kind) = (self.old, self.kinds, self.kind);
        let known = old.get(kind, graph.key(node));
        // An old key that is back, while the new one has its id.
        let known = known.filter(|row| !is_alias(graph, old, row, |other| kinds[other.at()] == Some(kind)));
        if let Some(row) = known {
            let id = row.id;
            if is_own && number.is_some_and(|number| number != id) {
                graph.issue_of(Code::IdDiffers, node, || format!("has the id {id} in the id map"));
            }
            if !self.kept.insert(id) {
                graph.issue_of(Code::InvalidIdMap, node, || {
                    format!("has the id {id} of another concept in the id map")
                });
            }
            counts.kept += 1;
            return id;
        }
        if let Some(id) = self.passed.get(&node) {
            counts.renumbered += 1;
            graph.issue_of(Code::Renumbered, node, || {
                format!("has the id {id} of a key that it replaced")
            });
            return *id;
        }
        counts.new += 1;
        if let Some(number) = number {
            if self.taken.insert(number) {
                return number;
            }
            let code = if is_own {
                Code::IdDiffers
            } else {
                Code::NumberTaken
            };
            graph.issue_of(code, node, || format!("the id {number} belongs to another key"));
        }
        self.next()
    }

    fn next(&mut self) -> u64 {
        let next = self.highest.map_or(1, |highest| highest + 1);
        if next <= MAX_ID {
            self.highest = Some(next);
            self.taken.insert(next);
            return next;
        }
        while !self.taken.insert(self.lowest_free) {
            self.lowest_free += 1;
        }
        self.lowest_free
    }
}

/// The source's own number of a concept, and whether it comes from this service.
fn number(graph: &Graph, node: ConceptRef) -> (Option<u64>, bool) {
    let (mut number, mut is_own) = (None, false);
    for row in graph.rows(node) {
        match row.kind {
            RowKind::Number => number = number.or_else(|| graph.text(row).parse().ok()),
            RowKind::Own(_) => is_own = true,
            _ => {}
        }
    }
    (number.filter(|number| *number <= MAX_ID), is_own)
}

/// The ids that go over to new keys: those of concepts that are gone and were replaced by that key alone. Of several the lowest.
fn passed_on(
    graph: &Graph,
    old: &IdMap,
    kind: NodeKind,
    kinds: &[Option<NodeKind>],
) -> HashMap<ConceptRef, u64> {
    let mut passed = HashMap::new();
    for row in old.rows().filter(|row| row.kind == kind) {
        let Some(concept) = graph
            .known(row.key)
            .filter(|concept| kinds[concept.at()].is_none())
        else {
            continue;
        };
        let found = ends(graph, concept, |end| kinds[end.at()] == Some(kind));
        let [end] = found.ends.as_slice() else {
            continue;
        };
        let is_new = old.get(kind, graph.key(*end)).is_none();
        if is_new && !found.is_split && !is_alias(graph, old, &row, |_| true) {
            let id: &mut u64 = passed.entry(*end).or_insert(row.id);
            *id = row.id.min(*id);
        }
    }
    passed
}
