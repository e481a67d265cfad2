//! Writes a tree as a file of our format, node by node, and the id map that belongs to it.

mod details;
mod names;
mod node;
mod relations;
mod text;

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::io::{self, BufWriter, Write};
use std::ops::Range;

use serde::Serialize;
use taxonomy_model::Looks;

use crate::concept::{ConceptRef, NodeKind};
use crate::graph::StatementKind;
use crate::ids::{IdMap, IdRow};
use crate::options::Choices;
use crate::report::{Code, ImportReport};
use crate::tree::{ConceptTree, IdCounts};
use details::Details;
use names::Name;
use node::NodeWriter;

/// The bytes that are collected before they are passed on.
const BUFFER: usize = 64 << 10;
const FULL_ID_MAP: &str = "the texts of the id map are too many";

/// A written import.
#[derive(Debug)]
pub struct WrittenImport {
    /// The findings from the first file on. Where it is not accepted, the output is no file of our format.
    pub report: ImportReport,
    /// The ids for the next release.
    pub ids: IdMap,
    /// The numbers of nodes, names and ids in the file.
    pub counts: ImportCounts,
    /// The choices that the id map keeps.
    pub choices: Choices,
}

/// The numbers of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportCounts {
    /// Concepts of the source.
    pub concepts: u64,
    /// Categories.
    pub categories: u64,
    /// Categories without terms.
    #[serde(rename = "emptyCategories")]
    pub empty_categories: u64,
    /// Terms.
    pub terms: u64,
    /// Preferred names, of all cultures.
    pub names: u64,
    /// Ids.
    pub ids: IdCounts,
}

/// A node without the nodes below it.
#[derive(Serialize)]
struct NodeHead<'a> {
    id: u64,
    names: Vec<Name<'a>>,
    #[serde(flatten)]
    details: Details<'a>,
}

impl ConceptTree {
    /// Writes the file, and reports the issues of its texts.
    ///
    /// # Errors
    /// An I/O error of `out`.
    pub fn write(self, out: impl Write) -> io::Result<WrittenImport> {
        let mut nodes: Vec<ConceptRef> = self.nodes().all().collect();
        nodes.sort_by_key(|node| (self.nodes().get(*node).parent, self.nodes().get(*node).id));
        let mut writer = Writer {
            out: BufWriter::with_capacity(BUFFER, out),
            tree: self,
            nodes,
            ids: IdMap::default(),
            counts: ImportCounts::default(),
            repeated: 0,
            siblings: HashSet::new(),
            hasher: RandomState::new(),
        };
        writer.file()?;
        writer.finish()
    }
}

struct Writer<W: Write> {
    out: BufWriter<W>,
    tree: ConceptTree,
    /// Every node: the categories by id, then the nodes right below each node by id.
    nodes: Vec<ConceptRef>,
    ids: IdMap,
    counts: ImportCounts,
    /// Alternative names that are the preferred one of their culture.
    repeated: u64,
    siblings: HashSet<u64>,
    hasher: RandomState,
}

