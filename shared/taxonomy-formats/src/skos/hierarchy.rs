//! Which relations have a place among the SKOS statements. `skos:broader` may have no cycle, and two concepts that `skos:related` connects
//! may not lie above each other (S27), so both are decided over the whole graph: the tree, and the hierarchical relations taken so far.

use std::collections::{HashMap, HashSet};

use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{RelatedId, Relation, RelationType, Taxonomy};

use super::iris::{Iris, concept_iri};
use crate::tree::{SortedTaxonomy, TreeNode};

/// Relations without a place among the SKOS statements, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// The term is not in this version.
    pub unknown: u64,
    /// The id is no IRI by which other data could name the concept, or one of the tenant's own.
    pub without_iri: u64,
    /// A concept would lie above itself, or a category below a term.
    pub cycles: u64,
    /// The one is above the other already, by way of other concepts.
    pub implied: u64,
    /// `related` between concepts of which one lies above the other.
    pub related_to_broader: u64,
    /// The same concept is the exact match.
    pub beside_exact: u64,
    /// The graph is too large to decide.
    pub undecided: u64,
}

impl LeftOut {
    /// All of them.
    pub const fn total(&self) -> u64 {
        let Self {
            unknown,
            without_iri,
            cycles,
            implied,
            related_to_broader,
            beside_exact,
            undecided,
        } = *self;
        unknown + without_iri + cycles + implied + related_to_broader + beside_exact + undecided
    }
}

/// A concept of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ConceptKey<'a> {
    Category(CategoryId),
    Term(TermId),
    /// Of another scheme, by its IRI.
    Concept(&'a str),
}

impl<'a> From<TreeNode<'a>> for ConceptKey<'a> {
    fn from(node: TreeNode<'a>) -> Self {
        match node {
            TreeNode::Category(category) => Self::Category(category.id()),
            TreeNode::Term(term) => Self::Term(term.id()),
        }
    }
}

/// The maximum number of concepts that all decisions of a file together may visit: a few seconds of work. A hostile file of a million relations in
/// one long chain could require a million times a million.
const MAX_STEPS: u64 = 10_000_000;

/// The tree, and the hierarchical relations that have a place. Its memory grows with these relations alone.
#[derive(Debug)]
pub(super) struct Hierarchy<'a> {
    taxonomy: &'a Taxonomy,
    iris: &'a Iris,
    /// The concepts right above a concept, besides its parent in the tree.
    above: HashMap<ConceptKey<'a>, Vec<ConceptKey<'a>>>,
    /// The relations that have no place, once every node was placed.
    pub(super) left_out: LeftOut,
    steps_left: u64,
}

/// The graph is too large to decide.
struct Undecided;

impl<'a> Hierarchy<'a> {
    /// Takes the hierarchical relations of all nodes, in tree order.
    pub(super) fn new(tree: &SortedTaxonomy<'a>, iris: &'a Iris) -> Self {
        Self::within(MAX_STEPS, tree, iris)
    }

    fn within(steps: u64, tree: &SortedTaxonomy<'a>, iris: &'a Iris) -> Self {
        let mut hierarchy = Self {
            taxonomy: tree.taxonomy(),
            iris,
            above: HashMap::new(),
            left_out: LeftOut::default(),
            steps_left: steps,
        };
        for node in tree.walk() {
            for relation in &node.node().details().relations {
                hierarchy.take(node, relation);
            }
        }
        hierarchy
    }

