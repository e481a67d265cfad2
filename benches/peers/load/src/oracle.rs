//! The meaning of a taxonomy file, computed a second time: the responses that the service must give about it. It reads the JSON by itself and
//! shares no code with the service, so that a mistake of the service cannot hide in both. It expects valid files and does not validate.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

/// A name and a path.
#[derive(Debug, Clone, PartialEq)]
struct Label {
    name: String,
    path: Option<String>,
}

/// A category or a term.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    labels: BTreeMap<String, Label>,
    /// Of a category, its own id.
    category: u64,
    parent: Option<u64>,
}

/// The categories and terms of one file.
#[derive(Debug)]
pub(crate) struct Taxonomy {
    default_culture: String,
    categories: BTreeMap<u64, Node>,
    terms: HashMap<u64, Node>,
    children: HashMap<u64, Vec<u64>>,
}

/// The kinds of nodes, which have ids of their own each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Category,
    Term,
}

impl Taxonomy {
    /// Reads a file. Returns none where a member has another type than the format gives it.
    pub(crate) fn read(file: &Value) -> Option<Self> {
        let mut taxonomy = Self {
            default_culture: file["defaultCulture"].as_str().unwrap_or("en-GB").to_owned(),
            categories: BTreeMap::new(),
            terms: HashMap::new(),
            children: HashMap::new(),
        };
        for raw in file["categories"].as_array()? {
            let id = raw["id"].as_u64()?;
            let category = taxonomy.node(raw, id, None)?;
            taxonomy.categories.insert(id, category);
            let mut waiting: Vec<(&Value, Option<u64>)> =
                list(&raw["terms"]).map(|top| (top, None)).collect();
            while let Some((raw, parent)) = waiting.pop() {
                let term = raw["id"].as_u64()?;
                let node = taxonomy.node(raw, id, parent)?;
                taxonomy.terms.insert(term, node);
                if let Some(parent) = parent {
                    taxonomy.children.entry(parent).or_default().push(term);
                }
                waiting.extend(list(&raw["children"]).map(|child| (child, Some(term))));
            }
        }
        Some(taxonomy)
    }

    fn node(&self, raw: &Value, category: u64, parent: Option<u64>) -> Option<Node> {
        let mut labels = BTreeMap::new();
        for entry in list(&raw["names"]) {
            let label = Label {
                name: entry["name"].as_str()?.to_owned(),
                path: entry["path"].as_str().map(str::to_owned),
            };
            labels.insert(entry["culture"].as_str()?.to_owned(), label);
        }
        if let Some(name) = raw["name"].as_str() {
            let label = Label {
                name: name.to_owned(),
                path: None,
            };
            labels.entry(self.default_culture.clone()).or_insert(label);
        }
        Some(Node {
            labels,
            category,
            parent,
        })
    }

