//! The checks that need the whole file: unique ids, names in the default culture, siblings, replacements, coverage.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use taxonomy_keys::Culture;

use super::json::FileReader;
use super::names::MAX_CULTURES;
use super::size::{category_items, term_names};
use crate::appearance::Looks;
use crate::report::{Code, Issue};
use crate::taxonomy::details::{Details, RelatedId};
use crate::taxonomy::names::{NameData, PathData};
use crate::taxonomy::settings::Settings;
use crate::taxonomy::tree::{NodeData, NodeRef};
use crate::text::{Span, narrow};

/// Runs every check and completes the report's counts.
///
/// `replaced` is the default culture of the file where the tenant's configuration sets another one.
pub(super) fn check(reader: &mut FileReader, settings: &Settings, replaced: Option<&Culture>) {
    let default = reader.tree.culture(&settings.default_culture);
    adopt_plain_names(reader, default);
    unique_ids(reader);
    default_names(reader, default, settings, replaced);
    sibling_names(reader, default);
    empty_categories(reader);
    no_terms(reader);
    references(reader);
    coverage(reader);
    category_items(reader, default);
    term_names(reader);
    reader.report.categories = reader.tree.categories.len() as u64;
    reader.report.terms = reader.tree.terms.len() as u64;
    let nodes = reader.tree.categories.iter().chain(&reader.tree.terms);
    reader.report.names = nodes.map(|node| node.names.len() as u64).sum();
}

impl FileReader {
    fn node(&self, node: NodeRef) -> &NodeData {
        self.tree.node(node)
    }

    fn nodes(&self) -> impl Iterator<Item = NodeRef> + use<> {
        let categories = (0..narrow(self.tree.categories.len())).map(NodeRef::Category);
        categories.chain((0..narrow(self.tree.terms.len())).map(NodeRef::Term))
    }

    fn default_name(&self, node: NodeRef, default: u16) -> Option<&str> {
        let name = self.tree.name_in(self.node(node), default)?;
        Some(self.tree.text.get(name.name()))
    }

    /// Records an issue at `field` of a node, or at the node itself if `field` is empty. Returns it if it is listed.
    pub(super) fn found(
        &mut self,
        code: Code,
        node: NodeRef,
        field: &str,
        message: impl Into<String>,
    ) -> Option<&mut Issue> {
        let id = Some(self.node(node).id).filter(|id| *id < 1 << 53);
        let pointer = pointer(self, node) + field;
        self.report.add(code, id, message.into(), || pointer)
    }

    /// Records that `field` of a node repeats that of `first`.
    fn repeated(&mut self, code: Code, [node, first]: [NodeRef; 2], field: &str, message: &str) {
        let first = pointer(self, first) + field;
        let message = format!("{message} {first}");
        if let Some(issue) = self.found(code, node, field, message) {
            issue.first = Some(first);
        }
    }
}

/// Returns the JSON pointer of a node in the file.
fn pointer(reader: &FileReader, node: NodeRef) -> String {
    match node {
        NodeRef::Category(place) => format!("/categories/{}", reader.category_positions[place as usize]),
        NodeRef::Term(place) => {
            let (data, position) = (reader.node(node), reader.term_positions[place as usize]);
            let above = pointer(reader, data.above());
            let list = if data.parent.is_some() {
                "children"
            } else {
                "terms"
            };
            format!("{above}/{list}/{position}")
        }
    }
}

/// Uses a plain `name` as the name in the default culture, if `names` has none.
fn adopt_plain_names(reader: &mut FileReader, default: u16) {
    let mut plain_names = std::mem::take(&mut reader.plain_names);
    plain_names.retain(|(node, name)| {
        let existing = reader.default_name(*node, default);
        if existing.is_some_and(|existing| existing != reader.tree.text.get(*name)) {
            reader.found(Code::NameDiffers, *node, "/name", "name and names disagree");
            return false;
        }
        existing.is_none()
    });
    plain_names.sort_unstable_by_key(|(node, _)| *node);
    let Some((first, _)) = plain_names.first() else {
        return;
    };
    // Reported once for each file, wherever the first culture beyond the limit was found.
    if usize::from(default) >= MAX_CULTURES && reader.said.insert(Code::TooManyValues) {
        let message = format!("the file names in more than {MAX_CULTURES} cultures");
        reader.found(Code::TooManyValues, *first, "/name", message);
    }
    add_names(reader, default, &plain_names);
}

