//! From concepts to categories and terms: one parent each, no cycles, an id each. The rules are those of docs/decisions/0022-import.md.

mod assign;
mod chains;
mod nodes;
mod parents;
mod place;
mod replace;
mod schemes;

use taxonomy_model::Limits;

use crate::concept::{ConceptRef, NodeKind, SourcePlace};
use crate::graph::{Graph, StatementKind, Stop};
use crate::ids::{IdMap, ONE};
use crate::options::{Categories, Choices, ChosenBy};
use crate::replaced::Replacements;
use crate::report::{Code, ImportReport};
use crate::sources::{skos, table};
use nodes::{MAX_DEPTH, Nodes};
pub(crate) use replace::other_kind;
use schemes::Schemes;

/// The categories and terms of a source.
#[derive(Debug)]
pub struct ConceptTree {
    pub(crate) graph: Graph,
    pub(crate) old: IdMap,
    pub(crate) decided: Decided,
}

/// What was decided about the concepts of a source.
#[derive(Debug)]
pub(crate) struct Decided {
    pub(crate) nodes: Nodes,
    /// Concepts that are gone, and stay with their replacement, ascending.
    pub(crate) merged: Vec<ConceptRef>,
    pub(crate) counts: IdCounts,
    /// Concepts that the source describes.
    pub(crate) concepts: u64,
    pub(crate) choices: Choices,
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
    /// Makes a tree of a source. `old` is the id map of the last import, an empty one before the first; without a map every key must be an id.
    ///
    /// # Errors
    /// The report, where the source is refused.
    pub fn new(
        mut graph: Graph,
        old: Option<IdMap>,
        replacements: &Replacements,
        limits: Limits,
    ) -> Result<Self, Box<ImportReport>> {
        let has_id_map = old.is_some();
        let old = old.unwrap_or_default();
        match decide(&mut graph, &old, has_id_map, replacements, limits) {
            Ok(decided) if graph.report.accepted() => Ok(Self { graph, old, decided }),
            _ => Err(Box::new(graph.report)),
        }
    }

    /// The decisions about each concept.
    pub(crate) fn nodes(&self) -> &Nodes {
        &self.decided.nodes
    }

    /// The concepts that replace a node: of one that is gone, those to which its replacements lead.
    pub(crate) fn replacements(&self, node: ConceptRef) -> Vec<ConceptRef> {
        let nodes = self.nodes();
        if self.is_merged(node) {
            let kind = nodes.get(node).kind;
            let is_end = |end: ConceptRef| self.graph.is_declared(end) && nodes.get(end).kind == kind;
            return chains::ends(&self.graph, node, is_end).ends;
        }
        self.graph.others(node, &[StatementKind::ReplacedBy]).collect()
    }

    /// Returns true if a node is gone, and stays with its replacement.
    pub(crate) fn is_merged(&self, node: ConceptRef) -> bool {
        self.decided.merged.binary_search(&node).is_ok()
    }
}

fn decide(
    graph: &mut Graph,
    old: &IdMap,
    has_id_map: bool,
    replacements: &Replacements,
    limits: Limits,
) -> Result<Decided, Stop> {
    if graph.has_path_keys {
        let message = "keys are the paths of names";
        graph.report.add_unplaced(Code::KeysArePaths, None, message);
    }
    skos::state_deferred(graph)?;
    table::finish(graph)?;
    let concepts = graph.declared().count() as u64;
    let default_culture_by = graph.choose_default_culture(old.default_culture.as_ref());
    if concepts == 0 && graph.report.accepted() {
        let message = "the source describes no concept";
        return Err(graph.refuse(Code::NoConcepts, SourcePlace::UNKNOWN, message));
    }
    replace::state(graph, old, replacements)?;
    if old.get(ONE).is_some() {
        place::one_category(graph, old)?;
    }
    let (mut nodes, (categories, categories_by)) = arrange(graph, old)?;
    choose_kinds(graph, old, &mut nodes);
    check_depth(graph, &nodes);
    let assigned = assign::assign(graph, old, &mut nodes);
    let mut counts = assigned.counts;
    if let Some(first) = assigned.first_made_up.filter(|_| !has_id_map) {
        let (made_up, all) = (assigned.made_up, counts.new);
        let message = format!("{made_up} of {all} new keys are not ids; this is the first");
        graph.issue_of(Code::IdsNotKept, first, message);
    }
    let mut merged = replace::keep_merged(graph, old, &mut nodes, &mut counts)?;
    merged.sort_unstable();
    if let Some(first) = nodes.all().nth(limits.nodes) {
        let (count, most) = (nodes.all().count(), limits.nodes);
        let message =
            format_args!("the first of {count} categories and terms that is too many: {most} are taken");
        graph.issue_of(Code::TooManyNodes, first, message);
        return Err(Stop::Refused);
    }
    Ok(Decided {
        nodes,
        merged,
        counts,
        concepts,
        choices: Choices {
            categories,
            categories_by,
            default_culture: graph.default_culture().clone(),
            default_culture_by,
        },
    })
}

/// Chooses the categories, and a parent for each concept that is none.
fn arrange(graph: &mut Graph, old: &IdMap) -> Result<(Nodes, (Categories, ChosenBy)), Stop> {
    let mut nodes = Nodes::with_room(graph.concept_count());
    let schemes = Schemes::new(graph);
    let declares_its_own = graph.declared().any(|concept| graph.own_kind(concept).is_some());
    let by_source = match (declares_its_own, graph.is_unordered && schemes.count() > 1) {
        (true, _) => Some(Categories::Tops),
        (false, true) => Some(Categories::Schemes),
        (false, false) => None,
    };
    let chosen = [
        (graph.options.categories, ChosenBy::Option),
        (old.categories, ChosenBy::IdMap),
        (by_source, ChosenBy::Source),
    ];
    let choice = chosen.into_iter().find_map(|(choice, by)| Some((choice?, by)));
    let joins = schemes.count() > 1 && matches!(choice, Some((Categories::Schemes, _)));
    parents::choose(graph, old, &mut nodes, joins.then_some(&schemes));
    parents::cut_cycles(graph, &mut nodes);
    if joins {
        schemes.part(graph, old, &mut nodes);
    }
    let choice = choice.unwrap_or_else(|| (place::choose(graph, old, &nodes, &schemes), ChosenBy::Source));
    place::place(graph, old, &mut nodes, (choice.0, &schemes))?;
    schemes.report_lost(graph, &nodes);
    Ok((nodes, choice))
}

/// Makes terms of the concepts with a parent, and categories of the others. A scheme that was a category stays one.
fn choose_kinds(graph: &mut Graph, old: &IdMap, nodes: &mut Nodes) {
    for concept in graph.all() {
        if !graph.is_declared(concept) {
            let key = graph.key(concept);
            let was_category = key != ONE && old.get(key).is_some_and(|row| row.kind == NodeKind::Category);
            if was_category && graph.has(concept, StatementKind::Scheme) {
                nodes.get_mut(concept).kind = Some(NodeKind::Category);
            }
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
    let mut depths = vec![0_u32; graph.concept_count()];
    for concept in nodes.top_down(graph) {
        if let Some(parent) = nodes.get(concept).parent {
            let depth = depths[parent.at()].saturating_add(1);
            depths[concept.at()] = depth;
            if depth == MAX_DEPTH + 1 {
                let message = format_args!("lies deeper than {MAX_DEPTH} levels");
                graph.issue_of(Code::DepthExceeded, concept, message);
            }
        }
    }
}
