//! What is uploaded: small taxonomies that change a little from one version to the next.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Value, json};

pub(crate) const DEFAULT: &str = "en-GB";
/// The cultures that names may have besides.
pub(crate) const FURTHER: [&str; 2] = ["fr-FR", "de-DE"];
/// What tells one upload from another: a term whose metadata counts them, in a category that comes last. It changes nothing that
/// listings show.
pub(crate) const MARKER: u64 = 99;
const LAST: u64 = 9;

pub(crate) type Names = BTreeMap<String, String>;

#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) category: u64,
    pub(crate) parent: Option<u64>,
    pub(crate) names: Names,
}

/// A taxonomy as its author has it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) categories: BTreeMap<u64, Names>,
    pub(crate) terms: BTreeMap<u64, Term>,
    pub(crate) upload: u64,
}

impl Draft {
    /// Three categories with six terms.
    pub(crate) fn first(rng: &mut Rng) -> Self {
        let mut draft = Self {
            categories: BTreeMap::new(),
            terms: BTreeMap::new(),
            upload: 0,
        };
        for id in [1, 2, LAST] {
            draft.categories.insert(id, named(rng, "Category", id, 0));
        }
        for id in 1..=6 {
            draft.place(rng, id);
        }
        let names = BTreeMap::from([(DEFAULT.to_owned(), "Marker".to_owned())]);
        let marker = Term {
            category: LAST,
            parent: None,
            names,
        };
        draft.terms.insert(MARKER, marker);
        draft
    }

    /// One to three changes.
    pub(crate) fn change(&mut self, rng: &mut Rng) {
        self.upload += 1;
        for _ in 0..rng.usize(1..=3) {
            let term = rng.u64(1..=8);
            let category = rng.u64(1..=4);
            match rng.u8(0..10) {
                0..=2 => self.rename(rng, term),
                3 | 4 if self.terms.contains_key(&term) => self.remove(term),
                3..=5 => self.place(rng, term),
                6 | 7 => drop(
                    self.categories
                        .insert(category, named(rng, "Category", category, self.upload)),
                ),
                _ => self.remove_category(category),
            }
        }
    }

    fn rename(&mut self, rng: &mut Rng, id: u64) {
        let names = named(rng, "Term", id, self.upload);
        if let Some(term) = self.terms.get_mut(&id) {
            term.names = names;
        }
    }

    /// Puts a term somewhere, from where it was if it was anywhere, with what lies below it going up.
    fn place(&mut self, rng: &mut Rng, id: u64) {
        let names = self
            .terms
            .get(&id)
            .map_or_else(|| named(rng, "Term", id, self.upload), |term| term.names.clone());
        self.remove(id);
        let places: Vec<u64> = self
            .terms
            .keys()
            .copied()
            .filter(|other| *other != MARKER)
            .collect();
        let parent = rng.choice(places).filter(|_| rng.bool());
        let category = match parent.and_then(|parent| self.terms.get(&parent)) {
            Some(parent) => parent.category,
            None => rng.choice(self.categories.keys().copied()).unwrap(),
        };
        let term = Term {
            category,
            parent,
            names,
        };
        self.terms.insert(id, term);
    }

    fn remove(&mut self, id: u64) {
        if let Some(removed) = self.terms.remove(&id) {
            for term in self.terms.values_mut().filter(|term| term.parent == Some(id)) {
                term.parent = removed.parent;
            }
        }
    }

    /// Its terms go to the last category.
    fn remove_category(&mut self, id: u64) {
        self.categories.remove(&id);
        for term in self.terms.values_mut().filter(|term| term.category == id) {
            term.category = LAST;
        }
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        let categories = self.categories.iter().map(|(id, names)| {
            let mut category = node(*id, names);
            category["sortKey"] = json!(sort_key(*id));
            category["terms"] = self.below(*id, None);
            category
        });
        json!({"defaultCulture": DEFAULT, "categories": categories.collect::<Vec<_>>()})
            .to_string()
            .into_bytes()
    }

    fn below(&self, category: u64, parent: Option<u64>) -> Value {
        let terms = self.terms.iter();
        let terms = terms.filter(|(_, term)| term.category == category && term.parent == parent);
        let terms = terms.map(|(id, term)| {
            let mut value = node(*id, &term.names);
            value["children"] = self.below(category, Some(*id));
            if *id == MARKER {
                value["metadata"] = json!({"upload": self.upload});
            }
            value
        });
        Value::Array(terms.collect())
    }
}

pub(crate) fn sort_key(category: u64) -> String {
    format!("{category:03}")
}

fn node(id: u64, names: &Names) -> Value {
    let names = names
        .iter()
        .map(|(culture, name)| json!({"culture": culture, "name": name}));
    json!({"id": id, "names": names.collect::<Vec<_>>()})
}

fn named(rng: &mut Rng, what: &str, id: u64, upload: u64) -> Names {
    let mut names = BTreeMap::from([(DEFAULT.to_owned(), format!("{what} {id} of {upload}"))]);
    for culture in FURTHER {
        // The second one comes and goes with single names.
        if rng.u8(0..if culture == "fr-FR" { 2 } else { 8 }) == 0 {
            names.insert(
                culture.to_owned(),
                format!("{what} {id} of {upload} in {culture}"),
            );
        }
    }
    names
}
