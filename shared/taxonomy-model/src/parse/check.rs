//! What can be said only of the whole file: unique ids, names in the default culture, siblings, replacements, coverage.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use super::json::{NodeRef, Reader};
use super::names::MAX_CULTURES;
use super::size::{category_items, term_names};
use crate::report::Code;
use crate::settings::Settings;
use crate::taxonomy::{NameData, NodeData};
use crate::text::{Span, narrow};

/// Runs every check and completes the report's counts.
pub(super) fn check(reader: &mut Reader, settings: &Settings) {
    let default = reader.draft.culture(&settings.default_culture);
    adopt_plain_names(reader, default);
    unique_ids(reader);
    default_names(reader, default, settings);
    sibling_names(reader, default);
    empty_categories(reader);
    replacements(reader);
    coverage(reader);
    category_items(reader, default);
    term_names(reader);
    reader.report.categories = reader.draft.categories.len() as u64;
    reader.report.terms = reader.draft.terms.len() as u64;
    let nodes = reader.draft.categories.iter().chain(&reader.draft.terms);
    reader.report.names = nodes.map(|node| node.names.len() as u64).sum();
}

impl Reader {
    fn node(&self, node: NodeRef) -> &NodeData {
        match node {
            NodeRef::Category(place) => &self.draft.categories[place as usize],
            NodeRef::Term(place) => &self.draft.terms[place as usize],
        }
    }

    fn nodes(&self) -> impl Iterator<Item = NodeRef> + use<> {
        let categories = (0..narrow(self.draft.categories.len())).map(NodeRef::Category);
        categories.chain((0..narrow(self.draft.terms.len())).map(NodeRef::Term))
    }

    fn default_name(&self, node: NodeRef, default: u16) -> Option<&str> {
        let name = self
            .draft
            .names_of(&self.node(node).names)
            .iter()
            .find(|name| name.culture == default)?;
        Some(self.draft.text(name.name))
    }

    /// Records an issue at `field` of a node, or at the node itself where `field` is empty.
    pub(super) fn found(&mut self, code: Code, node: NodeRef, field: &str, message: String) {
        let id = Some(self.node(node).id).filter(|id| *id < 1 << 53);
        let pointer = pointer(self, node) + field;
        self.report.add(code, id, message, || pointer);
    }
}

/// Where a node stands in the file.
fn pointer(reader: &Reader, node: NodeRef) -> String {
    match node {
        NodeRef::Category(place) => format!("/categories/{}", reader.category_positions[place as usize]),
        NodeRef::Term(place) => {
            let (data, position) = (reader.node(node), reader.term_positions[place as usize]);
            match data.parent {
                Some(parent) => format!("{}/children/{position}", pointer(reader, NodeRef::Term(parent))),
                None => format!(
                    "{}/terms/{position}",
                    pointer(reader, NodeRef::Category(data.category))
                ),
            }
        }
    }
}

/// A plain `name` is the name in the default culture, where `names` has none.
fn adopt_plain_names(reader: &mut Reader, default: u16) {
    let mut plain_names = std::mem::take(&mut reader.plain_names);
    plain_names.retain(|(node, name)| {
        let existing = reader.default_name(*node, default);
        if existing.is_some_and(|existing| existing != reader.draft.text(*name)) {
            let message = "name and names disagree".to_owned();
            reader.found(Code::NameDiffers, *node, "/name", message);
            return false;
        }
        existing.is_none()
    });
    plain_names.sort_unstable_by_key(|(node, _)| *node);
    let Some((first, _)) = plain_names.first() else {
        return;
    };
    // Once a file, wherever the culture too many was found first.
    if usize::from(default) >= MAX_CULTURES && reader.said.insert(Code::TooManyValues) {
        let message = format!("the file names in more than {MAX_CULTURES} cultures");
        reader.found(Code::TooManyValues, *first, "/name", message);
    }
    add_names(reader, default, &plain_names);
}

/// The names of a node lie together, so one more means to write them anew: those of all nodes, in the order in which they lie, each piece
/// given up as soon as it was copied.
fn add_names(reader: &mut Reader, default: u16, plain_names: &[(NodeRef, Span)]) {
    let mut nodes: Vec<NodeRef> = reader.nodes().collect();
    nodes.sort_unstable_by_key(|node| reader.node(*node).names.start);
    let mut old = std::mem::take(&mut reader.draft.names);
    for node in nodes {
        let range = reader.node(node).names.clone();
        old.forget_before(range.start);
        let names = old.get(&range);
        let start = reader.draft.names.begin(names.len() + 1);
        names.iter().for_each(|name| reader.draft.names.push(*name));
        if let Ok(position) = plain_names.binary_search_by_key(&node, |(node, _)| *node) {
            reader.draft.names.push(NameData {
                culture: default,
                name: plain_names[position].1,
                path: None,
            });
        }
        let names = start..reader.draft.names.end();
        match node {
            NodeRef::Category(place) => reader.draft.categories[place as usize].names = names,
            NodeRef::Term(place) => reader.draft.terms[place as usize].names = names,
        }
    }
}

