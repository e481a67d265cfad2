//! A plain reading of a file, which shares no code with the service: its categories and terms, from the JSON alone.

use std::collections::BTreeSet;

use serde_json::Value;

/// A category or a term of a file.
#[derive(Debug, Clone)]
pub struct Plain {
    /// `category` or `term`.
    pub kind: &'static str,
    /// Its category, or itself.
    pub category: u64,
    /// The terms above it, nearest first.
    pub above: Vec<u64>,
    /// As the file has it.
    pub raw: Value,
}

impl Plain {
    /// Returns its id.
    pub fn id(&self) -> u64 {
        id(&self.raw)
    }

    /// Returns its path below the tenant.
    pub fn path(&self) -> String {
        match self.kind {
            "category" => format!("categories/{}", self.id()),
            _ => format!("terms/{}", self.id()),
        }
    }

    /// Returns its name in exactly this culture, as the file has it.
    pub fn name_in(&self, culture: &str) -> Option<&Value> {
        let mut names = members(&self.raw, "names").iter();
        names.find(|name| name["culture"] == culture)
    }

    /// Returns its name in this culture, or else in the default one. No culture of these files has a variant between the two.
    pub fn best(&self, culture: &str, default: &str) -> &Value {
        let name = self.name_in(culture).or_else(|| self.name_in(default));
        name.unwrap()
    }

    /// Returns what is directly below it, as the file has it.
    pub fn children(&self) -> &[Value] {
        match self.kind {
            "category" => members(&self.raw, "terms"),
            _ => members(&self.raw, "children"),
        }
    }

    /// Returns the number of the terms below it.
    pub fn descendant_count(&self) -> usize {
        fn count(nodes: &[Value]) -> usize {
            nodes
                .iter()
                .map(|node| 1 + count(members(node, "children")))
                .sum()
        }
        count(self.children())
    }

    /// Returns whether it is deprecated.
    pub fn is_deprecated(&self) -> bool {
        self.raw["deprecated"] == true
    }
}

/// Returns the id of a node of a file or of an answer.
pub fn id(node: &Value) -> u64 {
    node["id"].as_u64().unwrap()
}

/// Returns the elements of a list, or none if there is no list.
pub fn members<'v>(node: &'v Value, name: &str) -> &'v [Value] {
    node[name].as_array().map_or(&[], Vec::as_slice)
}

/// Lists the categories of a file, and then all its terms in the order of the tree: siblings by sort key, else by name in lower case, then by id.
pub fn nodes(file: &Value) -> Vec<Plain> {
    let (mut nodes, mut terms) = (Vec::new(), Vec::new());
    for raw in sorted(members(file, "categories")) {
        let category = id(raw);
        walk(members(raw, "terms"), category, &[], &mut terms);
        nodes.push(Plain {
            kind: "category",
            category,
            above: Vec::new(),
            raw: raw.clone(),
        });
    }
    nodes.extend(terms);
    nodes
}

fn walk(list: &[Value], category: u64, above: &[u64], out: &mut Vec<Plain>) {
    for raw in sorted(list) {
        out.push(Plain {
            kind: "term",
            category,
            above: above.to_vec(),
            raw: raw.clone(),
        });
        let above = [&[id(raw)], above].concat();
        walk(members(raw, "children"), category, &above, out);
    }
}

fn sorted(list: &[Value]) -> Vec<&Value> {
    let mut sorted: Vec<&Value> = list.iter().collect();
    sorted.sort_by_key(|node| {
        let names = members(node, "names").iter();
        let own = names.filter(|name| name["culture"] == "en-GB");
        let name = own.map(|name| &name["name"]).next().unwrap_or(&node["name"]);
        let key = node["sortKey"].as_str().map(str::to_owned);
        (
            key.unwrap_or_else(|| name.as_str().unwrap_or_default().to_lowercase()),
            id(node),
        )
    });
    sorted
}

/// Returns the cultures in which nodes have names. A plain name is in the default culture of the stack.
pub fn cultures(nodes: &[Plain]) -> BTreeSet<&str> {
    nodes.iter().flat_map(cultures_of).collect()
}

fn cultures_of(node: &Plain) -> Vec<&str> {
    match members(&node.raw, "names") {
        [] => vec!["en-GB"],
        names => names.iter().filter_map(|name| name["culture"].as_str()).collect(),
    }
}
