//! The concepts without a parent: which of them are categories, and where the others have their place.

use crate::concept::{ConceptRef, NodeKind, SourcePlace, Statement};
use crate::graph::{Graph, StatementKind, Stop};
use crate::ids::{IdMap, ONE};
use crate::options::Categories;
use crate::report::Code;

use super::chains::{ends, known_kind, last_above};
use super::nodes::Nodes;
use super::parents::Components;
use super::schemes::Schemes;

/// The most concepts without a parent that all become categories.
const MOST_TOPS: usize = 100;

/// Chooses the categories of a source whose schemes do not: the concepts without a parent, if they are few and most have concepts below.
/// Those that are retired or known do not count.
pub(super) fn choose(graph: &Graph, old: &IdMap, nodes: &Nodes, schemes: &Schemes) -> Categories {
    let has_below = has_below(graph, nodes);
    let (mut count, mut with_below) = (0, 0);
    for top in tops(graph, nodes).filter(|top| known_kind(graph, old, *top).is_none()) {
        if has_below[top.at()] || !graph.has(top, StatementKind::Deprecated) {
            count += 1;
            with_below += usize::from(has_below[top.at()]);
        }
    }
    match count <= MOST_TOPS && with_below * 2 >= count {
        true => Categories::Tops,
        false if graph.is_unordered && schemes.count() == 1 => Categories::Schemes,
        false => Categories::One,
    }
}

/// The concepts that are described and have no parent.
fn tops(graph: &Graph, nodes: &Nodes) -> impl Iterator<Item = ConceptRef> {
    graph
        .declared()
        .filter(|concept| nodes.get(*concept).parent.is_none())
}

/// Whether a concept has others below it, by its number.
fn has_below(graph: &Graph, nodes: &Nodes) -> Vec<bool> {
    let mut has_below = vec![false; graph.concept_count()];
    for parent in graph.all().filter_map(|concept| nodes.get(concept).parent) {
        has_below[parent.at()] = true;
    }
    has_below
}

/// A concept without a parent that is not known to be a category.
struct Top {
    concept: ConceptRef,
    /// It is deprecated, and has no concepts below.
    is_retired: bool,
    /// It is no category, whatever becomes one.
    is_term: bool,
}

/// Places the concepts without a parent. What is left without one is a category.
pub(super) fn place(
    graph: &mut Graph,
    old: &IdMap,
    nodes: &mut Nodes,
    (choice, schemes): (Categories, &Schemes),
) -> Result<(), Stop> {
    let mut has_below = has_below(graph, nodes);
    let mut tops: Vec<ConceptRef> = tops(graph, nodes).collect();
    graph.sort_unordered(&mut tops);
    let tops = tops.into_iter();
    let tops = tops.filter_map(|concept| Top::new(graph, old, concept, has_below[concept.at()]));
    let mut tops: Vec<Top> = tops.collect();
    // A retired concept needs room below the places that others have.
    tops.sort_by_key(|top| top.is_retired);
    let mut components = Components::new(graph, nodes);
    for top in tops {
        let concept = top.concept;
        let home = match choice {
            Categories::Tops if !top.is_term => None,
            Categories::Tops | Categories::Schemes => schemes.home(graph, old, concept),
            Categories::One => None,
        };
        let mut found = None;
        for above in top.places(graph, old, nodes, choice, home) {
            if components.root(above) == components.root(concept) {
                let message = format!("would lie below itself in {}", graph.key(above));
                graph.issue_of(Code::Cycle, concept, message);
            } else if !top.is_retired || nodes.have_room_below(above) {
                found = Some(above);
                break;
            }
        }
        let is_category = match choice {
            Categories::Tops => !top.is_term,
            Categories::Schemes => !top.is_term && has_below[concept.at()],
            Categories::One => false,
        };
        if found.is_none() && !is_category {
            found = Some(one_category(graph, old)?);
            components.add(graph);
        }
        if let Some(above) = found {
            nodes.get_mut(concept).parent = Some(above);
            nodes.get_mut(above).kind = Some(NodeKind::Category);
            components.join(concept, above);
            has_below.resize(graph.concept_count(), false);
            has_below[above.at()] = true;
        }
    }
    Ok(())
}

impl Top {
    fn new(graph: &Graph, old: &IdMap, concept: ConceptRef, has_below: bool) -> Option<Self> {
        let known = known_kind(graph, old, concept);
        if known == Some(NodeKind::Category) || graph.own_kind(concept).is_some() {
            return None;
        }
        let is_retired = !has_below && graph.has(concept, StatementKind::Deprecated);
        Some(Self {
            concept,
            is_retired,
            is_term: is_retired || known == Some(NodeKind::Term),
        })
    }

    /// The places that it may have, the best first; `home` is its scheme, where that is one.
    fn places(
        &self,
        graph: &Graph,
        old: &IdMap,
        nodes: &Nodes,
        choice: Categories,
        home: Option<ConceptRef>,
    ) -> Vec<ConceptRef> {
        // A living term is at the top of its scheme, or of all; only where tops are categories, this is no place for it.
        let is_nowhere = match choice {
            Categories::Tops => true,
            Categories::Schemes => home.is_none(),
            Categories::One => false,
        };
        let last = || last_above(graph, old, self.concept);
        let places = match self.is_retired {
            true => [last(), beside(graph, nodes, self.concept), home],
            false => [is_nowhere.then(last).flatten(), None, home],
        };
        places.into_iter().flatten().collect()
    }
}

/// The place beside the first concept that replaces one.
fn beside(graph: &Graph, nodes: &Nodes, concept: ConceptRef) -> Option<ConceptRef> {
    let found = ends(graph, concept, |end| graph.is_declared(end));
    nodes.get(*found.ends.first()?).parent
}

/// The one category, which the source does not name.
pub(super) fn one_category(graph: &mut Graph, old: &IdMap) -> Result<ConceptRef, Stop> {
    let one = graph.concept(ONE)?;
    if graph.has(one, StatementKind::Scheme) {
        return Ok(one);
    }
    for statement in [Statement::Scheme, Statement::Implied] {
        graph.state(one, statement, SourcePlace::UNKNOWN)?;
    }
    let last = old.get(ONE).map(|row| row.name.to_owned());
    let name = graph.options.category_name.clone().or(last);
    let name = name.or_else(|| graph.named_scheme().map(str::to_owned));
    let name = name.unwrap_or_else(|| graph.first_file().to_owned());
    graph.name(one, &name)?;
    Ok(one)
}
