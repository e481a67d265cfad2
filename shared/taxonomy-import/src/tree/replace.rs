//! Concepts that were replaced: renumbered, merged, split.

use std::collections::{HashMap, HashSet};

use crate::concept::{ConceptRef, NodeKind, SourcePlace, Statement};
use crate::graph::{Graph, StatementKind, Stop};
use crate::ids::{IdMap, IdRow};
use crate::replaced::Replacements;
use crate::report::Code;
use crate::sources::SEPARATOR;

use super::IdCounts;
use super::chains::{Ends, ends, is_alias, last_parent};
use super::nodes::{Node, Nodes};

/// Adds the replacements of the id map and of the file of replacements to the statements of the source.
pub(super) fn state(graph: &mut Graph, old: &IdMap, replacements: &Replacements) -> Result<(), Stop> {
    let mut links = StatedReplacements::default();
    for (old_key, new_key) in &replacements.pairs {
        links.add(graph, old_key, new_key)?;
    }
    let aliases = std::mem::take(&mut graph.aliases);
    for row in old.rows() {
        let known = graph.known(row.key);
        if known.is_some_and(|concept| graph.is_declared(concept)) {
            continue;
        }
        for key in row.replaced_by_keys() {
            links.add(graph, row.key, &key)?;
        }
        // A key that is another name of a concept by now.
        if let Some(concept) = aliases.get(row.key).filter(|_| row.replaced_by.is_empty()) {
            let key = graph.key(*concept).to_owned();
            links.add(graph, row.key, &key)?;
        }
    }
    if graph.has_path_keys {
        state_paths(graph, old, replacements, &mut links)?;
    }
    Ok(())
}

/// The replacements that are stated, of each concept that another one is added to.
#[derive(Default)]
struct StatedReplacements(HashMap<ConceptRef, HashSet<ConceptRef>>);

impl StatedReplacements {
    /// States a replacement, unless it is stated.
    fn add(&mut self, graph: &mut Graph, old: &str, new: &str) -> Result<(), Stop> {
        let (old, new) = (graph.concept(old)?, graph.concept(new)?);
        let stated = self.0.entry(old);
        let stated = stated.or_insert_with(|| graph.others(old, &[StatementKind::ReplacedBy]).collect());
        match stated.insert(new) {
            true => graph.state(old, Statement::ReplacedBy(new), SourcePlace::UNKNOWN),
            false => Ok(()),
        }
    }
}

/// A path that was replaced takes along the paths below it.
fn state_paths(
    graph: &mut Graph,
    old: &IdMap,
    replacements: &Replacements,
    links: &mut StatedReplacements,
) -> Result<(), Stop> {
    let pairs: HashMap<&str, &str> = replacements
        .pairs
        .iter()
        .map(|(old, new)| (old.as_str(), new.as_str()))
        .collect();
    if pairs.is_empty() {
        return Ok(());
    }
    for row in old.rows() {
        let known = graph.known(row.key);
        if pairs.contains_key(row.key) || known.is_some_and(|concept| graph.is_declared(concept)) {
            continue;
        }
        let ends = row.key.rmatch_indices(SEPARATOR);
        let found = ends
            .map(|(end, _)| row.key.split_at(end))
            .find_map(|(above, below)| Some([*pairs.get(above)?, below].concat()));
        if let Some(new) = found.filter(|new| graph.known(new).is_some()) {
            links.add(graph, row.key, &new)?;
        }
    }
    Ok(())
}

