//! The files that the scenarios upload: small taxonomies that a seed draws, and edits from one version to the next.

use fastrand::Rng;
use serde_json::Map;
use taxonomy_tests::prelude::*;

use crate::content::{Content, Node, Term};

/// The culture in which every node of a draft has a name.
pub(crate) const DEFAULT_CULTURE: &str = "en-GB";
/// The culture of [`Draft::in_french`].
pub(crate) const FRENCH: &str = "fr-FR";
/// Further cultures, which names may have.
pub(crate) const CULTURES: [&str; 3] = [FRENCH, "de-DE", "es-ES"];
/// The term that [`Draft::mark`] adds, and its category. No edit draws these ids.
pub(crate) const MARKER: u64 = 99;
const MARKED_CATEGORY: u64 = 9;

/// Edits draw the ids of categories from 1 to this.
const CATEGORIES: u64 = 4;
/// Edits draw the ids of terms from 1 to this.
const TERMS: u64 = 9;

/// A taxonomy that can be edited and written as a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    content: Content,
    /// The number of edits so far, which makes the names of some of them unique.
    edits: u64,
}

/// Renders a node with what is below it.
fn json_of(id: u64, node: &Node, below: &str, nodes: &[Value]) -> Value {
    let mut fields: Map<String, Value> = node.others.clone().into_iter().collect();
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    set("id", json!(id));
    if node.names.len() == 1 {
        set("name", json!(node.name()));
    } else {
        let names = node.names.iter().rev();
        let names = names.map(|(culture, name)| json!({"culture": culture, "name": name}));
        set("names", names.collect());
    }
    if node.is_deprecated {
        set("deprecated", json!(true));
    }
    if below == "terms" {
        set("sortKey", json!(format!("{id:03}")));
    }
    if !nodes.is_empty() {
        set(below, json!(nodes));
    }
    Value::Object(fields)
}

impl Draft {
    /// Creates a draft of categories by id, each with pairs of a term and its parent, 0 for none.
    pub(crate) fn of(categories: &[(u64, &[(u64, u64)])]) -> Self {
        let mut draft = Self::default();
        for (category, terms) in categories {
            let named = Node::named(&format!("Category {category}"));
            draft.content.categories.insert(*category, named);
            for (id, parent) in *terms {
                draft.place(*id, *category, Some(*parent).filter(|parent| *parent > 0));
            }
        }
        draft
    }

    /// Draws one to three categories with a few terms.
    pub(crate) fn drawn(rng: &mut Rng) -> Self {
        let mut draft = Self::default();
        for _ in 0..rng.u64(1..=3) {
            draft.add_category(rng);
        }
        for _ in 0..rng.usize(1..=6) {
            draft.add_term(rng);
        }
        draft
    }

    /// Returns the draft after one to three drawn edits.
    pub(crate) fn edited(&self, rng: &mut Rng) -> Self {
        let mut draft = self.clone();
        for _ in 0..rng.usize(1..=3) {
            draft.edits += 1;
            match rng.u8(..16) {
                0..=2 => draft.add_term(rng),
                3 | 4 => draft.remove_term(rng),
                5 | 6 => draft.move_term(rng),
                7..=9 => draft.rename(rng),
                10 => draft.deprecate_or_restore(rng),
                11 => draft.add_or_remove_name(rng),
                12 => draft.set_or_remove_notation(rng),
                13 => draft.add_category(rng),
                14 => draft.remove_category(rng),
                _ => drop(draft.empty_category(rng)),
            }
        }
        if draft.content.categories.is_empty() {
            draft.add_category(rng);
        }
        draft
    }

    /// Adds French names to these categories and terms.
    #[must_use]
    pub(crate) fn with_french(mut self, categories: &[u64], terms: &[u64]) -> Self {
        for id in categories {
            self.content.categories.get_mut(id).unwrap().add_name(FRENCH);
        }
        for id in terms {
            self.content.terms.get_mut(id).unwrap().node.add_name(FRENCH);
        }
        self
    }

    /// Adds French names to all nodes, so that French can be the default culture, or else to one node in three.
    #[must_use]
    pub(crate) fn in_french(mut self, rng: &mut Rng, all: bool) -> Self {
        for node in self.nodes() {
            if all || rng.u8(..3) == 0 {
                node.add_name(FRENCH);
            }
        }
        self
    }

    /// Renames a category.
    #[must_use]
    pub(crate) fn with_category(mut self, id: u64, name: &str) -> Self {
        let category = self.content.categories.get_mut(&id).unwrap();
        category.rename(name);
        self
    }

    /// Renames a term.
    #[must_use]
    pub(crate) fn with_term(mut self, id: u64, name: &str) -> Self {
        let term = self.content.terms.get_mut(&id).unwrap();
        term.node.rename(name);
        self
    }

    /// Adds or changes the marker: a term whose metadata has the number of the upload, so that no two uploads have the same content.
    pub(crate) fn mark(&mut self, upload: u64) {
        let category = || Node::named("Marked");
        self.content
            .categories
            .entry(MARKED_CATEGORY)
            .or_insert_with(category);
        if !self.content.terms.contains_key(&MARKER) {
            self.place(MARKER, MARKED_CATEGORY, None);
        }
        let marker = self.content.terms.get_mut(&MARKER).unwrap();
        let metadata = json!({ "upload": upload });
        marker.node.others.insert("metadata".to_owned(), metadata);
    }

