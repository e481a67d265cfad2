//! Writes a tree as a file of our format, node by node, and the id map that belongs to it.

mod details;
mod names;
mod relations;
mod text;
mod value;

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use taxonomy_model::{Deprecation, Relation};

use crate::concept::{ConceptRef, NodeKind, SourcePlace};
use crate::graph::RowKind;
use crate::ids::{IdMap, IdRow};
use crate::report::{Code, ImportReport};
use crate::tree::{ConceptTree, IdCounts, NONE};
use details::{Details, MetadataValue};
use names::{Name, Names};
use value::{Issues, Value, made};

/// The bytes that are collected before they are passed on.
const BUFFER: usize = 64 << 10;

/// A written import.
#[derive(Debug)]
pub struct WrittenImport {
    /// The findings from the first file on. Where it is not accepted, the output is no file of our format.
    pub report: ImportReport,
    /// The ids for the next release.
    pub ids: IdMap,
    /// The numbers of nodes, names and ids in the file.
    pub counts: ImportCounts,
}

/// The numbers of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportCounts {
    /// Concepts of the source.
    pub concepts: u64,
    /// Categories.
    pub categories: u64,
    /// Terms.
    pub terms: u64,
    /// Preferred names, of all cultures.
    pub names: u64,
    /// Ids.
    pub ids: IdCounts,
}

/// A node without the nodes below it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    id: u64,
    names: Vec<Name<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<&'a str>,
    #[serde(skip_serializing_if = "Value::is_empty")]
    alt_names: Value<'a, Vec<Name<'a>>>,
    #[serde(skip_serializing_if = "Value::is_empty")]
    notes: Value<'a, Vec<details::NotesIn<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Value::is_empty")]
    metadata: Value<'a, MetadataValue<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<Deprecation>,
    #[serde(skip_serializing_if = "Value::is_empty")]
    replaced_by: Value<'a, Vec<u64>>,
    #[serde(skip_serializing_if = "Value::is_empty")]
    relations: Value<'a, Vec<Relation>>,
}

impl ConceptTree {
    /// Writes the file, and reports the issues of its texts.
    ///
    /// # Errors
    /// An I/O error of `out`.
    pub fn write(self, out: impl Write) -> io::Result<WrittenImport> {
        let below = Below::new(&self);
        let mut writer = Writer {
            out: BufWriter::with_capacity(BUFFER, out),
            tree: self,
            below,
            ids: IdMap::default(),
            counts: ImportCounts::default(),
            siblings: HashSet::new(),
            hasher: RandomState::new(),
        };
        writer.file()?;
        writer.finish()
    }
}

/// The first child and the next sibling of each node, by id.
struct Below {
    first: Vec<u32>,
    next: Vec<u32>,
    first_category: u32,
}

impl Below {
    fn new(tree: &ConceptTree) -> Self {
        let count = tree.kinds.len();
        let mut nodes: Vec<ConceptRef> = tree.nodes().collect();
        nodes.sort_by_key(|node| tree.ids[node.at()]);
        let mut below = Self {
            first: vec![NONE; count],
            next: vec![NONE; count],
            first_category: NONE,
        };
        // From the last one on, so that lists begin with the lowest id.
        for node in nodes.into_iter().rev() {
            let first = match tree.parents.parent_of(node) {
                Some(parent) => &mut below.first[parent.at()],
                None => &mut below.first_category,
            };
            below.next[node.at()] = std::mem::replace(first, node.0);
        }
        below
    }
}

struct Writer<W: Write> {
    out: BufWriter<W>,
    tree: ConceptTree,
    below: Below,
    ids: IdMap,
    counts: ImportCounts,
    siblings: HashSet<u64>,
    hasher: RandomState,
}