fn unique_ids(reader: &mut Reader) {
    let mut seen: HashMap<(bool, u64), NodeRef> = HashMap::with_capacity(reader.draft.terms.len());
    for node in reader.nodes() {
        let is_category = matches!(node, NodeRef::Category(_));
        let first = *seen.entry((is_category, reader.node(node).id)).or_insert(node);
        if first != node {
            let code = if is_category {
                Code::DuplicateCategoryId
            } else {
                Code::DuplicateTermId
            };
            let message = format!("the id stands at {} already", pointer(reader, first));
            reader.found(code, node, "/id", message);
        }
    }
}

fn default_names(reader: &mut Reader, default: u16, settings: &Settings) {
    for node in reader.nodes() {
        if reader.default_name(node, default).is_none() {
            let message = format!("has no name in the default culture {}", settings.default_culture);
            let field = if reader.node(node).names.is_empty() {
                ""
            } else {
                "/names"
            };
            reader.found(Code::MissingDefaultName, node, field, message);
        }
    }
}

fn sibling_names(reader: &mut Reader, default: u16) {
    let above = |node: NodeRef, data: &NodeData| match node {
        NodeRef::Category(_) => None,
        NodeRef::Term(_) => Some(
            data.parent
                .map_or(NodeRef::Category(data.category), NodeRef::Term),
        ),
    };
    // Hashes instead of names: a large file has many, and a clash is settled by looking at both.
    let hasher = RandomState::new();
    let mut seen: HashMap<u64, NodeRef> = HashMap::with_capacity(reader.draft.terms.len());
    for node in reader.nodes() {
        let Some(name) = reader.default_name(node, default) else {
            continue;
        };
        let (above_node, folded) = (above(node, reader.node(node)), name.to_lowercase());
        let first = *seen.entry(hasher.hash_one((above_node, &folded))).or_insert(node);
        let same = |other: NodeRef| {
            let name = reader.default_name(other, default).map(str::to_lowercase);
            above(other, reader.node(other)) == above_node && name.as_ref() == Some(&folded)
        };
        if first != node && same(first) {
            reader.found(
                Code::DuplicateSiblingName,
                node,
                "",
                "a sibling has the same name".to_owned(),
            );
        }
    }
}

fn empty_categories(reader: &mut Reader) {
    let used: HashSet<u32> = reader.draft.terms.iter().map(|term| term.category).collect();
    for place in (0..narrow(reader.draft.categories.len())).filter(|place| !used.contains(place)) {
        reader.found(
            Code::EmptyCategory,
            NodeRef::Category(place),
            "",
            "has no terms".to_owned(),
        );
    }
}

fn replacements(reader: &mut Reader) {
    let ids = |nodes: &[NodeData]| nodes.iter().map(|node| node.id).collect::<HashSet<u64>>();
    if reader
        .draft
        .extras
        .iter()
        .all(|extra| extra.replaced_by.is_empty())
    {
        return;
    }
    let (categories, terms) = (ids(&reader.draft.categories), ids(&reader.draft.terms));
    for node in reader.nodes() {
        let Some(extra) = reader.node(node).extra else {
            continue;
        };
        let own = reader.node(node).id;
        let known = if matches!(node, NodeRef::Category(_)) {
            &categories
        } else {
            &terms
        };
        for (position, id) in reader.draft.extras[extra as usize]
            .replaced_by
            .clone()
            .into_iter()
            .enumerate()
        {
            let field = format!("/replacedBy/{position}");
            if id == own {
                reader.found(
                    Code::SelfReplacement,
                    node,
                    &field,
                    "is replaced by itself".to_owned(),
                );
            } else if !known.contains(&id) {
                reader.found(
                    Code::UnknownReplacement,
                    node,
                    &field,
                    format!("is replaced by {id}, which is not here"),
                );
            }
        }
    }
}

fn coverage(reader: &mut Reader) {
    let mut named = vec![0_usize; reader.draft.cultures.len()];
    for node in reader.draft.categories.iter().chain(&reader.draft.terms) {
        for name in reader.draft.names_of(&node.names) {
            named[usize::from(name.culture)] += 1;
        }
    }
    let nodes = reader.draft.categories.len() + reader.draft.terms.len();
    let mut poor: Vec<String> = Vec::new();
    for (culture, named) in reader.draft.cultures.iter().zip(named) {
        // A culture without a single name is the default one of an empty file, or was refused elsewhere.
        if named > 0 && named * 2 < nodes {
            poor.push(format!("{culture} names {named} of {nodes} nodes"));
        }
    }
    poor.sort();
    for message in poor {
        reader.report.add(Code::PoorCoverage, None, message, String::new);
    }
}
