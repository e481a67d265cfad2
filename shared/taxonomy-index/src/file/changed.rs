//! The ids that a version changed, from the facts of its changeset.

use std::collections::HashSet;

use taxonomy_model::{Fact, NodeId, Settings, Term};

/// The ids that a version changed.
///
/// A category or term is changed by every fact about it. A term is also changed by the facts that change its FinalName: another name of
/// its category in the default culture, or another default culture.
#[derive(Debug, Clone)]
pub struct Changed {
    default_culture: String,
    every_term: bool,
    subjects: HashSet<NodeId>,
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
    pub fn new(before: Option<&Settings>, after: &Settings) -> Self {
        Self {
            default_culture: after.default_culture.to_string(),
            every_term: before.is_some_and(|before| before.default_culture != after.default_culture),
            subjects: HashSet::new(),
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
    pub(crate) fn touches(&self, category: u64) -> bool {
        let touched = self.touched.as_ref();
        touched.is_none_or(|touched| touched.contains(&category))
    }

    /// Adds a fact.
    pub fn add(&mut self, fact: &Fact) {
        self.subjects.extend(fact.subject());
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

    /// Whether a fact speaks of a category or a term.
    pub(crate) fn has_fact_of(&self, node: NodeId) -> bool {
        self.subjects.contains(&node)
    }

    /// Whether a term is changed.
    pub(crate) fn term(&self, term: Term<'_>) -> bool {
        let category = term.category().id().get();
        self.every_term
            || self.has_fact_of(NodeId::Term(term.id().get()))
            || self.renamed_categories.contains(&category)
    }
}
