//! What a file says and what is different in another, counted from the JSON of both: slow and obvious on purpose.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A category or a term, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Own {
    names: BTreeMap<String, String>,
    /// Everything else that is its own, but for what is below it.
    others: BTreeMap<String, String>,
    is_deprecated: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    own: Own,
    category: u64,
    parent: Option<u64>,
    depth: usize,
    is_leaf: bool,
}

/// A file, flat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    categories: BTreeMap<u64, Own>,
    terms: BTreeMap<u64, Term>,
}

/// What is counted of some terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) terms: usize,
    pub(crate) leaves: usize,
    pub(crate) deprecated: usize,
    pub(crate) depths: Vec<usize>,
    pub(crate) names: BTreeMap<String, usize>,
}

/// What is counted of a step from one version to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) added: usize,
    pub(crate) changed: usize,
    pub(crate) removed: usize,
    pub(crate) renamed: usize,
    pub(crate) moved: usize,
    pub(crate) deprecated: usize,
    pub(crate) restored: usize,
    pub(crate) final_names: usize,
}

impl Content {
    pub(crate) fn of(file: &Value) -> Self {
        let mut content = Self::default();
        for category in list(&file["categories"]) {
            let id = category["id"].as_u64().unwrap();
            content.categories.insert(id, own(category));
            for term in list(&category["terms"]) {
                content.walk(term, id, None, 1);
            }
        }
        content
    }

    fn walk(&mut self, term: &Value, category: u64, parent: Option<u64>, depth: usize) {
        let (id, children) = (term["id"].as_u64().unwrap(), list(&term["children"]));
        let found = Term {
            own: own(term),
            category,
            parent,
            depth,
            is_leaf: children.is_empty(),
        };
        let before = self.terms.insert(id, found);
        assert!(before.is_none(), "term {id} is there twice");
        for child in children {
            self.walk(child, category, Some(id), depth + 1);
        }
    }

    pub(crate) fn categories(&self) -> BTreeSet<u64> {
        self.categories.keys().copied().collect()
    }

    /// Of one category, or of all.
    pub(crate) fn counts(&self, category: Option<u64>) -> Counts {
        let mut counts = Counts::default();
        let terms = self.terms.values();
        for term in terms.filter(|term| category.is_none_or(|category| category == term.category)) {
            counts.terms += 1;
            counts.leaves += usize::from(term.is_leaf);
            counts.deprecated += usize::from(term.own.is_deprecated);
            while counts.depths.len() < term.depth {
                counts.depths.push(0);
            }
            counts.depths[term.depth - 1] += 1;
            for culture in term.own.names.keys() {
                *counts.names.entry(culture.clone()).or_default() += 1;
            }
        }
        counts
    }

    /// The categories of which anything is different in a later file, be it their own or of a term that is or was in them.
    pub(crate) fn touched(&self, later: &Self) -> BTreeSet<u64> {
        let mut touched = BTreeSet::new();
        let ids: BTreeSet<u64> = self.categories().union(&later.categories()).copied().collect();
        touched.extend(
            ids.iter()
                .filter(|id| self.categories.get(id) != later.categories.get(id)),
        );
        let ids: BTreeSet<&u64> = self.terms.keys().chain(later.terms.keys()).collect();
        for id in ids {
            let (before, after) = (self.terms.get(id), later.terms.get(id));
            if placed(before) != placed(after) {
                touched.extend(before.into_iter().chain(after).map(|term| term.category));
            }
        }
        touched
    }

    /// `{category name}:{term name}` in the default culture of every file here.
    fn final_name(&self, term: &Term) -> String {
        let name = |own: &Own| own.names["en-GB"].clone();
        format!("{}:{}", name(&self.categories[&term.category]), name(&term.own))
    }

    /// What a later file does to the terms.
    pub(crate) fn step(&self, later: &Self) -> Step {
        let gone = self.terms.keys().filter(|id| !later.terms.contains_key(id));
        let mut step = Step {
            removed: gone.count(),
            ..Step::default()
        };
        for (id, after) in &later.terms {
            let Some(before) = self.terms.get(id) else {
                step.added += 1;
                continue;
            };
            let place = |term: &Term| (term.category, term.parent);
            let (was, is) = (before.own.is_deprecated, after.own.is_deprecated);
            step.changed += usize::from(placed(Some(before)) != placed(Some(after)));
            step.renamed += usize::from(before.own.names != after.own.names);
            step.moved += usize::from(place(before) != place(after));
            step.deprecated += usize::from(is && !was);
            step.restored += usize::from(was && !is);
            step.final_names += usize::from(self.final_name(before) != later.final_name(after));
        }
        step
    }
}

/// What a term itself says; how deep it is and what is below it others say.
fn placed(term: Option<&Term>) -> Option<(&Own, u64, Option<u64>)> {
    term.map(|term| (&term.own, term.category, term.parent))
}

fn own(node: &Value) -> Own {
    let mut names = BTreeMap::new();
    if let Some(name) = node["name"].as_str() {
        names.insert("en-GB".to_owned(), name.to_owned());
    }
    for name in list(&node["names"]) {
        let said = |field: &str| name[field].as_str().unwrap().to_owned();
        names.insert(said("culture"), said("name"));
    }
    let known = ["id", "name", "names", "deprecated", "terms", "children"];
    let others = node.as_object().unwrap().iter();
    let others = others.filter(|(field, _)| !known.contains(&field.as_str()));
    Own {
        names,
        others: others
            .map(|(field, value)| (field.clone(), value.to_string()))
            .collect(),
        is_deprecated: node["deprecated"] == true,
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