/// Adds the concepts that are gone and were replaced: they stay, deprecated, with their replacements.
pub(super) fn keep_merged(
    graph: &mut Graph,
    old: &IdMap,
    nodes: &mut Nodes,
    counts: &mut IdCounts,
) -> Result<Vec<ConceptRef>, Stop> {
    let mut merged = Vec::new();
    for kind in [NodeKind::Category, NodeKind::Term] {
        let mut used: HashSet<u64> = nodes.of_kind(kind).map(|node| nodes.get(node).id).collect();
        for row in old.rows().filter(|row| row.kind == kind) {
            let known = graph.known(row.key);
            if known.is_some_and(|concept| nodes.is(concept, kind)) || used.contains(&row.id) {
                continue;
            }
            let is_end = |end: ConceptRef| graph.is_declared(end) && nodes.is(end, kind);
            let found = known
                .map(|concept| ends(graph, concept, is_end))
                .unwrap_or_default();
            report_ends(graph, nodes, &row, &found);
            if found.ends.is_empty() {
                counts.gone += 1;
                report_gone(graph, old, &row);
                continue;
            }
            if is_alias(graph, old, &row, |_| true) {
                continue;
            }
            used.insert(row.id);
            counts.merged += 1;
            let concept = keep(graph, &row, &found)?;
            // It is no parent, so no cycle arises.
            let last = last_parent(graph, old, concept)
                .filter(|above| nodes.get(*above).kind.is_some() && nodes.have_room_below(*above));
            let parent = last.or_else(|| nodes.get(*found.ends.first()?).parent);
            *nodes.get_mut(concept) = Node {
                kind: Some(kind),
                parent,
                id: row.id,
            };
            merged.push(concept);
        }
    }
    Ok(merged)
}

fn keep(graph: &mut Graph, row: &IdRow<'_>, found: &Ends) -> Result<ConceptRef, Stop> {
    let concept = graph.concept(row.key)?;
    graph.name(concept, row.name)?;
    graph.state(concept, Statement::Deprecated, SourcePlace::UNKNOWN)?;
    let (keys, id) = (keys(graph, &found.ends), row.id);
    let message = format_args!("the id {id} is replaced by {keys}");
    graph.issue_of(Code::Merged, concept, message);
    Ok(concept)
}

fn keys(graph: &Graph, concepts: &[ConceptRef]) -> String {
    let keys: Vec<&str> = concepts.iter().map(|concept| graph.key(*concept)).collect();
    keys.join(", ")
}

fn report_ends(graph: &mut Graph, nodes: &Nodes, row: &IdRow<'_>, found: &Ends) {
    if found.is_circle {
        let code = Code::UnusableReplacement;
        graph
            .report
            .add_unplaced(code, Some(row.key), "is replaced in a circle");
    }
    for unknown in &found.unknown {
        let key = graph.key(*unknown).to_owned();
        if key == row.key {
            continue;
        }
        let (code, reason) = match nodes.get(*unknown).kind {
            Some(kind) => (Code::UnusableReplacement, other_kind(row.kind, kind)),
            None => (Code::UnknownReplacement, String::new()),
        };
        let message = format_args!("is replaced by {key}{reason}");
        graph.report.add_unplaced(code, Some(row.key), message);
    }
}

/// The reason for which a node of one kind is not replaced by one of another.
pub(crate) fn other_kind(kind: NodeKind, other: NodeKind) -> String {
    format!(", which is a {}, and it is a {}", other.as_str(), kind.as_str())
}

fn report_gone(graph: &mut Graph, old: &IdMap, row: &IdRow<'_>) {
    if let Some(twin) = twin(graph, old, row.key) {
        graph.issue_of(Code::HttpOrHttps, twin, format_args!("was {} before", row.key));
        return;
    }
    let message = format_args!("the {} {} is no longer there", row.kind.as_str(), row.id);
    graph.report.add_unplaced(Code::Gone, Some(row.key), message);
}

/// The new concept or scheme whose IRI differs from a key in http and https alone.
fn twin(graph: &Graph, old: &IdMap, key: &str) -> Option<ConceptRef> {
    let twin = match key.split_once("://")? {
        ("http", rest) => format!("https://{rest}"),
        ("https", rest) => format!("http://{rest}"),
        _ => return None,
    };
    let known = graph.known(&twin).filter(|_| old.get(&twin).is_none());
    known.filter(|concept| graph.is_described(*concept))
}
