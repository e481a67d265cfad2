//! The order of concepts where a choice needs one: that in which the source mentions them, or that of their keys.

use std::cmp::Ordering;

use crate::concept::ConceptRef;
use crate::graph::Graph;

/// Compares by the order of the source, or by key where the source has none.
pub(super) fn compare(graph: &Graph, one: ConceptRef, other: ConceptRef) -> Ordering {
    match graph.is_unordered {
        true => graph.key(one).cmp(graph.key(other)),
        false => one.cmp(&other),
    }
}

/// Sorts concepts that follow each other as statements do: as they are, or by key where the source has no order.
pub(super) fn sort(graph: &Graph, concepts: &mut [u32]) {
    if graph.is_unordered {
        concepts.sort_by(|one, other| graph.key(ConceptRef(*one)).cmp(graph.key(ConceptRef(*other))));
    }
}