/// The names of a node are contiguous, so adding one rewrites them: those of all nodes, in the order of their positions, and each piece is
/// freed as soon as it was copied.
fn add_names(reader: &mut FileReader, default: u16, plain_names: &[(NodeRef, Span)]) {
    let mut nodes: Vec<NodeRef> = reader.nodes().collect();
    nodes.sort_unstable_by_key(|node| reader.node(*node).names.start);
    let mut old = std::mem::take(&mut reader.tree.names);
    for node in nodes {
        let range = reader.node(node).names.clone();
        old.forget_before(range.start);
        let names = old.get(&range);
        let start = reader.tree.names.begin(names.len() + 1);
        names.iter().for_each(|name| reader.tree.names.push(*name));
        if let Ok(position) = plain_names.binary_search_by_key(&node, |(node, _)| *node) {
            let name = plain_names[position].1;
            reader
                .tree
                .names
                .push(NameData::new(default, name, PathData::None));
        }
        let names = start..reader.tree.names.end();
        reader.tree.sort_names(&names);
        reader.tree.node_mut(node).names = names;
    }
}

/// Returns each node whose key an earlier node has too, with the first one that has it.
fn repeats(reader: &FileReader, key: impl Fn(NodeRef) -> Option<u64>) -> Vec<(NodeRef, NodeRef)> {
    let mut keys = Vec::with_capacity(reader.tree.categories.len() + reader.tree.terms.len());
    keys.extend(reader.nodes().filter_map(&key));
    let repeated = repeated(keys);
    if repeated.is_empty() {
        return Vec::new();
    }
    let mut first: HashMap<u64, NodeRef> = HashMap::new();
    let repeats = reader.nodes().filter_map(|node| {
        let key = key(node).filter(|key| repeated.contains(key))?;
        let first = *first.entry(key).or_insert(node);
        (first != node).then_some((node, first))
    });
    repeats.collect()
}

/// Returns the numbers that occur more than once. Sorting takes no memory beside them, and a large file has very many.
fn repeated(mut numbers: Vec<u64>) -> HashSet<u64> {
    numbers.sort_unstable();
    let pairs = numbers.windows(2).filter(|pair| pair[0] == pair[1]);
    pairs.map(|pair| pair[0]).collect()
}

fn unique_ids(reader: &mut FileReader) {
    let codes = [(false, Code::DuplicateCategoryId), (true, Code::DuplicateTermId)];
    for (of_terms, code) in codes {
        let id = |node| (matches!(node, NodeRef::Term(_)) == of_terms).then_some(reader.node(node).id);
        for (node, first) in repeats(reader, id) {
            reader.repeated(code, [node, first], "/id", "the id is already used at");
        }
    }
}

fn default_names(reader: &mut FileReader, default: u16, settings: &Settings, replaced: Option<&Culture>) {
    let mut message = format!("has no name in the default culture {}", settings.default_culture);
    if let Some(replaced) = replaced {
        message += &format!(", which the tenant's configuration sets in place of the file's {replaced}");
    }
    for node in reader.nodes() {
        if reader.default_name(node, default).is_none() {
            let field = if reader.node(node).names.is_empty() {
                ""
            } else {
                "/names"
            };
            reader.found(Code::MissingDefaultName, node, field, &message);
        }
    }
}

fn sibling_names(reader: &mut FileReader, default: u16) {
    let place = |reader: &FileReader, node| {
        let looks = Looks::new(reader.default_name(node, default)?);
        Some((reader.tree.above(node), looks))
    };
    // Compares hashes instead of names, since a large file has many; equal hashes are resolved by comparing the names.
    let hasher = RandomState::new();
    let hash = |node| place(reader, node).map(|place| hasher.hash_one(place));
    for (node, first) in repeats(reader, hash) {
        if place(reader, node) == place(reader, first) {
            let message = "readers see the same name as at";
            reader.repeated(Code::DuplicateSiblingName, [node, first], "", message);
        }
    }
}

