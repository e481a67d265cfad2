//! The statements about one category or term.

use std::io::{self, Write};

use oxrdf::{NamedNode, NamedNodeRef};
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

/// Writes a concept, then the other direction of its relations.
pub(super) fn write<'a>(
    tree: &SortedTaxonomy<'a>,
    node: TreeNode<'a>,
    iris: &Iris,
    hierarchy: &mut Hierarchy<'a>,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let subject = iris.concept(node);
    let details = node.node().details();
    write_place(tree, node, &subject, iris, hierarchy, turtle)?;
    labels::write(&subject, node.node(), turtle)?;
    if let Some(notation) = &details.notation {
        turtle.text(&subject, skos::NOTATION, notation)?;
    }
    write_details(node, &subject, iris, turtle)?;
    let placed = hierarchy.place(node, iris);
    for (relation, placed) in details.relations.iter().zip(&placed) {
        write_relation(relation, *placed, &subject, iris, turtle)?;
    }
    if !details.relations.is_empty() {
        let list = serde_json::to_string(&details.relations)?;
        turtle.typed(&subject, tax::RELATIONS, &list, JSON)?;
    }
    write_inverses(node, &placed, &subject, iris, hierarchy, turtle)
}

/// Writes the type, the scheme, and the concepts right above and below.
fn write_place<'a>(
    tree: &SortedTaxonomy<'a>,
    node: TreeNode<'a>,
    subject: &NamedNode,
    iris: &Iris,
    hierarchy: &Hierarchy<'a>,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let own_type = match node {
        TreeNode::Category(_) => tax::CATEGORY,
        TreeNode::Term(_) => tax::TERM,
    };
    turtle.put(subject, vocabulary::TYPE, skos::CONCEPT)?;
    turtle.put(subject, vocabulary::TYPE, own_type)?;
    turtle.text(subject, dct::IDENTIFIER, &node.id().to_string())?;
    turtle.put(subject, skos::IN_SCHEME, &iris.scheme())?;
    match node {
        TreeNode::Category(_) => turtle.put(subject, skos::TOP_CONCEPT_OF, &iris.scheme())?,
        TreeNode::Term(term) => {
            let parent = term
                .parent()
                .map_or(TreeNode::Category(term.category()), TreeNode::Term);
            let parent = iris.concept(parent);
            turtle.put(subject, skos::BROADER, &parent)?;
            let mut further = hierarchy.further_parents(node).peekable();
            let has_further = further.peek().is_some();
            for concept in further {
                turtle.put(subject, skos::BROADER, &iris.concept(concept))?;
            }
            if has_further {
                turtle.put(subject, tax::PARENT, &parent)?;
            }
        }
    }
    for term in tree.below(node) {
        turtle.put(subject, skos::NARROWER, &iris.term(term.id().get()))?;
    }
    Ok(())
}

fn write_details(
    node: TreeNode<'_>,
    subject: &NamedNode,
    iris: &Iris,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let Details {
        sort_key,
        metadata,
        deprecated,
        deprecation,
        replaced_by,
        ..
    } = node.node().details();
    if *deprecated {
        turtle.typed(subject, owl::DEPRECATED, "true", BOOLEAN)?;
    }
    let deprecation = deprecation.as_ref();
    if let Some(reason) = deprecation.and_then(|deprecation| deprecation.reason.as_ref()) {
        turtle.text(subject, tax::DEPRECATION_REASON, reason)?;
    }
    if let Some(since) = deprecation.and_then(|deprecation| deprecation.since.as_ref()) {
        turtle.typed(subject, tax::DEPRECATED_SINCE, since, DATE)?;
    }
    for id in replaced_by {
        let replacement = match node {
            TreeNode::Category(_) => iris.category(*id),
            TreeNode::Term(_) => iris.term(*id),
        };
        turtle.put(subject, dct::IS_REPLACED_BY, &replacement)?;
    }
    // Statements have no order.
    if !replaced_by.is_sorted() {
        let list = serde_json::to_string(replaced_by)?;
        turtle.typed(subject, tax::REPLACED_BY, &list, JSON)?;
    }
    if let Some(sort_key) = sort_key {
        turtle.text(subject, tax::SORT_KEY, sort_key)?;
    }
    if let Some(metadata) = metadata {
        turtle.typed(subject, tax::METADATA, metadata.as_str(), JSON)?;
    }
    Ok(())
}

/// Writes a relation, unless it follows from the position of the concept or SKOS cannot express it.
fn write_relation(
    relation: &Relation,
    object: Option<ConceptKey<'_>>,
    subject: &NamedNode,
    iris: &Iris,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let Some(object) = object else {
        return Ok(());
    };
    let predicate = match (object, relation.kind) {
        // Among the statements about the child.
        (ConceptKey::Term(_), RelationType::Broad | RelationType::Narrow) => return Ok(()),
        (ConceptKey::Term(_), RelationType::Related) => skos::RELATED,
        (_, kind) => mapping(kind),
    };
    turtle.put(subject, predicate, &iris.concept(object))
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

/// Writes the statements that the relations of a node imply about other concepts of the tenant.
fn write_inverses<'a>(
    node: TreeNode<'a>,
    placed: &[Option<ConceptKey<'a>>],
    subject: &NamedNode,
    iris: &Iris,
    hierarchy: &Hierarchy<'a>,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    for parent in hierarchy.further_parents(node) {
        turtle.put(&iris.concept(parent), skos::NARROWER, subject)?;
    }
    for (relation, placed) in node.node().details().relations.iter().zip(placed) {
        if let (RelationType::Related, Some(ConceptKey::Term(other))) = (relation.kind, placed) {
            turtle.put(&iris.term(other.get()), skos::RELATED, subject)?;
        }
    }
    Ok(())
}
