//! From concepts to categories and terms: one parent each, no cycles, an id each. The rules are those of docs/decisions/0022-import.md.

mod assign;
mod chains;
mod counts;
mod order;
mod parents;
mod replace;

use taxonomy_model::Limits;

use crate::concept::{ConceptRef, NodeKind, SourcePlace, Statement};
use crate::graph::{Graph, RowKind, Stop};
use crate::ids::IdMap;
use crate::options::{Categories, ImportOptions};
use crate::replaced::Replacements;
use crate::report::{Code, ImportReport};
use crate::sources::skos;
pub use counts::IdCounts;
pub(crate) use parents::NONE;
use parents::{MAX_DEPTH, Parents, scheme_of};

/// The categories and terms of a source.
#[derive(Debug)]
pub struct ConceptTree {
    pub(crate) graph: Graph,
    pub(crate) options: ImportOptions,
    /// By concept: the kind that it becomes.
    pub(crate) kinds: Vec<Option<NodeKind>>,
    /// By concept: its parent in the tree, and all others.
    pub(crate) parents: Parents,
    pub(crate) ids: Vec<u64>,
    /// Concepts that are gone, and stay with their replacement.
    pub(crate) merged: Vec<ConceptRef>,
    pub(crate) counts: IdCounts,
    /// Concepts that the source describes.
    pub(crate) concepts: u64,
    pub(crate) old: IdMap,
}

/// The decisions about the concepts.
struct Nodes {
    kinds: Vec<Option<NodeKind>>,
    parents: Parents,
    ids: Vec<u64>,
    merged: Vec<ConceptRef>,
    counts: IdCounts,
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
            graph
                .report
                .add(Code::IdsNotKept, None, SourcePlace::UNKNOWN, None, String::new);
        }
        if graph.has_path_keys {
            let message = || "keys are the paths of names".to_owned();
            graph
                .report
                .add(Code::KeysArePaths, None, SourcePlace::UNKNOWN, None, message);
        }
        let old = old.unwrap_or_default();
        let concepts = graph.declared().count() as u64;
        match Self::build(&mut graph, options, &old, replacements, limits) {
            Ok(nodes) if graph.report.accepted() => Ok(Self {
                graph,
                options: options.clone(),
                kinds: nodes.kinds,
                parents: nodes.parents,
                ids: nodes.ids,
                merged: nodes.merged,
                counts: nodes.counts,
                concepts,
                old,
            }),
            _ => Err(Box::new(graph.report)),
        }
    }

    /// Every category and term.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = ConceptRef> {
        self.graph
            .all()
            .filter(|node| self.kinds.get(node.at()).is_some_and(Option::is_some))
    }

    /// The concepts that replace a node: of one that is gone, those to which its replacements lead.
    pub(crate) fn replacements(&self, node: ConceptRef) -> Vec<ConceptRef> {
        if self.merged.binary_search(&node).is_ok() {
            let kind = self.kinds[node.at()];
            let is_end = |end: ConceptRef| {
                self.graph.is_declared(end) && self.kinds.get(end.at()).copied() == Some(kind)
            };
            return chains::ends(&self.graph, node, is_end).ends;
        }
        let rows = self
            .graph
            .rows(node)
            .filter(|row| row.kind == RowKind::ReplacedBy);
        rows.filter_map(|row| self.graph.other(row)).collect()
    }

    fn build(
        graph: &mut Graph,
        options: &ImportOptions,
        old: &IdMap,
        replacements: &Replacements,
        limits: Limits,
    ) -> Result<Nodes, Stop> {
        skos::state_deferred(graph)?;
        if graph.declared().next().is_none() && graph.report.accepted() {
            let refuse = || "the source describes no concept".to_owned();
            return Err(graph.refuse(Code::NoConcepts, SourcePlace::UNKNOWN, refuse));
        }
        replace::state(graph, old, replacements)?;
        let one = one_category(graph, options)?;
        let own = own_kinds(graph);
        let mut parents = Parents::new(graph, &own, old);
        parents.cut_cycles(graph);
        let mut kinds = place_tops(graph, options, old, &own, one, &mut parents);
        check_depth(graph, &kinds, &parents);
        let (mut ids, mut counts) = assign::assign(graph, old, &kinds);
        let mut merged = replace::keep_merged(graph, old, &mut kinds, &mut parents, &mut ids, &mut counts)?;
        merged.sort_unstable();
        let nodes = kinds.iter().flatten().count();
        let mut placed = graph
            .all()
            .filter(|node| kinds.get(node.at()).is_some_and(Option::is_some));
        if let Some(first) = placed.nth(limits.nodes) {
            graph.issue_of(Code::TooManyNodes, first, || {
                format!(
                    "the first of {nodes} categories and terms that is too many: {} are taken",
                    limits.nodes
                )
            });
            return Err(Stop::Refused);
        }
        Ok(Nodes {
            kinds,
            parents,
            ids,
            merged,
            counts,
        })
    }
}

