//! The ids that a version changed, from the facts of its changeset.

use std::collections::HashSet;

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{Fact, NodeId, Settings};

/// The ids that a version changed.
///
/// A category or term is changed by every fact about it. A term is also changed by the facts that change its FinalName: another name of
/// its category in the default culture, or another default culture.
#[derive(Debug, Clone)]
pub struct Changed {
    default_culture: String,
    every_term: bool,
    categories: HashSet<u64>,
    terms: HashSet<u64>,
    renamed_categories: HashSet<u64>,
    /// None: every category that there is or was.
    touched: Option<HashSet<u64>>,
}

impl Changed {
    /// Collects the ids that facts between two versions speak of; `before` is none for the first version.
    pub fn from_facts<'f>(
        facts: impl IntoIterator<Item = &'f Fact>,
        before: Option<&Settings>,
        after: &Settings,
    ) -> Self {
        let mut changed = Self::new(before, after);
        facts.into_iter().for_each(|fact| changed.add(fact));
        changed
    }

    /// The ids that change without a fact about them, by the settings of two versions alone.
    #[must_use]
    pub fn new(before: Option<&Settings>, after: &Settings) -> Self {
        Self {
            default_culture: after.default_culture.to_string(),
            every_term: before.is_some_and(|before| before.default_culture != after.default_culture),
            categories: HashSet::new(),
            terms: HashSet::new(),
            renamed_categories: HashSet::new(),
            touched: None,
        }
    }

    /// Narrows the categories that the version touched to these; otherwise every category that there is or was counts as touched.
    #[must_use]
    pub fn touching(self, categories: impl IntoIterator<Item = u64>) -> Self {
        Self {
            touched: Some(categories.into_iter().collect()),
            ..self
        }
    }

    /// Returns whether the version touched a category.
    #[must_use]
    pub fn touches(&self, category: u64) -> bool {
        self.touched
            .as_ref()
            .is_none_or(|touched| touched.contains(&category))
    }

    /// Adds a fact.
    pub fn add(&mut self, fact: &Fact) {
        match fact.subject() {
            Some(NodeId::Category(id)) => drop(self.categories.insert(id)),
            Some(NodeId::Term(id)) => drop(self.terms.insert(id)),
            None => {}
        }
        if let Fact::Renamed {
            node: NodeId::Category(id),
            culture,
            ..
        } = fact
            && *culture == self.default_culture
        {
            self.renamed_categories.insert(*id);
        }
    }

    /// Whether a fact speaks of a category.
    #[must_use]
    pub fn category(&self, id: CategoryId) -> bool {
        self.categories.contains(&id.get())
    }

    /// Whether a fact speaks of a term.
    #[must_use]
    pub fn has_fact_of(&self, id: TermId) -> bool {
        self.terms.contains(&id.get())
    }

    /// Whether a term of a category is changed.
    #[must_use]
    pub fn term(&self, id: TermId, category: CategoryId) -> bool {
        self.every_term || self.has_fact_of(id) || self.renamed_categories.contains(&category.get())
    }
}
