//! Relations and replacements of a node.

use std::collections::BTreeSet;

use taxonomy_model::{RelatedId, Relation, RelationType};

use super::node::{FieldJson, NodeWriter, list};
use crate::concept::{ConceptRef, ExactField, NodeKind};
use crate::graph::StatementKind;
use crate::report::Code;
use crate::sources::skos::authority;
use crate::tree::{ConceptTree, other_kind};

const MOST: usize = 50;
const SCHEME: usize = 100;
const ID: usize = 500;
/// The scheme where neither the options nor the source name one.
const UNNAMED: &str = "source";

impl<'a> NodeWriter<'a> {
    /// The relations of the node: its source identifier, its further parents, its mappings, related concepts.
    pub(super) fn relations(&mut self) -> FieldJson<'a> {
        if let Some(exact) = self.exact(ExactField::Relations) {
            return Some(exact);
        }
        if self.graph.own_kind(self.node).is_some() {
            return None;
        }
        let mut relations = Vec::new();
        self.add_identifier(&mut relations);
        self.add_parents(&mut relations);
        self.add_mappings(&mut relations);
        self.add_related(&mut relations);
        list(&relations)
    }

    fn add_identifier(&mut self, relations: &mut Vec<Relation>) {
        let is_implied = self.graph.has(self.node, StatementKind::Implied);
        if !self.graph.has_path_keys && !is_implied {
            let (scheme, key) = (self.tree.scheme(), self.graph.key(self.node));
            self.add_concept(relations, RelationType::Exact, scheme, key);
        }
    }

    /// The other parents of the concept, including those that are not described.
    fn add_parents(&mut self, relations: &mut Vec<Relation>) {
        let chosen = self.tree.nodes().get(self.node).parent;
        for other in self.others(&[StatementKind::Broader, StatementKind::NarrowerOf]) {
            if Some(other) != chosen && other != self.node {
                self.add_other(relations, RelationType::Broad, other);
            }
        }
    }

    fn add_mappings(&mut self, relations: &mut Vec<Relation>) {
        let graph = self.graph;
        let mappings = graph.rows(self.node).filter_map(|row| match row.kind {
            StatementKind::Mapping(kind) => Some((kind, graph.pair(row))),
            _ => None,
        });
        let mut mappings: Vec<_> = mappings.collect();
        if graph.is_unordered {
            mappings.sort_unstable();
        }
        for (kind, (scheme, id)) in mappings {
            let known = graph.known(id).filter(|_| scheme.is_empty());
            match known.filter(|other| self.tree.nodes().is(*other, NodeKind::Term)) {
                Some(other) => self.add_other(relations, kind, other),
                None if scheme.is_empty() => {
                    self.add_concept(relations, kind, authority(id).unwrap_or(UNNAMED), id);
                }
                None => self.add_concept(relations, kind, scheme, id),
            }
        }
    }

    fn add_related(&mut self, relations: &mut Vec<Relation>) {
        for other in self.others(&[StatementKind::Related, StatementKind::RelatedOf]) {
            if !self.graph.is_declared(other) {
                let key = self.graph.key(other);
                let message = format!("is related to {key}, which is not described");
                self.issue(Code::UnknownRelation, message);
            }
            self.add_other(relations, RelationType::Related, other);
        }
    }

    fn others(&self, kinds: &'static [StatementKind]) -> Vec<ConceptRef> {
        let mut others: Vec<ConceptRef> = self.graph.others(self.node, kinds).collect();
        self.graph.sort_unordered(&mut others);
        others
    }

    /// A relation to a concept of the source: by number to a term, else by key.
    fn add_other(&mut self, relations: &mut Vec<Relation>, kind: RelationType, other: ConceptRef) {
        let tree = self.tree;
        if other == self.node {
            self.issue(Code::InvalidValue, format!("is {kind} to itself"));
        } else if tree.nodes().is(other, NodeKind::Term) {
            let id = RelatedId::Term(tree.nodes().get(other).id);
            let scheme = None;
            self.add(relations, Relation { kind, scheme, id });
        } else {
            self.add_concept(relations, kind, tree.scheme(), tree.graph.key(other));
        }
    }

    fn add_concept(&mut self, relations: &mut Vec<Relation>, kind: RelationType, scheme: &str, id: &str) {
        let fits = |text: &str, most| !text.trim().is_empty() && text.len() <= most;
        let is_clean = !scheme.chars().chain(id.chars()).any(char::is_control);
        if !fits(scheme, SCHEME) || !fits(id, ID) || !is_clean {
            let message =
                format!("the {kind} relation to {id:?} of {scheme:?} is blank, too long, or no text");
            self.issue(Code::ValueLeftOut, message);
            return;
        }
        let (scheme, id) = (Some(scheme.to_owned()), RelatedId::Concept(id.to_owned()));
        self.add(relations, Relation { kind, scheme, id });
    }

    fn add(&mut self, relations: &mut Vec<Relation>, relation: Relation) {
        if relations.contains(&relation) {
            return;
        }
        if relations.len() < MOST {
            relations.push(relation);
            return;
        }
        let message = format!("has more than {MOST} relations");
        if self.issues.last().is_none_or(|(_, last)| *last != message) {
            self.issue(Code::TooManyValues, message);
        }
    }

    /// The ids of the replacements of the node.
    pub(super) fn replaced_by(&mut self) -> FieldJson<'a> {
        if let Some(exact) = self.exact(ExactField::ReplacedBy) {
            return Some(exact);
        }
        let kind = self.tree.nodes().get(self.node).kind;
        let mut ids = BTreeSet::new();
        for other in self.tree.replacements(self.node) {
            let found = self.tree.nodes().get(other);
            if other == self.node || found.kind != kind {
                let (code, reason) = match found.kind {
                    None => (Code::UnknownReplacement, String::new()),
                    Some(_) if other == self.node => (Code::UnusableReplacement, ", itself".to_owned()),
                    Some(other) => (
                        Code::UnusableReplacement,
                        other_kind(kind.unwrap_or(other), other),
                    ),
                };
                self.issue(code, format!("is replaced by {}{reason}", self.graph.key(other)));
            } else {
                ids.insert(found.id);
            }
        }
        if ids.len() > MOST {
            self.issue(Code::TooManyValues, format!("has more than {MOST} replacements"));
        }
        let ids: Vec<u64> = ids.into_iter().take(MOST).collect();
        list(&ids)
    }
}

impl ConceptTree {
    /// The scheme of the source identifiers.
    pub(crate) fn scheme(&self) -> &str {
        self.graph.named_scheme().unwrap_or(UNNAMED)
    }
}
