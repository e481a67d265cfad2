//! Aggregates of a version: absolute counts of the tenant and of each category. The names are the storage format
//! (docs/decisions/0008-changeset-chain.md).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::counts::coverage::Coverage;
use crate::taxonomy::{Taxonomy, Term};

/// The counts of a set of terms.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
    /// Terms by depth, top terms first; its length is the largest depth.
    pub depths: Vec<u64>,
    /// Terms that have a name in a culture, by culture.
    pub names: Coverage,
}

/// The counts of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TenantCounts {
    /// Categories.
    pub categories: u64,
    /// The counts over all categories.
    #[serde(flatten)]
    pub counts: Counts,
}

/// The counts of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryCounts {
    /// The id of the category.
    pub id: u64,
    /// The counts of its terms.
    #[serde(flatten)]
    pub counts: Counts,
}

/// All counts of a version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Census {
    /// The counts of the tenant.
    pub totals: TenantCounts,
    /// The counts of each category, ascending by id.
    #[serde(skip_deserializing)]
    pub categories: Vec<CategoryCounts>,
}

impl Census {
    /// Counts `taxonomy`.
    pub fn new(taxonomy: &Taxonomy) -> Self {
        let mut categories: BTreeMap<u64, Counts> = taxonomy
            .categories()
            .map(|category| (category.id().get(), Counts::default()))
            .collect();
        let mut totals = Counts::default();
        for term in taxonomy.terms() {
            totals.add(term);
            categories
                .entry(term.category().id().get())
                .or_default()
                .add(term);
        }
        Self {
            totals: TenantCounts {
                categories: categories.len() as u64,
                counts: totals,
            },
            categories: categories
                .into_iter()
                .map(|(id, counts)| CategoryCounts { id, counts })
                .collect(),
        }
    }
}

impl Counts {
    fn add(&mut self, term: Term<'_>) {
        self.terms += 1;
        self.leaves += u64::from(term.is_leaf());
        self.deprecated += u64::from(term.node.details().deprecated);
        let depth = usize::from(term.depth());
        if self.depths.len() < depth {
            self.depths.resize(depth, 0);
        }
        self.depths[depth - 1] += 1;
        for name in term.node.names() {
            self.names.add(name.culture);
        }
    }
}