    /// Returns the ids of all terms.
    pub(crate) fn terms(&self) -> impl Iterator<Item = u64> + '_ {
        self.terms.keys().copied()
    }

    /// Returns every culture in which any term has a name.
    pub(crate) fn cultures(&self) -> Vec<String> {
        let labels = self.terms.values().flat_map(|term| term.labels.keys());
        labels
            .cloned()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// Returns whether it has a node.
    pub(crate) fn has(&self, kind: Kind, id: u64) -> bool {
        self.get(kind, id).is_some()
    }

    /// Returns the number of categories and of terms.
    pub(crate) fn totals(&self) -> (usize, usize) {
        (self.categories.len(), self.terms.len())
    }

    /// Returns the name of a term in the default culture.
    pub(crate) fn name(&self, id: u64) -> Option<&str> {
        let term = self.terms.get(&id)?;
        Some(&term.labels.get(&self.default_culture)?.name)
    }

    /// Returns the response about a term, as far as the file determines it.
    pub(crate) fn term(&self, id: u64, requested: Option<&str>) -> Option<Value> {
        let term = self.terms.get(&id)?;
        let asked = requested.unwrap_or(&self.default_culture);
        let category = self.categories.get(&term.category)?;
        let (category_label, category_culture) = self.label(category, asked)?;
        let mut ancestors = Vec::new();
        let mut above = term.parent;
        while let Some(id) = above {
            let node = self.terms.get(&id)?;
            let (label, served) = self.label(node, asked)?;
            ancestors.push(json!({
                "id": id, "name": label.name, "finalName": self.final_name(node, asked)?, "culture": served, "path": label.path,
            }));
            above = node.parent;
        }
        let (label, culture) = self.label(term, asked)?;
        Some(json!({
            "id": id, "name": label.name, "culture": culture, "finalName": self.final_name(term, asked)?, "path": label.path,
            "category": {"id": term.category, "name": category_label.name, "culture": category_culture, "path": category_label.path},
            "depth": ancestors.len() + 1, "ancestors": ancestors, "removed": false, "deprecated": false,
        }))
    }

    /// Returns a term as a list of siblings shows it.
    pub(crate) fn child(&self, id: u64) -> Option<Value> {
        let mut child = self.state(Kind::Term, id)?;
        child["childCount"] = json!(self.children(id).len());
        child["descendantCount"] = json!(self.count_below(id));
        if let Some(child) = child.as_object_mut() {
            child.retain(|name, _| !["category", "parent"].contains(&name.as_str()));
        }
        Some(child)
    }

    /// Returns the number of all terms below a term.
    fn count_below(&self, id: u64) -> usize {
        let children = self.children(id).iter();
        children.map(|child| 1 + self.count_below(*child)).sum()
    }

    /// Returns the ids of the children of a term; none for a term that the file does not have.
    pub(crate) fn children(&self, id: u64) -> &[u64] {
        self.children.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Returns a category or a term as a list of changes shows it.
    pub(crate) fn state(&self, kind: Kind, id: u64) -> Option<Value> {
        let node = self.get(kind, id)?;
        let (label, culture) = self.label(node, &self.default_culture)?;
        let mut state =
            json!({"name": label.name, "culture": culture, "path": label.path, "deprecated": false});
        if kind == Kind::Term {
            state["finalName"] = json!(self.final_name(node, &self.default_culture)?);
            state["category"] = json!(node.category);
            state["parent"] = json!(node.parent);
        }
        Some(state)
    }

    /// Returns the response about the list of categories, in the order of their ids.
    pub(crate) fn categories(&self) -> impl Iterator<Item = (u64, Option<Value>)> + '_ {
        self.categories
            .keys()
            .map(|id| (*id, self.state(Kind::Category, *id)))
    }

    /// Returns whether a node, or anything that it inherits from above, differs between two files.
    pub(crate) fn differs_in(&self, other: &Self, kind: Kind, id: u64) -> bool {
        let (one, another) = (self.get(kind, id), other.get(kind, id));
        // A list of changes also has the terms whose FinalName changed, and no others below a renamed term.
        let final_name = |taxonomy: &Self| taxonomy.state(kind, id).map(|state| state["finalName"].clone());
        let own = |node: Option<&Node>| node.map(|node| (node.labels.clone(), node.category, node.parent));
        own(one) != own(another) || final_name(self) != final_name(other)
    }

    fn get(&self, kind: Kind, id: u64) -> Option<&Node> {
        match kind {
            Kind::Category => self.categories.get(&id),
            Kind::Term => self.terms.get(&id),
        }
    }

    fn final_name(&self, term: &Node, culture: &str) -> Option<String> {
        let (category, _) = self.label(self.categories.get(&term.category)?, culture)?;
        let (label, _) = self.label(term, culture)?;
        Some(format!("{}:{}", category.name, label.name))
    }

    fn label<'a>(&'a self, node: &'a Node, culture: &'a str) -> Option<(&'a Label, &'a str)> {
        let served = self.resolve(node, culture);
        Some((node.labels.get(served)?, served))
    }

    /// Returns the culture that serves a request: it or a shorter form, then the only regional variant of its language, then the default.
    fn resolve<'a>(&'a self, node: &'a Node, requested: &'a str) -> &'a str {
        let mut range = requested;
        loop {
            if let Some((culture, _)) = node.labels.get_key_value(range) {
                return culture;
            }
            match range.rsplit_once('-') {
                Some((shorter, _)) => range = shorter,
                None => break,
            }
        }
        let mut variants = node.labels.keys().filter(|culture| {
            culture
                .split_once('-')
                .is_some_and(|(language, _)| language == range)
        });
        match (variants.next(), variants.next()) {
            (Some(only), None) => only,
            _ => &self.default_culture,
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Compares the members of an expected object with those of a found one, which may have more. An expected null is an absent member.
pub(crate) fn difference(expected: &Value, found: &Value) -> Option<String> {
    for (name, expected) in expected.as_object().into_iter().flatten() {
        let found = &found[name];
        let differs = match (expected, found) {
            (Value::Object(_), Value::Object(_)) => difference(expected, found),
            (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => expected
                .iter()
                .zip(found)
                .find_map(|(expected, found)| match expected {
                    Value::Object(_) => difference(expected, found),
                    _ => (expected != found).then(|| format!("{found} instead of {expected}")),
                }),
            _ => (expected != found).then(|| format!("{found} instead of {expected}")),
        };
        if let Some(differs) = differs {
            return Some(format!("{name}: {differs}"));
        }
    }
    None
}
