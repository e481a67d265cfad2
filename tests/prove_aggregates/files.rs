//! What is uploaded: small taxonomies, and what people do to them from one file to the next.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::{Map, Value, json};

const CATEGORIES: u64 = 4;
const TERMS: u64 = 9;
const CULTURES: [&str; 3] = ["fr-FR", "de-DE", "es-ES"];

/// A category or a term, without its place.
#[derive(Debug, Clone, Default)]
struct Node {
    /// In the default culture.
    name: String,
    /// In others.
    names: BTreeMap<&'static str, String>,
    notation: Option<String>,
    is_deprecated: bool,
}

#[derive(Debug, Clone)]
struct Term {
    category: u64,
    parent: Option<u64>,
    node: Node,
}

/// A file that is being written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    categories: BTreeMap<u64, Node>,
    terms: BTreeMap<u64, Term>,
}

impl Node {
    fn named(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    fn json(&self, id: u64, below: &str, nodes: &[Value]) -> Value {
        let mut fields = Map::new();
        fields.insert("id".to_owned(), json!(id));
        if self.names.is_empty() {
            fields.insert("name".to_owned(), json!(self.name));
        } else {
            let mut names = vec![json!({"culture": "en-GB", "name": self.name})];
            let others = self.names.iter().rev();
            names.extend(others.map(|(culture, name)| json!({"culture": culture, "name": name})));
            fields.insert("names".to_owned(), json!(names));
        }
        if let Some(notation) = &self.notation {
            fields.insert("notation".to_owned(), json!(notation));
        }
        if self.is_deprecated {
            fields.insert("deprecated".to_owned(), json!(true));
        }
        if !nodes.is_empty() {
            fields.insert(below.to_owned(), json!(nodes));
        }
        Value::Object(fields)
    }
}

impl Draft {
    /// Categories by id, each with pairs of a term and the one above it, 0 for none.
    pub(crate) fn of(categories: &[(u64, &[(u64, u64)])]) -> Self {
        let mut draft = Self::default();
        for (category, terms) in categories {
            let named = Node::named(format!("Category {category}"));
            draft.categories.insert(*category, named);
            for (id, parent) in *terms {
                draft.place(*id, *category, Some(*parent).filter(|parent| *parent > 0));
            }
        }
        draft
    }

    /// Two or three categories with a few terms.
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

    /// The same after one to three changes.
    pub(crate) fn edited(&self, rng: &mut Rng) -> Self {
        let mut draft = self.clone();
        for _ in 0..rng.usize(1..=3) {
            match rng.u8(..14) {
                0..=2 => draft.add_term(rng),
                3 | 4 => draft.remove_term(rng),
                5 | 6 => draft.move_term(rng),
                7 => draft.rename(rng),
                8 => draft.deprecate_or_restore(rng),
                9 => draft.translate_or_not(rng),
                10 => draft.note(rng),
                11 => draft.add_category(rng),
                12 => draft.remove_category(rng, true),
                _ => draft.remove_category(rng, false),
            }
        }
        if draft.categories.is_empty() {
            draft.add_category(rng);
        }
        draft
    }

    pub(crate) fn file(&self) -> Value {
        let categories = self.categories.iter().map(|(id, category)| {
            let terms = self.below(*id, None);
            category.json(*id, "terms", &terms)
        });
        json!({ "categories": categories.collect::<Vec<_>>() })
    }

    fn below(&self, category: u64, parent: Option<u64>) -> Vec<Value> {
        let terms = self.terms.iter();
        let terms = terms.filter(|(_, term)| term.category == category && term.parent == parent);
        terms
            .map(|(id, term)| term.node.json(*id, "children", &self.below(category, Some(*id))))
            .collect()
    }

    fn place(&mut self, id: u64, category: u64, parent: Option<u64>) {
        let node = Node::named(format!("Term {id}"));
        let term = Term {
            category,
            parent,
            node,
        };
        self.terms.insert(id, term);
    }