impl<W: Write> Writer<W> {
    fn file(&mut self) -> io::Result<()> {
        self.out.write_all(br#"{"defaultCulture":"#)?;
        serde_json::to_writer(&mut self.out, self.tree.graph.default_culture())?;
        self.out.write_all(br#","categories":["#)?;
        self.list(self.below(None))?;
        self.out.write_all(b"]}\n")
    }

    /// The positions of the nodes right below a node; of the categories below none.
    fn below(&self, parent: Option<ConceptRef>) -> Range<usize> {
        let parent_of = |node: &ConceptRef| self.tree.nodes().get(*node).parent;
        let first = self.nodes.partition_point(|node| parent_of(node) < parent);
        let end = self.nodes.partition_point(|node| parent_of(node) <= parent);
        first..end
    }

    /// Calls itself for each level; a term lies at most 32 deep.
    fn list(&mut self, positions: Range<usize>) -> io::Result<()> {
        for position in positions.clone() {
            let node = self.nodes[position];
            let is_first = position == positions.start;
            self.out.write_all(if is_first { b"\n" } else { b",\n" })?;
            let head = self.head(node)?;
            let below = self.below(Some(node));
            if below.is_empty() {
                let is_category = self.tree.nodes().is(node, NodeKind::Category);
                self.counts.empty_categories += u64::from(is_category);
                self.out.write_all(&head)?;
            } else {
                // The object is closed behind its list.
                self.out.write_all(head.strip_suffix(b"}").unwrap_or(&head))?;
                self.out.write_all(match self.tree.nodes().get(node).kind {
                    Some(NodeKind::Category) => br#","terms":["#,
                    _ => br#","children":["#,
                })?;
                self.list(below)?;
                self.out.write_all(b"]}")?;
            }
        }
        Ok(())
    }

    /// The JSON of a node without the nodes below it; its issues are reported, and its id is noted.
    fn head(&mut self, node: ConceptRef) -> io::Result<Vec<u8>> {
        let tree = &self.tree;
        let mut writer = NodeWriter::new(tree, node);
        let names = writer.names();
        let details = writer.details(&names.alternative);
        let mut issues = writer.issues;
        self.repeated += writer.repeated;
        self.counts.names += names.preferred.len() as u64;
        match tree.nodes().get(node).kind {
            Some(NodeKind::Category) => self.counts.categories += 1,
            _ => self.counts.terms += 1,
        }
        let default = names.default;
        let above = tree.nodes().get(node).parent;
        if !self
            .siblings
            .insert(self.hasher.hash_one((above, Looks::new(&default))))
        {
            let message = format!("readers see a sibling called {default:?} as well");
            issues.push((Code::DuplicateName, message));
        }
        let head = NodeHead {
            id: tree.nodes().get(node).id,
            names: names.preferred,
            details,
        };
        let json = serde_json::to_vec(&head)?;
        if !self.record_id(node, &default) {
            issues.push((Code::TooLarge, FULL_ID_MAP.to_owned()));
        }
        for (code, message) in issues {
            self.tree.graph.issue_of(code, node, message);
        }
        Ok(json)
    }

    /// Adds a node to the id map. Returns false if the map is full.
    fn record_id(&mut self, node: ConceptRef, name: &str) -> bool {
        let tree = &self.tree;
        let found = tree.nodes().get(node);
        let replaced_by = match tree.is_merged(node) {
            true => replaced_by_keys(tree, node),
            false => String::new(),
        };
        let row = IdRow {
            kind: found.kind.unwrap_or(NodeKind::Term),
            key: tree.graph.key(node),
            id: found.id,
            parent: found.parent.map_or("", |parent| tree.graph.key(parent)),
            name,
            replaced_by: &replaced_by,
        };
        self.ids.push(0, &row).is_some()
    }

    fn finish(mut self) -> io::Result<WrittenImport> {
        self.out.flush()?;
        let Self {
            mut tree,
            mut ids,
            mut counts,
            repeated,
            ..
        } = self;
        if repeated > 0 {
            let message = format_args!("alternative names left out: {repeated}");
            tree.graph.report.add_unplaced(Code::RepeatedName, None, message);
        }
        let holders = match tree.old.rows().len() {
            0 => HashMap::new(),
            _ => holders(&tree),
        };
        for row in tree.old.rows() {
            let known = tree.graph.known(row.key);
            if known.is_some_and(|concept| tree.nodes().is(concept, row.kind)) {
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
            if ids.push(0, &kept).is_none() {
                tree.graph.report.add_unplaced(Code::TooLarge, None, FULL_ID_MAP);
                break;
            }
        }
        let mut report = tree.graph.report;
        ids.finish("the id map", &mut report);
        let choices = tree.decided.choices;
        ids.categories = Some(choices.categories);
        ids.default_culture = Some(choices.default_culture.clone());
        counts.ids = tree.decided.counts;
        counts.concepts = tree.decided.concepts;
        Ok(WrittenImport {
            report,
            ids,
            counts,
            choices,
        })
    }
}

/// The keys that replaced a concept, as the id map has them.
fn replaced_by_keys(tree: &ConceptTree, concept: ConceptRef) -> String {
    let others = tree.graph.others(concept, &[StatementKind::ReplacedBy]);
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
    let holder = |concept| {
        let node = tree.nodes().get(concept);
        Some(((node.kind?, node.id), concept))
    };
    tree.nodes().all().filter_map(holder).collect()
}
