//! The categories and terms of the tenant that a term is related to, by its own relations and by theirs.

use std::collections::BTreeMap;

use taxonomy_index::{IdTable, relation_key};
use taxonomy_keys::TermId;
use taxonomy_model::{Node, RelatedId, RelationType};

use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, VersionFile};

/// What a term is related to.
#[derive(Debug, Default)]
pub struct RelatedNodes {
    /// By the type of the relation, seen from the term; then categories, then terms in the order of the tree. Each is there once for a type.
    pub nodes: Vec<(RelationType, FileNode)>,
    /// Whether more have a relation to it than were looked at.
    pub truncated: bool,
}

impl VersionFile<'_> {
    /// Returns what a live term is related to: by its own relations without a scheme, and by those of at most `most` others to it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn related_to(&self, id: TermId, most: usize) -> Result<RelatedNodes, VersionError> {
        let Some(ordinal) = self.term_ordinal(id).await? else {
            return Ok(RelatedNodes::default());
        };
        let node = self.node(ordinal).await?;
        let Some(term) = node.node() else {
            return Ok(RelatedNodes::default());
        };
        let own: BTreeMap<TermId, Vec<RelationType>> =
            relations(term).fold(BTreeMap::new(), |mut own, (kind, id)| {
                own.entry(id).or_default().push(kind);
                own
            });
        let key = relation_key(None, &id.to_string());
        let mut others = self.values(IdTable::Relations, key).await?;
        let truncated = others.len() > most;
        others.truncate(most);
        let ids: Vec<TermId> = own.keys().copied().collect();
        let mut found = BTreeMap::new();
        for (other, node) in self.term_nodes(&ids).await? {
            for kind in &own[&other] {
                found.insert((*kind, node.ordinal), node.clone());
            }
        }
        for node in self.nodes(&others).await? {
            let kinds = node.node().into_iter().flat_map(relations);
            for (kind, _) in kinds.filter(|(_, other)| *other == id) {
                found.insert((inverse(kind), node.ordinal), node.clone());
            }
        }
        let nodes = found.into_iter().map(|((kind, _), node)| (kind, node));
        Ok(RelatedNodes {
            nodes: nodes.collect(),
            truncated,
        })
    }
}

/// Returns the relations of a node to terms of the tenant.
fn relations(node: Node<'_>) -> impl Iterator<Item = (RelationType, TermId)> {
    let relations = node.details().relations.iter();
    let own = relations.filter(|relation| relation.scheme.is_none());
    own.filter_map(|relation| match relation.id {
        RelatedId::Term(id) => Some((relation.kind, TermId::new(id)?)),
        RelatedId::Concept(_) => None,
    })
}

fn inverse(kind: RelationType) -> RelationType {
    match kind {
        RelationType::Broad => RelationType::Narrow,
        RelationType::Narrow => RelationType::Broad,
        RelationType::Exact | RelationType::Close | RelationType::Related => kind,
    }
}