/// The one category, where the options want it and the source does not name its categories.
fn one_category(graph: &mut Graph, options: &ImportOptions) -> Result<Option<ConceptRef>, Stop> {
    if options.categories != Categories::One {
        return Ok(None);
    }
    let one = graph.add_one()?;
    let scheme = options.scheme.clone().or_else(|| graph.scheme.clone());
    let name = match options.category_name.as_str() {
        "" => scheme.unwrap_or_default(),
        name => name.to_owned(),
    };
    let culture = graph.default_culture().clone();
    graph.state(
        one,
        Statement::Name(Some(culture.as_str()), &name),
        SourcePlace::UNKNOWN,
    )?;
    Ok(Some(one))
}

/// The kind that the source itself gives each concept.
fn own_kinds(graph: &Graph) -> Vec<Option<NodeKind>> {
    let own = |concept| {
        graph.rows(concept).find_map(|row| match row.kind {
            RowKind::Own(kind) => Some(kind),
            _ => None,
        })
    };
    graph.all().map(own).collect()
}

/// Chooses the kind of each concept, and puts concepts without a parent where the options want them.
fn place_tops(
    graph: &mut Graph,
    options: &ImportOptions,
    old: &IdMap,
    own: &[Option<NodeKind>],
    one: Option<ConceptRef>,
    parents: &mut Parents,
) -> Vec<Option<NodeKind>> {
    let mut kinds = vec![None; graph.concept_count()];
    let declared: Vec<ConceptRef> = graph.declared().collect();
    for &concept in &declared {
        let at = concept.at();
        if own[at] == Some(NodeKind::Category) {
            kinds[at] = Some(NodeKind::Category);
            continue;
        }
        if parents.parent_of(concept).is_none() {
            let above = match options.categories {
                Categories::Tops => None,
                Categories::One => one,
                Categories::Schemes => scheme_of(graph, old, concept),
            };
            parents.choose(concept, above);
            if let Some(above) = above {
                kinds[above.at()] = Some(NodeKind::Category);
            }
        }
        kinds[at] = Some(match parents.parent_of(concept) {
            Some(_) => NodeKind::Term,
            None => NodeKind::Category,
        });
        if own[at] == Some(NodeKind::Term) && kinds[at] == Some(NodeKind::Category) {
            graph.issue_of(Code::InvalidField, concept, || {
                "a term has no category".to_owned()
            });
        }
    }
    kinds
}

/// Reports each term that is the first one too deep of its branch.
fn check_depth(graph: &mut Graph, kinds: &[Option<NodeKind>], parents: &Parents) {
    let mut depths: Vec<u32> = vec![NONE; kinds.len()];
    let mut open = Vec::new();
    for concept in 0..kinds.len() {
        let mut at = concept;
        while depths[at] == NONE {
            open.push(at);
            match parents.parent_at(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        while let Some(at) = open.pop() {
            depths[at] = match parents.parent_at(at) {
                Some(parent) => depths[parent].saturating_add(1),
                None => 0,
            };
            if depths[at] == MAX_DEPTH + 1 {
                let concept = graph.at(at);
                graph.issue_of(Code::DepthExceeded, concept, || {
                    format!("lies deeper than {MAX_DEPTH} levels")
                });
            }
        }
    }
}
