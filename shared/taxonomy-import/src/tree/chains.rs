//! Chains of replacements, and their ends.

use std::collections::HashSet;

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, StatementKind};
use crate::ids::{IdMap, IdRow};

use super::nodes::MAX_DEPTH;

/// The maximum number of concepts of a chain of replacements.
const MOST_STEPS: usize = 1000;

/// The concepts of the source to which the replacements of a concept lead.
#[derive(Debug, Default)]
pub(super) struct Ends {
    pub(super) ends: Vec<ConceptRef>,
    /// A step leads to several concepts.
    pub(super) is_split: bool,
    /// It leads back to itself and nowhere else.
    pub(super) is_circle: bool,
    /// Keys that lead nowhere.
    pub(super) unknown: Vec<ConceptRef>,
}

/// Follows the replacements of a concept that is gone to those that `is_end`.
pub(super) fn ends(graph: &Graph, concept: ConceptRef, is_end: impl Fn(ConceptRef) -> bool) -> Ends {
    let mut found = Ends::default();
    let mut seen = HashSet::from([concept]);
    let mut waiting = vec![concept];
    while let Some(at) = waiting.pop() {
        if seen.len() > MOST_STEPS {
            found.unknown.push(concept);
            break;
        }
        let next: Vec<ConceptRef> = graph.others(at, &[StatementKind::ReplacedBy]).collect();
        found.is_split |= next.len() > 1;
        if next.is_empty() {
            found.unknown.push(at);
        }
        for other in next.into_iter().rev() {
            if !seen.insert(other) {
                continue;
            }
            if is_end(other) {
                found.ends.push(other);
            } else {
                waiting.push(other);
            }
        }
    }
    found.is_circle = found.ends.is_empty() && found.unknown.is_empty();
    found
        .ends
        .sort_by(|one, other| graph.key(*one).cmp(graph.key(*other)));
    found
}

/// Returns true if a row is a former key of a concept that has its id under another key by now, among those that count.
pub(super) fn is_alias(
    graph: &Graph,
    old: &IdMap,
    row: &IdRow<'_>,
    counts: impl Fn(ConceptRef) -> bool,
) -> bool {
    row.replaced_by_keys().iter().any(|key| {
        let next = old
            .get(key)
            .filter(|next| (next.kind, next.id) == (row.kind, row.id));
        next.is_some() && graph.known(key).is_some_and(&counts)
    })
}

/// The row of a concept in the id map: its own, else that of a concept that it replaced and that is gone.
pub(super) fn last_row<'o>(graph: &Graph, old: &'o IdMap, concept: ConceptRef) -> Option<IdRow<'o>> {
    old.get(graph.key(concept)).or_else(|| {
        let replaced = graph.others(concept, &[StatementKind::Replaces]);
        let mut gone = replaced.filter(|replaced| !graph.is_declared(*replaced));
        gone.find_map(|gone| old.get(graph.key(gone)))
    })
}

/// The kind that a concept has for good: that of the source itself, else that of the id map.
pub(super) fn known_kind(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<NodeKind> {
    let own = graph.own_kind(concept);
    own.or_else(|| last_row(graph, old, concept).map(|row| row.kind))
}

/// The parent of the last release, by the key that it has now.
pub(super) fn last_parent(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
    let row = last_row(graph, old, concept)?;
    parent_of(graph, &row)
}

/// The nearest concept above in the last release that is still there, by the key that it has now.
pub(super) fn last_above(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
    let mut rows = rows_above(graph, old, concept);
    rows.find_map(|row| parent_of(graph, &row))
}

/// The category of the last release.
pub(super) fn last_category(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
    let top = rows_above(graph, old, concept).last()?;
    graph.known(top.parent)
}

/// The rows of a term and of the terms above it, from the lowest up.
fn rows_above<'o>(
    graph: &Graph,
    old: &'o IdMap,
    concept: ConceptRef,
) -> impl Iterator<Item = IdRow<'o>> + use<'o> {
    let first = last_row(graph, old, concept);
    let rows = std::iter::successors(first, |row| old.get(row.parent));
    rows.take_while(|row| row.kind == NodeKind::Term)
        .take(MAX_DEPTH as usize)
}

fn parent_of(graph: &Graph, row: &IdRow<'_>) -> Option<ConceptRef> {
    if row.kind == NodeKind::Category {
        return None;
    }
    let parent = graph.known(row.parent)?;
    if graph.is_described(parent) {
        return Some(parent);
    }
    let found = ends(graph, parent, |end| graph.is_declared(end));
    found.ends.first().copied()
}
