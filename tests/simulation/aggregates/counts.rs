//! The counts of a content and of the step from one content to the next, counted slowly and obviously.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::{Content, Term};

/// The counts of some terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) terms: usize,
    pub(crate) leaves: usize,
    pub(crate) deprecated: usize,
    /// Terms by depth, from 1.
    pub(crate) depths: Vec<usize>,
    /// Names by culture.
    pub(crate) names: BTreeMap<String, usize>,
}

/// The counts of a step from one version to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) renamed: usize,
    pub(crate) moved: usize,
    pub(crate) deprecated: usize,
    pub(crate) restored: usize,
    pub(crate) final_names: usize,
}

impl Counts {
    /// Counts the terms of one category, or of all.
    pub(crate) fn of(content: &Content, category: Option<u64>) -> Self {
        let mut counts = Self::default();
        let terms = content.terms.iter();
        for (id, term) in terms.filter(|(_, term)| category.is_none_or(|category| category == term.category))
        {
            let depth = content.ancestors(term).len() + 1;
            counts.terms += 1;
            counts.leaves += usize::from(!content.has_children(*id));
            counts.deprecated += usize::from(term.node.is_deprecated);
            while counts.depths.len() < depth {
                counts.depths.push(0);
            }
            counts.depths[depth - 1] += 1;
            for culture in term.node.names.keys() {
                *counts.names.entry(culture.clone()).or_default() += 1;
            }
        }
        counts
    }
}

impl Changes {
    /// Counts the changes from one content to a later one.
    pub(crate) fn between(before: &Content, after: &Content) -> Self {
        let removed = before.terms.keys().filter(|id| !after.terms.contains_key(id));
        let mut changes = Self {
            removed: removed.count(),
            ..Self::default()
        };
        for (id, new) in &after.terms {
            let Some(old) = before.terms.get(id) else {
                changes.added += 1;
                continue;
            };
            let place = |term: &Term| (term.category, term.parent);
            let (was, is) = (old.node.is_deprecated, new.node.is_deprecated);
            changes.changed += usize::from(old != new);
            changes.renamed += usize::from(old.node.names != new.node.names);
            changes.moved += usize::from(place(old) != place(new));
            changes.deprecated += usize::from(is && !was);
            changes.restored += usize::from(was && !is);
            changes.final_names += usize::from(final_name(before, old) != final_name(after, new));
        }
        changes
    }
}

/// Returns `{category name}:{term name}` in the default culture of files.
fn final_name(content: &Content, term: &Term) -> String {
    format!(
        "{}:{}",
        content.categories[&term.category].name(),
        term.node.name()
    )
}

/// Returns the categories in which anything differs: the category itself, or a term that is or was in it.
pub(crate) fn touched_categories(before: &Content, after: &Content) -> BTreeSet<u64> {
    let mut touched = BTreeSet::new();
    let ids: BTreeSet<&u64> = before.categories.keys().chain(after.categories.keys()).collect();
    let differs = |id: &&u64| before.categories.get(id) != after.categories.get(id);
    touched.extend(ids.into_iter().filter(differs));
    let ids: BTreeSet<&u64> = before.terms.keys().chain(after.terms.keys()).collect();
    for id in ids {
        let (old, new) = (before.terms.get(id), after.terms.get(id));
        if old != new {
            touched.extend(old.into_iter().chain(new).map(|term| term.category));
        }
    }
    touched
}