impl<W: Write> Writer<W> {
    fn file(&mut self) -> io::Result<()> {
        self.out.write_all(br#"{"defaultCulture":"#)?;
        serde_json::to_writer(&mut self.out, self.tree.graph.default_culture())?;
        self.out.write_all(br#","categories":["#)?;
        self.list(self.below.first_category)?;
        self.out.write_all(b"]}\n")
    }

    /// Calls itself for each level; a term lies at most 32 deep.
    fn list(&mut self, first: u32) -> io::Result<()> {
        let mut at = first;
        while at != NONE {
            let node = ConceptRef(at);
            self.out.write_all(if at == first { b"\n" } else { b",\n" })?;
            let head = self.head(node)?;
            let below = self.below.first[node.at()];
            if below == NONE {
                self.out.write_all(&head)?;
            } else {
                // The object is closed behind its list.
                self.out.write_all(head.strip_suffix(b"}").unwrap_or(&head))?;
                self.out.write_all(match self.tree.kinds[node.at()] {
                    Some(NodeKind::Category) => br#","terms":["#,
                    _ => br#","children":["#,
                })?;
                self.list(below)?;
                self.out.write_all(b"]}")?;
            }
            at = self.below.next[node.at()];
        }
        Ok(())
    }

    /// The JSON of a node without the nodes below it; its issues are reported, and its id is noted.
    fn head(&mut self, node: ConceptRef) -> io::Result<Vec<u8>> {
        let tree = &self.tree;
        let mut issues = Issues::new();
        let names = Names::new(tree, node, &mut issues);
        let details = Details::new(tree, node, &mut issues);
        let relations = relations::relations(tree, node, &mut issues);
        let replaced_by = relations::replaced_by(tree, node, &mut issues);
        self.counts.names += names.preferred.len() as u64;
        match tree.kinds[node.at()] {
            Some(NodeKind::Category) => self.counts.categories += 1,
            _ => self.counts.terms += 1,
        }
        let default = names.default_name();
        let above = tree.parents.parent_of(node).map_or(NONE, |parent| parent.0);
        if !self
            .siblings
            .insert(self.hasher.hash_one((above, default.to_lowercase())))
        {
            issues.push((
                Code::DuplicateName,
                format!("a sibling is called {default:?} as well"),
            ));
        }
        let head = Head {
            id: tree.ids[node.at()],
            names: names.preferred,
            notation: details.notation,
            alt_names: details
                .alt_names
                .map_or_else(|| made(names.alternative), Value::Exact),
            notes: details.notes,
            sort_key: details.sort_key,
            metadata: details.metadata,
            deprecated: details.deprecated,
            deprecation: details.deprecation,
            replaced_by,
            relations,
        };
        let json = serde_json::to_vec(&head)?;
        if !self.record_id(node, &default) {
            issues.push((Code::TooLarge, "the texts of the id map are too many".to_owned()));
        }
        for (code, message) in issues {
            self.tree.graph.issue_of(code, node, || message);
        }
        Ok(json)
    }

    /// Adds a node to the id map. Returns false if the map is full.
    fn record_id(&mut self, node: ConceptRef, name: &str) -> bool {
        let tree = &self.tree;
        let parent = tree.parents.parent_of(node);
        let replaced_by = match tree.merged.binary_search(&node) {
            Ok(_) => replaced_by_keys(tree, node),
            Err(_) => String::new(),
        };
        let row = IdRow {
            kind: tree.kinds[node.at()].unwrap_or(NodeKind::Term),
            key: tree.graph.key(node),
            id: tree.ids[node.at()],
            parent: parent.map_or("", |parent| tree.graph.key(parent)),
            name,
            replaced_by: &replaced_by,
        };
        self.ids.push(&row).is_some()
    }

    fn finish(mut self) -> io::Result<WrittenImport> {
        self.out.flush()?;
        let Self {
            mut tree,
            mut ids,
            mut counts,
            ..
        } = self;
        let holders = match tree.old.rows().len() {
            0 => HashMap::new(),
            _ => holders(&tree),
        };
        for row in tree.old.rows() {
            let known = tree.graph.known_as(row.kind, row.key);
            let is_there = known.is_some_and(|concept| {
                let kind = tree.kinds.get(concept.at()).copied().flatten();
                kind == Some(row.kind)
            });
            if is_there {
                continue;
            }
            let stated = match known {
                Some(concept) => replaced_by_keys(&tree, concept),
                None => row.replaced_by.to_owned(),
            };
            // A former key that is back took its id from the key that replaced it.
            let replaced_by = match holders.get(&(row.kind, row.id)) {
                Some(holder) if stated.is_empty() => list_of(&[tree.graph.key(*holder)]),
                _ => stated,
            };
            let kept = IdRow {
                replaced_by: &replaced_by,
                ..row
            };
            if ids.push(&kept).is_none() {
                let message = || "the texts of the id map are too many".to_owned();
                tree.graph
                    .report
                    .add(Code::TooLarge, None, SourcePlace::UNKNOWN, None, message);
                break;
            }
        }
        let mut report = tree.graph.report;
        ids.finish("the id map", &mut report);
        counts.ids = tree.counts;
        counts.concepts = tree.concepts;
        Ok(WrittenImport { report, ids, counts })
    }
}

/// The keys that replaced a concept, as the id map has them.
fn replaced_by_keys(tree: &ConceptTree, concept: ConceptRef) -> String {
    let others = tree.graph.others(concept, &[RowKind::ReplacedBy]);
    let mut keys: Vec<&str> = others.map(|other| tree.graph.key(other)).collect();
    keys.sort_unstable();
    keys.dedup();
    list_of(&keys)
}

/// A list of keys in an id map.
fn list_of(keys: &[&str]) -> String {
    match keys.is_empty() {
        true => String::new(),
        // A list of texts always serializes.
        false => serde_json::to_string(&keys).unwrap_or_default(),
    }
}

/// The node of each id.
fn holders(tree: &ConceptTree) -> HashMap<(NodeKind, u64), ConceptRef> {
    let holder = |node: ConceptRef| Some(((tree.kinds[node.at()]?, tree.ids[node.at()]), node));
    tree.nodes().filter_map(holder).collect()
}