    /// The nodes right above a node, besides its parent.
    pub(super) fn further_parents(&self, node: TreeNode<'a>) -> impl Iterator<Item = ConceptKey<'a>> {
        let above = self.above.get(&node.into()).map_or(&[][..], Vec::as_slice);
        let is_node = |key: &ConceptKey<'a>| !matches!(key, ConceptKey::Concept(_));
        above.iter().copied().filter(is_node)
    }

    /// The object of each relation of a node, in their order; none for those that have no place.
    pub(super) fn place(&mut self, node: TreeNode<'a>) -> Vec<Option<ConceptKey<'a>>> {
        let relations = node.node().details().relations.iter();
        relations.map(|relation| self.placed(node, relation)).collect()
    }

    fn placed(&mut self, node: TreeNode<'a>, relation: &'a Relation) -> Option<ConceptKey<'a>> {
        let Some(object) = self.object(relation) else {
            // Counted where the hierarchical ones were taken.
            if !is_hierarchical(relation.kind) {
                *self.nowhere(relation) += 1;
            }
            return None;
        };
        let is_stated = match edge(node.into(), relation.kind, Some(object)) {
            Some((child, parent)) => self.is_right_above(parent, child),
            None if is_beside_exact(node, relation) => {
                self.left_out.beside_exact += 1;
                false
            }
            None => relation.kind != RelationType::Related || self.may_relate(node.into(), object),
        };
        is_stated.then_some(object)
    }

    /// The object of a relation, unless it cannot be named.
    fn object(&self, relation: &'a Relation) -> Option<ConceptKey<'a>> {
        match &relation.id {
            RelatedId::Term(id) => {
                let id = TermId::new(*id)?;
                self.taxonomy.term(id).map(|_| ConceptKey::Term(id))
            }
            RelatedId::Concept(id) => concept_iri(id)
                .filter(|iri| !self.iris.is_own(iri))
                .map(ConceptKey::Concept),
        }
    }

    /// The counter of relations whose object cannot be named.
    fn nowhere(&mut self, relation: &Relation) -> &mut u64 {
        match relation.id {
            RelatedId::Term(_) => &mut self.left_out.unknown,
            RelatedId::Concept(_) => &mut self.left_out.without_iri,
        }
    }

    /// Adds a hierarchical relation to the graph, or counts why it has no place.
    fn take(&mut self, node: TreeNode<'a>, relation: &'a Relation) {
        if !is_hierarchical(relation.kind) {
            return;
        }
        let object = self.object(relation);
        let Some((child, parent)) = edge(node.into(), relation.kind, object) else {
            *self.nowhere(relation) += 1;
            return;
        };
        if is_beside_exact(node, relation) {
            self.left_out.beside_exact += 1;
            return;
        }
        if self.is_right_above(parent, child) {
            return;
        }
        // A top concept has no broader one in its scheme.
        let is_top = matches!((child, parent), (ConceptKey::Category(_), ConceptKey::Term(_)));
        let counter = match (is_top, self.reaches(parent, child), self.reaches(child, parent)) {
            (true, ..) | (_, Ok(true), _) => &mut self.left_out.cycles,
            (_, _, Ok(true)) => &mut self.left_out.implied,
            (_, Ok(false), Ok(false)) => {
                self.above.entry(child).or_default().push(parent);
                return;
            }
            _ => &mut self.left_out.undecided,
        };
        *counter += 1;
    }

    /// Whether `skos:related` may connect two concepts.
    fn may_relate(&mut self, one: ConceptKey<'a>, other: ConceptKey<'a>) -> bool {
        let counter = match (self.reaches(one, other), self.reaches(other, one)) {
            (Ok(false), Ok(false)) => return true,
            (Ok(true), _) | (_, Ok(true)) => &mut self.left_out.related_to_broader,
            _ => &mut self.left_out.undecided,
        };
        *counter += 1;
        false
    }

    fn is_right_above(&self, parent: ConceptKey<'a>, child: ConceptKey<'a>) -> bool {
        self.parents(child).any(|above| above == parent)
    }

    /// Whether `to` is `from` or lies above it.
    fn reaches(&mut self, from: ConceptKey<'a>, to: ConceptKey<'a>) -> Result<bool, Undecided> {
        let mut seen = HashSet::from([from]);
        let mut waiting = vec![from];
        while let Some(key) = waiting.pop() {
            if key == to {
                return Ok(true);
            }
            self.steps_left = self.steps_left.checked_sub(1).ok_or(Undecided)?;
            waiting.extend(self.parents(key).filter(|above| seen.insert(*above)));
        }
        Ok(false)
    }

    /// The concepts right above a concept.
    fn parents(&self, key: ConceptKey<'a>) -> impl Iterator<Item = ConceptKey<'a>> {
        let in_tree = match key {
            ConceptKey::Term(id) => self.taxonomy.term(id).map(|term| {
                let parent = term.parent().map(|parent| ConceptKey::Term(parent.id()));
                parent.unwrap_or_else(|| ConceptKey::Category(term.category().id()))
            }),
            ConceptKey::Category(_) | ConceptKey::Concept(_) => None,
        };
        let further = self.above.get(&key).map_or(&[][..], Vec::as_slice);
        in_tree.into_iter().chain(further.iter().copied())
    }
}

fn is_hierarchical(kind: RelationType) -> bool {
    matches!(kind, RelationType::Broad | RelationType::Narrow)
}

/// The child and the parent that a hierarchical relation states.
fn edge<'a>(
    subject: ConceptKey<'a>,
    kind: RelationType,
    object: Option<ConceptKey<'a>>,
) -> Option<(ConceptKey<'a>, ConceptKey<'a>)> {
    match kind {
        RelationType::Broad => Some((subject, object?)),
        RelationType::Narrow => Some((object?, subject)),
        RelationType::Exact | RelationType::Close | RelationType::Related => None,
    }
}

/// S46: an exact match of a concept is neither a broader, a narrower nor a related one of it.
fn is_beside_exact(node: TreeNode<'_>, relation: &Relation) -> bool {
    let is_exact = |other: &Relation| other.kind == RelationType::Exact && other.id == relation.id;
    let may_clash = is_hierarchical(relation.kind) || relation.kind == RelationType::Related;
    let of_other_scheme = matches!(relation.id, RelatedId::Concept(_));
    may_clash && of_other_scheme && node.node().details().relations.iter().any(is_exact)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::skos::Base;

    /// Every term is below the term before it, and related to the one two before it.
    fn chain(terms: u64) -> Taxonomy {
        let relations = |id: u64| match id {
            0 | 1 => json!([]),
            _ => json!([{"type": "broad", "id": id - 1}, {"type": "related", "id": id - 2}]),
        };
        let term = |id| json!({"id": id, "name": "T", "relations": relations(id)});
        let list: Vec<_> = (0..=terms).map(term).collect();
        let file = json!({"categories": [{"id": 1, "name": "C", "terms": list}]});
        taxonomy_testfiles::taxonomy(&file.to_string())
    }

    fn left_out(terms: u64, steps: u64) -> LeftOut {
        let taxonomy = chain(terms);
        let tree = SortedTaxonomy::new(&taxonomy, taxonomy_collation::sibling_keys);
        let iris = Base::default().of_tenant(&"acme".parse().unwrap());
        let mut hierarchy = Hierarchy::within(steps, &tree, &iris);
        for node in tree.walk() {
            hierarchy.place(node);
        }
        hierarchy.left_out
    }

    #[test]
    fn decisions_end_where_the_steps_end() {
        let all = left_out(400, MAX_STEPS);
        assert_eq!((all.undecided, all.related_to_broader), (0, 398));
        let some = left_out(400, 1000);
        assert!(some.undecided > 398 && some.total() > all.total(), "{some:?}");
        assert_eq!(left_out(400, 0).undecided, 2 * 399);
    }
}
