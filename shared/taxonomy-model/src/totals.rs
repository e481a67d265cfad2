//! What is counted of a version, absolutely, and of the step that led to it.

use crate::facts;
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
    /// Counts the terms that differ between `old` (none: a tenant without a taxonomy) and `new`.
    #[must_use]
    pub fn between(old: Option<&Taxonomy>, new: &Taxonomy) -> Self {
        facts::count(old, new)
    }
}
