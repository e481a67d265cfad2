//! The reference model: the expected responses, computed from the JSON of the files without code of the service.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Map;
use taxonomy_tests::plain::{members, nodes};
use taxonomy_tests::prelude::*;

/// `category` or `term`, and an id.
pub(crate) type Id = (&'static str, u64);

/// A category or term of a file.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    names: BTreeMap<String, (String, Option<String>)>,
    category: Option<u64>,
    parent: Option<u64>,
    is_deprecated: bool,
    fields: Map<String, Value>,
}

/// A file as the reference model reads it.
#[derive(Debug, Clone)]
pub(crate) struct Plainly {
    default: String,
    cultures: BTreeSet<String>,
    nodes: BTreeMap<Id, Plain>,
}

impl Plainly {
    /// Returns a tenant without a taxonomy.
    pub(crate) fn nothing() -> Self {
        Self {
            default: String::new(),
            cultures: BTreeSet::new(),
            nodes: BTreeMap::new(),
        }
    }

    pub(crate) fn read(file: &Value) -> Self {
        let default = file["defaultCulture"].as_str().unwrap_or("en-GB").to_owned();
        let mut read = Self::nothing();
        for node in nodes(file) {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let named = |name: &Value| (text(&name["name"]).unwrap(), text(&name["path"]));
            let names: BTreeMap<_, _> = match members(&node.raw, "names") {
                [] => BTreeMap::from([(default.clone(), named(&node.raw))]),
                names => {
                    let names = names.iter();
                    names
                        .map(|name| (text(&name["culture"]).unwrap(), named(name)))
                        .collect()
                }
            };
            let own = ["id", "name", "names", "terms", "children", "deprecated"];
            let mut fields = node.raw.as_object().unwrap().clone();
            fields.retain(|name, _| !own.contains(&name.as_str()));
            read.cultures.extend(names.keys().cloned());
            let plain = Plain {
                names,
                category: (node.kind == "term").then_some(node.category),
                parent: node.above.first().copied(),
                is_deprecated: node.is_deprecated(),
                fields,
            };
            assert_eq!(read.nodes.insert((node.kind, node.id()), plain), None);
        }
        read.default = default;
        read
    }

    /// Returns every id of the file.
    pub(crate) fn ids(&self) -> BTreeSet<Id> {
        self.nodes.keys().copied().collect()
    }

    /// Returns the culture in which a node is answered for a requested culture; a culture without any name falls back to the default.
    fn culture(&self, node: &Plain, requested: Option<&str>) -> String {
        let requested = requested.filter(|culture| node.names.contains_key(*culture));
        requested.unwrap_or(&self.default).to_owned()
    }

    /// Returns the FinalName for a requested culture: each part in that culture, or in the default one.
    fn final_name(&self, node: &Plain, requested: Option<&str>) -> Option<String> {
        let category = &self.nodes[&("category", node.category?)];
        let name = |node: &Plain| node.names[&self.culture(node, requested)].0.clone();
        Some(format!("{}:{}", name(category), name(node)))
    }

    /// Returns the state of a node as responses show it.
    pub(crate) fn state(&self, id: Id, requested: Option<&str>) -> Option<Value> {
        let node = self.nodes.get(&id)?;
        let culture = self.culture(node, requested);
        let (name, path) = &node.names[&culture];
        let mut state = json!({"name": name, "culture": culture, "deprecated": node.is_deprecated});
        let optional = [
            ("finalName", self.final_name(node, requested).map(Value::from)),
            ("path", path.clone().map(Value::from)),
            ("category", node.category.map(Value::from)),
            ("parent", node.parent.map(Value::from)),
            ("notation", node.fields.get("notation").cloned()),
            ("replacedBy", node.fields.get("replacedBy").cloned()),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                state[name] = value;
            }
        }
        Some(state)
    }
}

/// Returns the operations and fields of a change; `None` if nothing changed.
fn operations(before: &Plainly, after: &Plainly, id: Id) -> (Vec<&'static str>, BTreeSet<String>) {
    let (old, new) = match (before.nodes.get(&id), after.nodes.get(&id)) {
        (None, None) => return (Vec::new(), BTreeSet::new()),
        (None, Some(_)) => return (vec!["added"], BTreeSet::new()),
        (Some(_), None) => return (vec!["removed"], BTreeSet::new()),
        (Some(old), Some(new)) => (old, new),
    };
    let cultures: BTreeSet<&String> = old.names.keys().chain(new.names.keys()).collect();
    let name = |node: &Plain, culture: &String| node.names.get(culture).map(|name| name.0.clone());
    let path = |node: &Plain, culture: &String| node.names.get(culture).and_then(|name| name.1.clone());
    let names: BTreeSet<&String> = old.fields.keys().chain(new.fields.keys()).collect();
    let mut fields: BTreeSet<String> = names
        .into_iter()
        .filter(|name| old.fields.get(*name) != new.fields.get(*name))
        .cloned()
        .collect();
    if cultures
        .iter()
        .any(|culture| path(old, culture) != path(new, culture))
    {
        fields.insert("path".to_owned());
    }
    let kinds = [
        (
            "renamed",
            cultures
                .iter()
                .any(|culture| name(old, culture) != name(new, culture)),
        ),
        ("moved", (old.category, old.parent) != (new.category, new.parent)),
        ("deprecated", !old.is_deprecated && new.is_deprecated),
        ("restored", old.is_deprecated && !new.is_deprecated),
        ("changed", !fields.is_empty()),
        (
            "finalName",
            before.final_name(old, None) != after.final_name(new, None),
        ),
    ];
    let kinds = kinds.into_iter().filter_map(|(kind, is)| is.then_some(kind));
    (kinds.collect(), fields)
}

