//! From concepts to categories and terms: one parent each, no cycles, an id each. The rules are those of docs/decisions/0022-import.md.

mod assign;
mod chains;
mod nodes;
mod parents;
mod replace;

use taxonomy_model::Limits;

use crate::concept::{ConceptRef, NodeKind, SourcePlace};
use crate::graph::{Graph, StatementKind, Stop};
use crate::ids::IdMap;
use crate::options::{Categories, ImportOptions};
use crate::replaced::Replacements;
use crate::report::{Code, ImportReport};
use crate::sources::skos;
use nodes::{MAX_DEPTH, Nodes};
use parents::scheme_of;

/// The categories and terms of a source.
#[derive(Debug)]
pub struct ConceptTree {
    pub(crate) graph: Graph,
    pub(crate) options: ImportOptions,
    pub(crate) nodes: Nodes,
    /// Concepts that are gone, and stay with their replacement.
    pub(crate) merged: Vec<ConceptRef>,
    pub(crate) counts: IdCounts,
    /// Concepts that the source describes.
    pub(crate) concepts: u64,
    pub(crate) old: IdMap,
}

/// The numbers of ids that were kept, given and passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct IdCounts {
    /// Of keys that the id map has.
    pub kept: u64,
    /// Given for the first time.
    pub new: u64,
    /// Passed on to another key.
    pub renumbered: u64,
    /// Of concepts that are gone, and stay with their replacement.
    pub merged: u64,
    /// Of concepts that are gone.
    pub gone: u64,
}

impl ConceptTree {
    /// Makes a tree of a source.
    ///
    /// # Errors
    /// The report, where the source is refused.
    pub fn new(
        mut graph: Graph,
        options: &ImportOptions,
        old: Option<IdMap>,
        replacements: &Replacements,
        limits: Limits,
    ) -> Result<Self, Box<ImportReport>> {
        if old.is_none() {
            graph.report.add_unplaced(Code::IdsNotKept, None, "");
        }
        if graph.has_path_keys {
            let message = "keys are the paths of names";
            graph.report.add_unplaced(Code::KeysArePaths, None, message);
        }
        let mut tree = Self {
            concepts: graph.declared().count() as u64,
            options: options.clone(),
            nodes: Nodes::with_room(graph.concept_count()),
            graph,
            merged: Vec::new(),
            counts: IdCounts::default(),
            old: old.unwrap_or_default(),
        };
        match tree.build(replacements, limits) {
            Ok(()) if tree.graph.report.accepted() => Ok(tree),
            _ => Err(Box::new(tree.graph.report)),
        }
    }

    /// The concepts that replace a node: of one that is gone, those to which its replacements lead.
    pub(crate) fn replacements(&self, node: ConceptRef) -> Vec<ConceptRef> {
        if self.merged.binary_search(&node).is_ok() {
            let kind = self.nodes.get(node).kind;
            let is_end = |end: ConceptRef| self.graph.is_declared(end) && self.nodes.get(end).kind == kind;
            return chains::ends(&self.graph, node, is_end).ends;
        }
        self.graph.others(node, &[StatementKind::ReplacedBy]).collect()
    }

    fn build(&mut self, replacements: &Replacements, limits: Limits) -> Result<(), Stop> {
        let Self {
            graph,
            options,
            nodes,
            merged,
            counts,
            old,
            ..
        } = self;
        skos::state_deferred(graph)?;
        if graph.declared().next().is_none() && graph.report.accepted() {
            let message = "the source describes no concept";
            return Err(graph.refuse(Code::NoConcepts, SourcePlace::UNKNOWN, message));
        }
        replace::state(graph, old, replacements)?;
        if options.categories == Categories::One {
            add_one_category(graph, options)?;
        }
        parents::choose(graph, old, nodes);
        parents::cut_cycles(graph, nodes);
        if options.categories != Categories::Tops {
            place_tops(graph, options, old, nodes);
            // A scheme can be a concept too, in a scheme or below a concept.
            parents::cut_cycles(graph, nodes);
        }
        choose_kinds(graph, nodes);
        check_depth(graph, nodes);
        *counts = assign::assign(graph, old, nodes);
        *merged = replace::keep_merged(graph, old, nodes, counts)?;
        merged.sort_unstable();
        match nodes.all().nth(limits.nodes) {
            None => Ok(()),
            Some(first) => {
                let (count, most) = (nodes.all().count(), limits.nodes);
                let message = format_args!(
                    "the first of {count} categories and terms that is too many: {most} are taken"
                );
                graph.issue_of(Code::TooManyNodes, first, message);
                Err(Stop::Refused)
            }
        }
    }
}

/// Adds the one category, which the source does not name.
fn add_one_category(graph: &mut Graph, options: &ImportOptions) -> Result<(), Stop> {
    let one = graph.add_one()?;
    let scheme = options.scheme.clone().or_else(|| graph.scheme.clone());
    let name = match options.category_name.as_str() {
        "" => scheme.unwrap_or_default(),
        name => name.to_owned(),
    };
    graph.name(one, &name)
}

/// Puts concepts without a parent where the options want them.
fn place_tops(graph: &Graph, options: &ImportOptions, old: &IdMap, nodes: &mut Nodes) {
    for concept in graph.all() {
        let is_top = graph.is_declared(concept) && nodes.get(concept).parent.is_none();
        if !is_top || graph.own_kind(concept) == Some(NodeKind::Category) {
            continue;
        }
        let above = match options.categories {
            Categories::Tops => None,
            Categories::One => graph.one,
            Categories::Schemes => scheme_of(graph, old, concept),
        };
        nodes.get_mut(concept).parent = above;
        if let Some(above) = above {
            nodes.get_mut(above).kind = Some(NodeKind::Category);
        }
    }
}

/// Makes terms of the concepts with a parent, and categories of the others.
fn choose_kinds(graph: &mut Graph, nodes: &mut Nodes) {
    for concept in graph.all() {
        if !graph.is_declared(concept) {
            continue;
        }
        let kind = match nodes.get(concept).parent {
            Some(_) => NodeKind::Term,
            None => NodeKind::Category,
        };
        nodes.get_mut(concept).kind = Some(kind);
        if kind == NodeKind::Category && graph.own_kind(concept) == Some(NodeKind::Term) {
            graph.issue_of(Code::InvalidField, concept, "a term has no category");
        }
    }
}

/// Reports each term that is the first one too deep of its branch.
fn check_depth(graph: &mut Graph, nodes: &Nodes) {
    let mut depths: Vec<Option<u32>> = vec![None; graph.concept_count()];
    let mut open = Vec::new();
    for concept in graph.all() {
        let mut next = Some(concept);
        while let Some(at) = next.filter(|at| depths[at.at()].is_none()) {
            open.push(at);
            next = nodes.get(at).parent;
        }
        while let Some(at) = open.pop() {
            let above = nodes.get(at).parent.and_then(|parent| depths[parent.at()]);
            let depth = above.map_or(0, |above| above.saturating_add(1));
            depths[at.at()] = Some(depth);
            if depth == MAX_DEPTH + 1 {
                let message = format_args!("lies deeper than {MAX_DEPTH} levels");
                graph.issue_of(Code::DepthExceeded, at, message);
            }
        }
    }
}