    /// Returns the JSON of the file.
    pub(crate) fn file(&self) -> Value {
        let categories = self
            .content
            .categories
            .iter()
            .map(|(id, category)| json_of(*id, category, "terms", &self.children(*id, None)));
        json!({ "categories": categories.collect::<Vec<_>>() })
    }

    fn children(&self, category: u64, parent: Option<u64>) -> Vec<Value> {
        let terms = self.content.terms.iter();
        let terms = terms.filter(|(_, term)| term.category == category && term.parent == parent);
        terms
            .map(|(id, term)| {
                let children = self.children(category, Some(*id));
                json_of(*id, &term.node, "children", &children)
            })
            .collect()
    }

    fn place(&mut self, id: u64, category: u64, parent: Option<u64>) {
        let node = Node::named(&format!("Term {id}"));
        let term = Term {
            category,
            parent,
            node,
        };
        self.content.terms.insert(id, term);
    }

    fn nodes(&mut self) -> impl Iterator<Item = &mut Node> {
        let terms = self.content.terms.values_mut().map(|term| &mut term.node);
        self.content.categories.values_mut().chain(terms)
    }

    fn any_node(&mut self, rng: &mut Rng) -> Option<&mut Node> {
        let nodes: Vec<&mut Node> = self.nodes().collect();
        rng.choice(nodes)
    }

    fn add_category(&mut self, rng: &mut Rng) {
        let id = rng.u64(1..=CATEGORIES);
        let named = || Node::named(&format!("Category {id}"));
        self.content.categories.entry(id).or_insert_with(named);
    }

    fn add_term(&mut self, rng: &mut Rng) {
        let id = rng.u64(1..=TERMS);
        let place = self
            .any_place(rng)
            .filter(|_| !self.content.terms.contains_key(&id));
        if let Some((category, parent)) = place {
            self.place(id, category, parent);
        }
    }

    fn any_place(&self, rng: &mut Rng) -> Option<(u64, Option<u64>)> {
        if rng.bool()
            && let Some((id, term)) = rng.choice(&self.content.terms)
        {
            return Some((term.category, Some(*id)));
        }
        rng.choice(self.content.categories.keys()).map(|id| (*id, None))
    }

    /// Returns a term and its descendants.
    fn family(&self, id: u64) -> Vec<u64> {
        let mut family = vec![id];
        let mut next = 0;
        while let Some(parent) = family.get(next).copied() {
            let children = self.content.terms.iter();
            let children = children.filter(|(_, term)| term.parent == Some(parent));
            family.extend(children.map(|(id, _)| *id));
            next += 1;
        }
        family
    }

    fn remove_term(&mut self, rng: &mut Rng) {
        let chosen = rng.choice(self.content.terms.keys()).copied();
        for id in chosen.map(|id| self.family(id)).unwrap_or_default() {
            self.content.terms.remove(&id);
        }
    }

    fn move_term(&mut self, rng: &mut Rng) {
        let (chosen, to) = (
            rng.choice(self.content.terms.keys()).copied(),
            self.any_place(rng),
        );
        let (Some(chosen), Some((category, parent))) = (chosen, to) else {
            return;
        };
        let family = self.family(chosen);
        if parent.is_some_and(|parent| family.contains(&parent)) {
            return;
        }
        for id in family {
            self.content.terms.get_mut(&id).unwrap().category = category;
        }
        self.content.terms.get_mut(&chosen).unwrap().parent = parent;
    }

    /// Changes the name in one culture, to one that it had before or to one that no version had.
    fn rename(&mut self, rng: &mut Rng) {
        let suffix = match rng.u8(..4) {
            3 => format!(".{}", self.edits),
            ticks => "'".repeat(ticks.into()),
        };
        let culture = rng.usize(..);
        if let Some(node) = self.any_node(rng) {
            let position = culture % node.names.len();
            let name = node.names.values_mut().nth(position).unwrap();
            let stem = name.split(['\'', '.']).next().unwrap_or_default();
            *name = format!("{stem}{suffix}");
        }
    }

    fn deprecate_or_restore(&mut self, rng: &mut Rng) {
        if let Some(node) = self.any_node(rng) {
            node.is_deprecated = !node.is_deprecated;
        }
    }

    fn add_or_remove_name(&mut self, rng: &mut Rng) {
        let culture = CULTURES[rng.usize(..CULTURES.len())];
        if let Some(node) = self.any_node(rng)
            && node.names.remove(culture).is_none()
        {
            node.add_name(culture);
        }
    }

    fn set_or_remove_notation(&mut self, rng: &mut Rng) {
        let notation = rng.bool().then(|| format!("N{}", rng.u8(..3)));
        if let Some(node) = self.any_node(rng) {
            node.others.remove("notation");
            let notation = notation.map(|notation| ("notation".to_owned(), json!(notation)));
            node.others.extend(notation);
        }
    }

    fn remove_category(&mut self, rng: &mut Rng) {
        if let Some(removed) = self.empty_category(rng) {
            self.content.categories.remove(&removed);
        }
    }

    fn empty_category(&mut self, rng: &mut Rng) -> Option<u64> {
        let chosen = rng.choice(self.content.categories.keys()).copied()?;
        self.content.terms.retain(|_, term| term.category != chosen);
        Some(chosen)
    }
}

/// Returns a file that the projector refuses; each number makes other bytes.
pub(crate) fn refused(number: u64) -> Value {
    let twice = json!([{"id": 1, "name": "IT"}, {"id": 1, "name": "Law"}]);
    json!({"categories": [{"id": 1, "name": format!("No {number}"), "terms": twice}]})
}
