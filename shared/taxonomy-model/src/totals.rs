//! What is counted of a version, absolutely, and of the step that led to it.

use std::collections::BTreeSet;

use crate::fact::{Fact, NodeId};
use crate::taxonomy::Taxonomy;

/// Absolute counts of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Categories.
    pub categories: u64,
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
}

impl Totals {
    /// Counts `taxonomy`.
    #[must_use]
    pub fn of(taxonomy: &Taxonomy) -> Self {
        Self {
            categories: taxonomy.categories().len() as u64,
            terms: taxonomy.terms().len() as u64,
            leaves: taxonomy.terms().filter(|term| term.is_leaf()).count() as u64,
            deprecated: taxonomy.terms().filter(|term| term.node.deprecated()).count() as u64,
        }
    }
}

/// How many terms a version added, changed and removed. A term whose ancestor was renamed is not changed itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Terms that were not there before.
    pub added: u64,
    /// Terms that were there and have another name, place or property now.
    pub changed: u64,
    /// Terms that are gone.
    pub removed: u64,
}

impl Changes {
    /// Counts the terms that `facts` speak of.
    #[must_use]
    pub fn of(facts: &[Fact]) -> Self {
        let mut changes = Self::default();
        let mut changed = BTreeSet::new();
        for fact in facts {
            match fact {
                Fact::TermAdded(_) => changes.added += 1,
                Fact::TermRemoved { .. } => changes.removed += 1,
                other => {
                    if let Some(NodeId::Term(id)) = other.subject() {
                        changed.insert(id);
                    }
                }
            }
        }
        Self {
            changed: changed.len() as u64,
            ..changes
        }
    }
}
