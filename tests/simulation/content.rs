//! The oracle's reading of a taxonomy: the content of a file or of a snapshot, from its JSON alone. It shares no code with the service, and is
//! slow and obvious on purpose.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_tests::prelude::*;

use crate::draft::DEFAULT_CULTURE;

/// A category, or a term without its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    /// By culture.
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) is_deprecated: bool,
    /// Its other fields, without those that place it.
    pub(crate) others: BTreeMap<String, Value>,
}

/// A term with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) node: Node,
    pub(crate) category: u64,
    pub(crate) parent: Option<u64>,
}

/// The nodes of a taxonomy by id. Two taxonomies with the same content are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) categories: BTreeMap<u64, Node>,
    pub(crate) terms: BTreeMap<u64, Term>,
}

impl Content {
    /// Reads an uploaded file, which must be valid.
    pub(crate) fn of_file(file: &Value) -> Self {
        let mut content = Self::default();
        for category in list(&file["categories"]) {
            let id = category["id"].as_u64().unwrap();
            let names = list(&category["names"]).iter();
            let names = names.map(|name| (text(&name["culture"]), text(&name["name"])));
            content.categories.insert(id, node(category, names.collect()));
            for term in list(&category["terms"]) {
                content.add_term(term, id, None);
            }
        }
        content
    }

    fn add_term(&mut self, term: &Value, category: u64, parent: Option<u64>) {
        let id = term["id"].as_u64().unwrap();
        let names = list(&term["names"]).iter();
        let names = names.map(|name| (text(&name["culture"]), text(&name["name"])));
        let node = node(term, names.collect());
        let placed = Term {
            node,
            category,
            parent,
        };
        let before = self.terms.insert(id, placed);
        assert!(before.is_none(), "term {id} is in the file twice");
        for child in list(&term["children"]) {
            self.add_term(child, category, Some(id));
        }
    }

    /// Reads a stored snapshot, whose format differs from that of a file.
    pub(crate) fn of_snapshot(snapshot: &Value) -> Self {
        let read = |value: &Value| {
            let names = list(&value["names"]).iter();
            node(
                value,
                names.map(|name| (text(&name[0]), text(&name[1]))).collect(),
            )
        };
        let id = |value: &Value| value["id"].as_u64().unwrap();
        let categories = list(&snapshot["categories"]).iter();
        let terms = list(&snapshot["terms"]).iter().map(|term| {
            let placed = Term {
                node: read(term),
                category: term["category"].as_u64().unwrap(),
                parent: term["parent"].as_u64(),
            };
            (id(term), placed)
        });
        Self {
            categories: categories
                .map(|category| (id(category), read(category)))
                .collect(),
            terms: terms.collect(),
        }
    }

    /// Returns the ids of the ancestors of a term, nearest first.
    pub(crate) fn ancestors(&self, term: &Term) -> Vec<u64> {
        let (mut ancestors, mut seen, mut next) = (Vec::new(), BTreeSet::new(), term.parent);
        while let Some(id) = next {
            assert!(seen.insert(id), "term {id} is its own ancestor");
            ancestors.push(id);
            next = self.terms[&id].parent;
        }
        ancestors
    }

    /// Returns whether a term has children.
    pub(crate) fn has_children(&self, id: u64) -> bool {
        self.terms.values().any(|term| term.parent == Some(id))
    }

    /// Returns the cultures in which any node has a name.
    pub(crate) fn cultures(&self) -> BTreeSet<String> {
        let terms = self.terms.values().map(|term| &term.node);
        let nodes = self.categories.values().chain(terms);
        nodes.flat_map(|node| node.names.keys().cloned()).collect()
    }
}

impl Node {
    /// Creates a node with a name in the default culture of files.
    pub(crate) fn named(name: &str) -> Self {
        let mut node = Self::default();
        node.rename(name);
        node
    }

    /// Changes the name in the default culture of files.
    pub(crate) fn rename(&mut self, name: &str) {
        self.names.insert(DEFAULT_CULTURE.to_owned(), name.to_owned());
    }

    /// Adds a name in a further culture.
    pub(crate) fn add_name(&mut self, culture: &str) {
        let name = format!("{} {culture}", self.name());
        self.names.insert(culture.to_owned(), name);
    }

    /// Returns the culture and the name in a culture, or else in the default one. The cultures of the drafts are of different languages, so
    /// no other culture is nearer.
    pub(crate) fn best(&self, culture: &str, default: &str) -> (&str, &str) {
        let name = self.names.get_key_value(culture);
        let (culture, name) = name.unwrap_or_else(|| self.names.get_key_value(default).unwrap());
        (culture, name)
    }

    /// Returns the name in the default culture of files.
    pub(crate) fn name(&self) -> &str {
        &self.names[DEFAULT_CULTURE]
    }
}

/// The fields that are not among [`Node::others`].
const KNOWN: [&str; 8] = [
    "id",
    "name",
    "names",
    "deprecated",
    "terms",
    "children",
    "category",
    "parent",
];

fn node(value: &Value, mut names: BTreeMap<String, String>) -> Node {
    if let Some(name) = value["name"].as_str() {
        names.insert(DEFAULT_CULTURE.to_owned(), name.to_owned());
    }
    let others = value.as_object().unwrap().iter();
    let others = others.filter(|(field, _)| !KNOWN.contains(&field.as_str()));
    Node {
        names,
        is_deprecated: value["deprecated"] == true,
        others: others
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect(),
    }
}

/// Returns the elements of a list, or none if there is no list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
