//! Chains of replacements, and their ends.

use std::collections::HashSet;

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::{Graph, StatementKind};
use crate::ids::{IdMap, IdRow};

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
    let keys = match row.replaced_by {
        "" => return false,
        keys => serde_json::from_str::<Vec<String>>(keys).unwrap_or_default(),
    };
    keys.iter().any(|key| {
        let next = old.get(row.kind, key).filter(|next| next.id == row.id);
        next.is_some() && graph.known(key).is_some_and(&counts)
    })
}

/// The parent of the last release, by the key that it has now.
pub(super) fn last_parent(graph: &Graph, old: &IdMap, concept: ConceptRef) -> Option<ConceptRef> {
    let replaced = graph.others(concept, &[StatementKind::Replaces]);
    let mut keys = std::iter::once(concept).chain(replaced);
    let row = keys.find_map(|key| old.get(NodeKind::Term, graph.key(key)))?;
    let parent = graph.known(row.parent)?;
    if graph.is_declared(parent) {
        return Some(parent);
    }
    let found = ends(graph, parent, |end| graph.is_declared(end));
    found.ends.first().copied()
}
