//! The statements about one category or term.

use std::io::{self, Write};

use oxrdf::NamedNodeRef;
use taxonomy_model::{Details, Relation, RelationType};

use super::hierarchy::{ConceptKey, Hierarchy};
use super::iris::Iris;
use super::labels;
use super::turtle::Turtle;
use super::vocabulary::{self, JSON, dct, owl, skos, tax};
use crate::tree::{SortedTaxonomy, TreeNode};

/// The datatype of days and flags.
const DATE: NamedNodeRef<'static> = oxrdf::vocab::xsd::DATE;
const BOOLEAN: NamedNodeRef<'static> = oxrdf::vocab::xsd::BOOLEAN;

/// Writes one concept after the other.
pub(super) struct ConceptWriter<'a, W: Write> {
    pub(super) tree: &'a SortedTaxonomy<'a>,
    pub(super) iris: &'a Iris,
    pub(super) hierarchy: Hierarchy<'a>,
    pub(super) turtle: Turtle<W>,
}

impl<'a, W: Write> ConceptWriter<'a, W> {
    /// Writes a concept, then the other direction of its relations.
    pub(super) fn write(&mut self, node: TreeNode<'a>) -> io::Result<()> {
        let details = node.node().details();
        self.turtle.begin(self.iris.concept(node));
        self.write_place(node)?;
        labels::write(node.node(), &mut self.turtle)?;
        if let Some(notation) = &details.notation {
            self.turtle.text(skos::NOTATION, notation)?;
        }
        self.write_details(node)?;
        let placed = self.hierarchy.place(node);
        for (relation, placed) in details.relations.iter().zip(&placed) {
            self.write_relation(relation, *placed)?;
        }
        if !details.relations.is_empty() {
            let list = serde_json::to_string(&details.relations)?;
            self.turtle.typed(tax::RELATIONS, &list, JSON)?;
        }
        self.write_inverses(node, &placed)
    }

    /// Writes the type, the scheme, and the concepts right above and below.
    fn write_place(&mut self, node: TreeNode<'a>) -> io::Result<()> {
        let own_type = match node {
            TreeNode::Category(_) => tax::CATEGORY,
            TreeNode::Term(_) => tax::TERM,
        };
        let (iris, turtle) = (self.iris, &mut self.turtle);
        turtle.put(vocabulary::TYPE, skos::CONCEPT)?;
        turtle.put(vocabulary::TYPE, own_type)?;
        turtle.text(dct::IDENTIFIER, &node.id().to_string())?;
        turtle.put(skos::IN_SCHEME, &iris.scheme())?;
        match node {
            TreeNode::Category(_) => turtle.put(skos::TOP_CONCEPT_OF, &iris.scheme())?,
            TreeNode::Term(term) => {
                let parent = term
                    .parent()
                    .map_or(TreeNode::Category(term.category()), TreeNode::Term);
                let parent = iris.concept(parent);
                turtle.put(skos::BROADER, &parent)?;
                let mut further = self.hierarchy.further_parents(node).peekable();
                let has_further = further.peek().is_some();
                for concept in further {
                    turtle.put(skos::BROADER, &iris.concept(concept))?;
                }
                if has_further {
                    turtle.put(tax::PARENT, &parent)?;
                }
            }
        }
        for term in self.tree.below(node) {
            turtle.put(skos::NARROWER, &iris.term(term.id().get()))?;
        }
        Ok(())
    }

    fn write_details(&mut self, node: TreeNode<'_>) -> io::Result<()> {
        let Details {
            sort_key,
            metadata,
            deprecated,
            deprecation,
            replaced_by,
            ..
        } = node.node().details();
        let turtle = &mut self.turtle;
        if *deprecated {
            turtle.typed(owl::DEPRECATED, "true", BOOLEAN)?;
        }
        let deprecation = deprecation.as_ref();
        if let Some(reason) = deprecation.and_then(|deprecation| deprecation.reason.as_ref()) {
            turtle.text(tax::DEPRECATION_REASON, reason)?;
        }
        if let Some(since) = deprecation.and_then(|deprecation| deprecation.since.as_ref()) {
            turtle.typed(tax::DEPRECATED_SINCE, since, DATE)?;
        }
        for id in replaced_by {
            let replacement = match node {
                TreeNode::Category(_) => self.iris.category(*id),
                TreeNode::Term(_) => self.iris.term(*id),
            };
            turtle.put(dct::IS_REPLACED_BY, &replacement)?;
        }
        // Statements have no order.
        if !replaced_by.is_sorted() {
            let list = serde_json::to_string(replaced_by)?;
            turtle.typed(tax::REPLACED_BY, &list, JSON)?;
        }
        if let Some(sort_key) = sort_key {
            turtle.text(tax::SORT_KEY, sort_key)?;
        }
        if let Some(metadata) = metadata {
            turtle.typed(tax::METADATA, metadata.as_str(), JSON)?;
        }
        Ok(())
    }

    /// Writes a relation, unless it follows from the position of the concept or SKOS cannot express it.
    fn write_relation(&mut self, relation: &Relation, object: Option<ConceptKey<'_>>) -> io::Result<()> {
        let Some(object) = object else {
            return Ok(());
        };
        let predicate = match (object, relation.kind) {
            // Among the statements about the child.
            (ConceptKey::Term(_), RelationType::Broad | RelationType::Narrow) => return Ok(()),
            (ConceptKey::Term(_), RelationType::Related) => skos::RELATED,
            (_, kind) => mapping(kind),
        };
        self.turtle.put(predicate, &self.iris.concept(object))
    }

    /// Writes the statements that the relations of a node imply about other concepts of the tenant.
    fn write_inverses(&mut self, node: TreeNode<'a>, placed: &[Option<ConceptKey<'a>>]) -> io::Result<()> {
        let subject = self.iris.concept(node);
        for parent in self.hierarchy.further_parents(node) {
            self.turtle.begin(self.iris.concept(parent));
            self.turtle.put(skos::NARROWER, &subject)?;
        }
        for (relation, placed) in node.node().details().relations.iter().zip(placed) {
            if let (RelationType::Related, Some(ConceptKey::Term(other))) = (relation.kind, placed) {
                self.turtle.begin(self.iris.term(other.get()));
                self.turtle.put(skos::RELATED, &subject)?;
            }
        }
        Ok(())
    }
}

/// The mapping property of a relation.
const fn mapping(kind: RelationType) -> NamedNodeRef<'static> {
    match kind {
        RelationType::Exact => skos::EXACT_MATCH,
        RelationType::Close => skos::CLOSE_MATCH,
        RelationType::Broad => skos::BROAD_MATCH,
        RelationType::Narrow => skos::NARROW_MATCH,
        RelationType::Related => skos::RELATED_MATCH,
    }
}