    fn add_category(&mut self, rng: &mut Rng) {
        let id = rng.u64(1..=CATEGORIES);
        let named = || Node::named(format!("Category {id}"));
        self.categories.entry(id).or_insert_with(named);
    }

    fn add_term(&mut self, rng: &mut Rng) {
        let id = rng.u64(1..=TERMS);
        let Some((category, parent)) = self.somewhere(rng).filter(|_| !self.terms.contains_key(&id)) else {
            return;
        };
        self.place(id, category, parent);
    }

    fn somewhere(&self, rng: &mut Rng) -> Option<(u64, Option<u64>)> {
        if rng.bool()
            && let Some((id, term)) = rng.choice(&self.terms)
        {
            return Some((term.category, Some(*id)));
        }
        rng.choice(self.categories.keys()).map(|id| (*id, None))
    }

    /// A term and everything below it.
    fn family(&self, id: u64) -> Vec<u64> {
        let mut family = vec![id];
        let mut next = 0;
        while let Some(parent) = family.get(next).copied() {
            let below = self.terms.iter();
            let below = below.filter(|(_, term)| term.parent == Some(parent));
            family.extend(below.map(|(id, _)| *id));
            next += 1;
        }
        family
    }

    fn remove_term(&mut self, rng: &mut Rng) {
        let chosen = rng.choice(self.terms.keys()).copied();
        for id in chosen.map(|id| self.family(id)).unwrap_or_default() {
            self.terms.remove(&id);
        }
    }

    fn move_term(&mut self, rng: &mut Rng) {
        let (chosen, to) = (rng.choice(self.terms.keys()).copied(), self.somewhere(rng));
        let (Some(chosen), Some((category, parent))) = (chosen, to) else {
            return;
        };
        let family = self.family(chosen);
        if parent.is_some_and(|parent| family.contains(&parent)) {
            return;
        }
        for id in family {
            self.terms.get_mut(&id).unwrap().category = category;
        }
        self.terms.get_mut(&chosen).unwrap().parent = parent;
    }

    fn any_node(&mut self, rng: &mut Rng) -> Option<&mut Node> {
        let categories = self.categories.values_mut();
        let terms = self.terms.values_mut().map(|term| &mut term.node);
        let mut nodes: Vec<&mut Node> = categories.chain(terms).collect();
        let chosen = (!nodes.is_empty()).then(|| rng.usize(..nodes.len()))?;
        Some(nodes.swap_remove(chosen))
    }

    fn rename(&mut self, rng: &mut Rng) {
        let number = rng.u8(..3);
        if let Some(node) = self.any_node(rng) {
            let name = node.name.trim_end_matches('\'').to_owned();
            node.name = name + &"'".repeat(usize::from(number));
        }
    }

    fn deprecate_or_restore(&mut self, rng: &mut Rng) {
        if let Some(node) = self.any_node(rng) {
            node.is_deprecated = !node.is_deprecated;
        }
    }

    fn translate_or_not(&mut self, rng: &mut Rng) {
        let culture = CULTURES[rng.usize(..CULTURES.len())];
        if let Some(node) = self.any_node(rng)
            && node.names.remove(culture).is_none()
        {
            node.names.insert(culture, format!("{} {culture}", node.name));
        }
    }

    fn note(&mut self, rng: &mut Rng) {
        let notation = rng.bool().then(|| format!("N{}", rng.u8(..3)));
        if let Some(node) = self.any_node(rng) {
            node.notation = notation;
        }
    }

    /// With its terms, or these alone.
    fn remove_category(&mut self, rng: &mut Rng, itself: bool) {
        let Some(chosen) = rng.choice(self.categories.keys()).copied() else {
            return;
        };
        self.terms.retain(|_, term| term.category != chosen);
        if itself {
            self.categories.remove(&chosen);
        }
    }
}

/// A file that no tenant may have; each number makes other bytes.
pub(crate) fn refused(number: u64) -> Value {
    json!({"categories": [{"id": 1, "name": format!("No {number}"), "terms": [{"id": 1, "name": "IT"}, {"id": 1, "name": "Law"}]}]})
}
