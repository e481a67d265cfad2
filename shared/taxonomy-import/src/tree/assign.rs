//! The id of each category and term: that of the id map, that of a concept that it replaced, the source's own number, or a new one.

use std::collections::{HashMap, HashSet};

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, StatementKind};
use crate::ids::{IdMap, MAX_ID, ONE};
use crate::report::Code;

use super::IdCounts;
use super::chains::{ends, is_alias};
use super::nodes::Nodes;

/// The ids that were given.
#[derive(Default)]
pub(super) struct AssignedIds {
    pub(super) counts: IdCounts,
    /// Ids that are neither the source's own numbers nor those of the id map.
    pub(super) made_up: u64,
    /// The first node with such an id.
    pub(super) first_made_up: Option<ConceptRef>,
}

/// Gives an id to each node.
pub(super) fn assign(graph: &mut Graph, old: &IdMap, nodes: &mut Nodes) -> AssignedIds {
    let mut given = AssignedIds::default();
    for kind in [NodeKind::Category, NodeKind::Term] {
        let mut of_kind: Vec<ConceptRef> = nodes.of_kind(kind).collect();
        of_kind.sort_by(|one, other| graph.key(*one).cmp(graph.key(*other)));
        let mut assigned = Assigned::new(graph, old, kind, nodes);
        for node in of_kind {
            nodes.get_mut(node).id = assigned.id_of(graph, nodes, node, &mut given);
        }
    }
    given
}

/// The ids of the nodes of a kind.
struct Assigned<'a> {
    old: &'a IdMap,
    kind: NodeKind,
    /// The ids that go over to new keys.
    passed: HashMap<ConceptRef, u64>,
    taken: HashSet<u64>,
    /// The ids of the map that nodes have.
    kept: HashSet<u64>,
    highest: Option<u64>,
    lowest_free: u64,
}

impl<'a> Assigned<'a> {
    fn new(graph: &Graph, old: &'a IdMap, kind: NodeKind, nodes: &Nodes) -> Self {
        let rows = old.rows().filter(|row| row.kind == kind);
        let taken: HashSet<u64> = rows.map(|row| row.id).collect();
        let numbers = nodes.of_kind(kind).filter_map(|node| number(graph, node));
        let highest = taken.iter().copied().chain(numbers).max();
        Self {
            old,
            kind,
            passed: passed_on(graph, old, kind, nodes),
            taken,
            kept: HashSet::new(),
            highest,
            lowest_free: 1,
        }
    }

    fn id_of(&mut self, graph: &mut Graph, nodes: &Nodes, node: ConceptRef, given: &mut AssignedIds) -> u64 {
        let counts = &mut given.counts;
        let (number, is_own) = (number(graph, node), graph.own_kind(node).is_some());
        let (old, kind) = (self.old, self.kind);
        let known = old.get(graph.key(node)).filter(|row| row.kind == kind);
        // An old key that is back, while the new one has its id.
        let known = known.filter(|row| !is_alias(graph, old, row, |other| nodes.is(other, kind)));
        if let Some(row) = known {
            let id = row.id;
            if is_own && number.is_some_and(|number| number != id) {
                let message = format_args!("has the id {id} in the id map");
                graph.issue_of(Code::IdDiffers, node, message);
            }
            if !self.kept.insert(id) {
                let message = format_args!("has the id {id} of another concept in the id map");
                graph.issue_of(Code::InvalidIdMap, node, message);
            }
            counts.kept += 1;
            return id;
        }
        if let Some(id) = self.passed.get(&node) {
            counts.renumbered += 1;
            let message = format_args!("has the id {id} of a key that it replaced");
            graph.issue_of(Code::Renumbered, node, message);
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
            graph.issue_of(code, node, format_args!("the id {number} belongs to another key"));
        }
        if graph.key(node) != ONE {
            given.made_up += 1;
            given.first_made_up.get_or_insert(node);
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

/// The source's own number of a concept.
fn number(graph: &Graph, node: ConceptRef) -> Option<u64> {
    let mut numbers = graph.rows_of(node, StatementKind::Number);
    let number: Option<u64> = numbers.find_map(|row| graph.text(row).parse().ok());
    number.filter(|number| *number <= MAX_ID)
}

/// The ids that go over to new keys: those of concepts that are gone and were replaced by that key alone. Of several the lowest.
fn passed_on(graph: &Graph, old: &IdMap, kind: NodeKind, nodes: &Nodes) -> HashMap<ConceptRef, u64> {
    let mut passed = HashMap::new();
    for row in old.rows().filter(|row| row.kind == kind) {
        let known = graph.known(row.key);
        let Some(concept) = known.filter(|concept| nodes.get(*concept).kind.is_none()) else {
            continue;
        };
        let found = ends(graph, concept, |end| nodes.is(end, kind));
        let [end] = found.ends.as_slice() else {
            continue;
        };
        let is_new = old.get(graph.key(*end)).is_none();
        if is_new && !found.is_split && !is_alias(graph, old, &row, |_| true) {
            let id: &mut u64 = passed.entry(*end).or_insert(row.id);
            *id = row.id.min(*id);
        }
    }
    passed
}