fn empty_categories(reader: &mut FileReader) {
    let mut used = vec![false; reader.tree.categories.len()];
    for term in &reader.tree.terms {
        used[term.category as usize] = true;
    }
    let empty = (0..narrow(used.len())).filter(|place| !used[*place as usize]);
    for place in empty {
        reader.found(Code::EmptyCategory, NodeRef::Category(place), "", "has no terms");
    }
}

/// Warns of a file without terms, which a broken export writes. A file with errors has more to say.
fn no_terms(reader: &mut FileReader) {
    if reader.tree.terms.is_empty() && reader.report.accepted {
        let message = "the file has no terms".to_owned();
        let pointer = || "/categories".to_owned();
        reader.report.add(Code::NoTerms, None, message, pointer);
    }
}

/// Checks replacements and relations whose target does not exist, or is the node itself.
fn references(reader: &mut FileReader) {
    let refers = |details: &Details| !(details.replaced_by.is_empty() && details.relations.is_empty());
    if !reader.tree.details.iter().any(refers) {
        return;
    }
    let ids = |nodes: &[NodeData]| nodes.iter().map(|node| node.id).collect::<HashSet<u64>>();
    let (categories, terms) = (ids(&reader.tree.categories), ids(&reader.tree.terms));
    for node in reader.nodes() {
        let data = reader.node(node);
        let Some(details) = reader.tree.details(data).filter(|details| refers(details)) else {
            continue;
        };
        let (replaced_by, relations) = (details.replaced_by.clone(), details.relations.clone());
        let (own, is_term) = (data.id, matches!(node, NodeRef::Term(_)));
        let known = if is_term { &terms } else { &categories };
        for (position, &id) in replaced_by.iter().enumerate() {
            let field = format!("/replacedBy/{position}");
            if id == own {
                reader.found(Code::SelfReplacement, node, &field, "is replaced by itself");
            } else if !known.contains(&id) {
                let message = format!("is replaced by {id}, which is not here");
                reader.found(Code::UnknownReplacement, node, &field, message);
            }
        }
        for (position, relation) in relations.iter().enumerate() {
            let RelatedId::Term(id) = relation.id else {
                continue;
            };
            let field = format!("/relations/{position}/id");
            if is_term && id == own {
                reader.found(Code::SelfRelation, node, &field, "has a relation to itself");
            } else if !terms.contains(&id) {
                let message = format!("has a relation to {id}, which is not here");
                reader.found(Code::UnknownRelation, node, &field, message);
            }
        }
    }
}

fn coverage(reader: &mut FileReader) {
    let mut named = vec![0_usize; reader.tree.cultures.len()];
    for node in reader.tree.categories.iter().chain(&reader.tree.terms) {
        for name in reader.tree.names_of(node) {
            named[usize::from(name.culture)] += 1;
        }
    }
    let nodes = reader.tree.categories.len() + reader.tree.terms.len();
    let mut poor: Vec<String> = Vec::new();
    for (culture, named) in reader.tree.cultures.iter().zip(named) {
        // A culture without a single name is the default one of an empty file, or is an error that another check reports.
        if named > 0 && named * 2 < nodes {
            poor.push(format!("{culture} names {named} of {nodes} nodes"));
        }
    }
    poor.sort();
    for message in poor {
        reader.report.add(Code::PoorCoverage, None, message, String::new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_numbers_that_occur_again_are_repeated() {
        let mut random = 1_u64;
        for count in [0_u64, 1, 2, 3, 10, 1_000, 50_000] {
            let numbers: Vec<u64> = (0..count)
                .map(|number| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(number | 1);
                    // Some of few values, most of many.
                    if random.is_multiple_of(3) {
                        random % (count + 1)
                    } else {
                        random
                    }
                })
                .collect();
            let mut occurs = HashMap::<u64, u32>::new();
            for number in &numbers {
                *occurs.entry(*number).or_default() += 1;
            }
            let again = occurs.into_iter().filter(|(_, times)| *times > 1);
            let expected: HashSet<u64> = again.map(|(number, _)| number).collect();
            assert_eq!(repeated(numbers), expected, "{count}");
            assert!(count < 1_000 || !expected.is_empty());
        }
        assert_eq!(repeated(vec![0, u64::MAX, 0]), HashSet::from([0]));
    }
}