/// Returns the items of the difference of two files, by id.
pub(crate) fn difference(before: &Plainly, after: &Plainly, requested: Option<&str>) -> BTreeMap<Id, Value> {
    let mut items = BTreeMap::new();
    for id in before.ids().union(&after.ids()) {
        let (operations, fields) = operations(before, after, *id);
        if operations.is_empty() {
            continue;
        }
        let mut item = json!({"kind": id.0, "id": id.1, "operations": operations});
        if !fields.is_empty() {
            item["fields"] = json!(fields);
        }
        for (side, file) in [("before", before), ("after", after)] {
            if let Some(state) = file.state(*id, requested) {
                item[side] = state;
            }
        }
        items.insert(*id, item);
    }
    items
}

impl Plainly {
    /// Returns what is above a term, with names.
    pub(crate) fn place(&self, id: Id, requested: Option<&str>) -> Option<Value> {
        let node = self.nodes.get(&id).filter(|_| id.0 == "term")?;
        let named = |id: Id| {
            let node = &self.nodes[&id];
            let culture = self.culture(node, requested);
            json!({"id": id.1, "name": node.names[&culture].0, "culture": culture})
        };
        let above = std::iter::successors(node.parent, |parent| self.nodes[&("term", *parent)].parent);
        let ancestors: Vec<Value> = above.map(|parent| named(("term", parent))).collect();
        Some(json!({"category": named(("category", node.category?)), "ancestors": ancestors}))
    }

    /// Returns the category that an item counts for.
    pub(crate) fn category(&self, id: Id) -> Option<u64> {
        let node = self.nodes.get(&id)?;
        Some(node.category.unwrap_or(id.1))
    }

    fn path(&self, id: Id, culture: &str) -> Option<&str> {
        self.nodes[&id].names.get(culture)?.1.as_deref()
    }

    fn above(&self, id: Id) -> Id {
        let node = &self.nodes[&id];
        let category = || ("category", node.category.unwrap());
        node.parent.map_or_else(category, |parent| ("term", parent))
    }

    /// Returns the end of a path that begins with the path above, else all of it.
    fn own_path(&self, id: Id, culture: &str) -> (bool, Option<&str>) {
        let (own, above) = (self.path(id, culture), self.path(self.above(id), culture));
        let rest = own.zip(above).and_then(|(own, above)| own.strip_prefix(above));
        rest.map_or((false, own), |rest| (true, Some(rest)))
    }
}

/// Returns the node above from whose change that of a term follows; none where the term itself was changed.
pub(crate) fn cause(before: &Plainly, after: &Plainly, id: Id) -> Option<Id> {
    let (operations, fields) = operations(before, after, id);
    let follows = |operation: &&str| ["moved", "changed", "finalName"].contains(operation);
    let is_other = operations.is_empty() || !operations.iter().all(follows);
    if id.0 == "category" || is_other || fields.iter().any(|field| field != "path") {
        return None;
    }
    let sides = [before, after];
    let own_names = sides.map(|file| &file.nodes[&id].names[&file.default].0);
    let is_named = operations.contains(&"finalName");
    if is_named && own_names[0] != own_names[1] {
        return None;
    }
    let cultures: Vec<&String> = before.cultures.union(&after.cultures).collect();
    let differs = |id: Id, culture: &str| before.path(id, culture) != after.path(id, culture);
    let cultures: Vec<&String> = cultures
        .into_iter()
        .filter(|culture| differs(id, culture))
        .collect();
    let is_own = |id: Id| {
        let is_moved = before.above(id) != after.above(id);
        is_moved
            || cultures
                .iter()
                .any(|culture| before.own_path(id, culture) != after.own_path(id, culture))
    };
    if is_own(id) {
        return None;
    }
    let mut above = after.above(id);
    while above.0 == "term" && (operations.contains(&"moved") || !cultures.is_empty()) {
        if is_own(above) {
            return Some(above);
        }
        above = after.above(above);
    }
    let category = ("category", after.nodes[&id].category?);
    let name = |file: &Plainly, culture: &str| {
        file.nodes[&category]
            .names
            .get(culture)
            .map(|name| name.0.clone())
    };
    let is_renamed = sides
        .iter()
        .any(|file| name(before, &file.default) != name(after, &file.default));
    ((is_renamed || !is_named) && cultures.iter().all(|culture| differs(category, culture)))
        .then_some(category)
}
