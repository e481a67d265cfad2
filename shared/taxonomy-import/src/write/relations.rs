//! Relations and replacements of a node.

use std::collections::BTreeSet;

use taxonomy_model::{RelatedId, Relation, RelationType};

use super::details::exact;
use super::value::{FieldValue, Issues};
use crate::concept::{ConceptRef, ExactField, NodeKind};
use crate::graph::StatementKind;
use crate::report::Code;
use crate::sources::skos::authority;
use crate::tree::ConceptTree;

const MOST: usize = 50;
const SCHEME: usize = 100;
const ID: usize = 500;
/// The scheme where neither the options nor the source name one.
const UNNAMED: &str = "source";

/// The relations of a node: its source identifier, its further parents, its mappings, related concepts.
pub(super) fn relations<'a>(
    tree: &'a ConceptTree,
    node: ConceptRef,
    issues: &mut Issues,
) -> FieldValue<'a, Vec<Relation>> {
    if let Some(exact) = exact(&tree.graph, node, ExactField::Relations, issues) {
        return exact;
    }
    if tree.graph.own_kind(node).is_some() {
        return FieldValue::Absent;
    }
    let mut found = RelationList {
        tree,
        node,
        issues,
        seen: BTreeSet::new(),
        relations: Vec::new(),
    };
    found.identifier();
    found.parents();
    found.mappings();
    found.related();
    FieldValue::list(found.relations)
}

struct RelationList<'a, 'i> {
    tree: &'a ConceptTree,
    node: ConceptRef,
    issues: &'i mut Issues,
    seen: BTreeSet<Relation>,
    relations: Vec<Relation>,
}

impl<'a> RelationList<'a, '_> {
    fn identifier(&mut self) {
        let key = self.tree.graph.key(self.node);
        let is_implied = self.tree.graph.has(self.node, StatementKind::Implied);
        if !self.tree.graph.has_path_keys && !is_implied && self.tree.graph.one != Some(self.node) {
            self.add_concept(RelationType::Exact, self.tree.scheme(), key);
        }
    }

    /// The other parents of the concept, including those that are not described.
    fn parents(&mut self) {
        let chosen = self.tree.nodes.get(self.node).parent;
        for other in self.others(&[StatementKind::Broader, StatementKind::NarrowerOf]) {
            if Some(other) != chosen && other != self.node {
                self.add_other(RelationType::Broad, other);
            }
        }
    }

    fn mappings(&mut self) {
        let graph = &self.tree.graph;
        let mut mappings: Vec<_> = graph
            .rows(self.node)
            .filter_map(|row| match row.kind {
                StatementKind::Mapping(kind) => Some((kind, graph.pair(row))),
                _ => None,
            })
            .collect();
        if graph.is_unordered {
            mappings.sort_unstable();
        }
        for (kind, (scheme, id)) in mappings {
            let known = graph.known(id).filter(|_| scheme.is_empty());
            match known.filter(|other| self.tree.nodes.is(*other, NodeKind::Term)) {
                Some(other) => self.add_other(kind, other),
                None if scheme.is_empty() => self.add_concept(kind, authority(id).unwrap_or(UNNAMED), id),
                None => self.add_concept(kind, scheme, id),
            }
        }
    }

    fn related(&mut self) {
        let graph = &self.tree.graph;
        for other in self.others(&[StatementKind::Related, StatementKind::RelatedOf]) {
            if !graph.is_declared(other) {
                let key = graph.key(other);
                let message = format!("is related to {key}, which is not described");
                self.issues.push((Code::UnknownRelation, message));
            }
            self.add_other(RelationType::Related, other);
        }
    }

    fn others(&self, kinds: &'static [StatementKind]) -> Vec<ConceptRef> {
        let mut others: Vec<ConceptRef> = self.tree.graph.others(self.node, kinds).collect();
        self.tree.graph.sort_unordered(&mut others);
        others
    }

    /// A relation to a concept of the source: by number to a term, else by key.
    fn add_other(&mut self, kind: RelationType, other: ConceptRef) {
        let tree = self.tree;
        if other == self.node {
            let message = format!("is {kind} to itself");
            self.issues.push((Code::InvalidValue, message));
        } else if tree.nodes.is(other, NodeKind::Term) {
            self.add(Relation {
                kind,
                scheme: None,
                id: RelatedId::Term(tree.nodes.get(other).id),
            });
        } else {
            self.add_concept(kind, tree.scheme(), tree.graph.key(other));
        }
    }

    fn add_concept(&mut self, kind: RelationType, scheme: &str, id: &str) {
        let fits = |text: &str, most| !text.trim().is_empty() && text.len() <= most;
        let is_clean = !scheme.chars().chain(id.chars()).any(char::is_control);
        if !fits(scheme, SCHEME) || !fits(id, ID) || !is_clean {
            let message =
                format!("the {kind} relation to {id:?} of {scheme:?} is blank, too long, or no text");
            self.issues.push((Code::ValueLeftOut, message));
            return;
        }
        self.add(Relation {
            kind,
            scheme: Some(scheme.to_owned()),
            id: RelatedId::Concept(id.to_owned()),
        });
    }

    fn add(&mut self, relation: Relation) {
        if self.relations.len() < MOST {
            if self.seen.insert(relation.clone()) {
                self.relations.push(relation);
            }
        } else if !self.seen.contains(&relation) {
            let message = format!("has more than {MOST} relations");
            if self.issues.last().is_none_or(|(_, last)| *last != message) {
                self.issues.push((Code::TooManyValues, message));
            }
        }
    }
}

/// The ids of the replacements of a node.
pub(super) fn replaced_by<'a>(
    tree: &'a ConceptTree,
    node: ConceptRef,
    issues: &mut Issues,
) -> FieldValue<'a, Vec<u64>> {
    if let Some(exact) = exact(&tree.graph, node, ExactField::ReplacedBy, issues) {
        return exact;
    }
    let kind = tree.nodes.get(node).kind;
    let mut ids = BTreeSet::new();
    for other in tree.replacements(node) {
        let found = tree.nodes.get(other);
        if other == node || found.kind != kind {
            let code = match found.kind {
                None => Code::UnknownReplacement,
                Some(_) => Code::UnusableReplacement,
            };
            issues.push((code, format!("is replaced by {}", tree.graph.key(other))));
        } else {
            ids.insert(found.id);
        }
    }
    if ids.len() > MOST {
        issues.push((Code::TooManyValues, format!("has more than {MOST} replacements")));
    }
    FieldValue::list(ids.into_iter().take(MOST).collect())
}

impl ConceptTree {
    /// The scheme of the source identifiers.
    pub(crate) fn scheme(&self) -> &str {
        let named = self.options.scheme.as_deref().or(self.graph.scheme.as_deref());
        named.unwrap_or(UNNAMED)
    }
}
