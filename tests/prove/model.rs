//! The reference model: what a tenant's items are to be, from the file alone. It shares no code with what it judges, and is slow
//! and obvious on purpose.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::world::{TENANT, World, sample};

use crate::stored::live;

/// A tenant's live items, primary key to what matters of them, as one line each.
pub(crate) type Items = BTreeMap<String, String>;

/// A category or a term, wherever it was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    /// Of the category; a category is in itself.
    pub(crate) category: u64,
    pub(crate) parent: Option<u64>,
    /// By culture.
    pub(crate) names: BTreeMap<String, String>,
}

/// What a file says: nodes by kind and id. Two files of one content are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) categories: BTreeMap<u64, Node>,
    pub(crate) terms: BTreeMap<u64, Node>,
}

impl Content {
    /// Of an uploaded file, whose default culture is `en-GB`. Only of files that may be taken.
    pub(crate) fn of_file(file: &Value) -> Self {
        let mut content = Self::default();
        for category in list(&file["categories"]) {
            let id = number(&category["id"]);
            content.categories.insert(id, read(category, id, None));
            for term in list(&category["terms"]) {
                content.place(term, id, None);
            }
        }
        content
    }

    fn place(&mut self, term: &Value, category: u64, parent: Option<u64>) {
        let id = number(&term["id"]);
        let before = self.terms.insert(id, read(term, category, parent));
        assert!(
            before.is_none(),
            "the model was given a file with term {id} twice"
        );
        for child in list(&term["children"]) {
            self.place(child, category, Some(id));
        }
    }

    /// Of a stored snapshot, which is another format.
    pub(crate) fn of_snapshot(snapshot: &Value) -> Self {
        let named = |node: &Value| {
            let pairs = list(&node["names"]).iter();
            pairs.map(|name| (text(&name[0]), text(&name[1]))).collect()
        };
        let mut content = Self::default();
        for category in list(&snapshot["categories"]) {
            let id = number(&category["id"]);
            let node = Node {
                category: id,
                parent: None,
                names: named(category),
            };
            content.categories.insert(id, node);
        }
        for term in list(&snapshot["terms"]) {
            let node = Node {
                category: number(&term["category"]),
                parent: term["parent"].as_u64(),
                names: named(term),
            };
            content.terms.insert(number(&term["id"]), node);
        }
        content
    }

    /// The items that a tenant with this content has under a default culture.
    pub(crate) fn items(&self, tenant: &str, default: &str) -> Items {
        let mut items = Items::new();
        for (id, category) in &self.categories {
            let key = format!("CATEGORY#{tenant}#{id}");
            items.insert(
                format!("{key} | {key}"),
                format!("category {id} {}", category.names[default]),
            );
        }
        for (id, term) in &self.terms {
            self.items_of_term(&format!("TERM#{tenant}#{id}"), *id, term, default, &mut items);
        }
        items
    }

    fn items_of_term(&self, key: &str, id: u64, term: &Node, default: &str, items: &mut Items) {
        let lineage = self.lineage(term);
        let category = &self.categories[&term.category];
        let full = |node: &Node, culture: &str| {
            format!(
                "{}:{}",
                best(&category.names, culture, default),
                best(&node.names, culture, default)
            )
        };
        let complete = |culture: &str| {
            let above: Vec<String> = lineage
                .iter()
                .map(|id| format!("{id} {}", full(&self.terms[id], culture)))
                .collect();
            format!("{} in {} below {above:?}", full(term, culture), term.category)
        };
        let listed: Vec<&String> = term
            .names
            .iter()
            .filter(|(culture, _)| *culture != default)
            .map(|(_, name)| name)
            .collect();
        let is_parent = self.terms.values().any(|other| other.parent == Some(id));
        items.insert(
            format!("{key} | {key}"),
            format!("{} {listed:?} parent: {is_parent}", complete(default)),
        );
        for culture in term.names.keys().filter(|culture| *culture != default) {
            items.insert(format!("{key} | CULTURE#{culture}"), complete(culture));
        }
    }

    /// Ids of the ancestors, nearest first.
    fn lineage(&self, term: &Node) -> Vec<u64> {
        let (mut lineage, mut seen, mut next) = (Vec::new(), BTreeSet::new(), term.parent);
        while let Some(id) = next {
            assert!(seen.insert(id), "term {id} is its own ancestor");
            lineage.push(id);
            next = self.terms[&id].parent;
        }
        lineage
    }
}

fn read(node: &Value, category: u64, parent: Option<u64>) -> Node {
    let mut names = BTreeMap::new();
    if let Some(name) = node["name"].as_str() {
        names.insert("en-GB".to_owned(), name.to_owned());
    }
    for name in list(&node["names"]) {
        names.insert(text(&name["culture"]), text(&name["name"]));
    }
    Node {
        category,
        parent,
        names,
    }
}

/// Two cultures of two languages: what is not there in one is there in the default one.
fn best<'a>(names: &'a BTreeMap<String, String>, culture: &str, default: &str) -> &'a str {
    names.get(culture).unwrap_or_else(|| &names[default])
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// The model is right about a file that it was not written for.
#[tokio::test]
async fn the_model_agrees_with_the_projector_about_a_real_file() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    Box::pin(world.push(TENANT, &file)).await;
    let content = Content::of_file(&serde_json::from_slice(&file).unwrap());
    let found = live(&world.db.items(TABLE), TENANT);
    assert_eq!(content.items(TENANT, "en-GB"), found);
    assert_eq!(found.len(), 410);
}
