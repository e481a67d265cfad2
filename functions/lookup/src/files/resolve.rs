//! Paths, notations and relations. The tables contain hashes, so each candidate is compared with its record.

use std::ops::RangeInclusive;

use taxonomy_index::{IdTable, notation_key, path_key, relation_key, relation_keys};
use taxonomy_keys::Culture;
use taxonomy_model::{Node, RelatedId, Relation};

use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, VersionFile};

/// A reference to categories or terms other than by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A path in a culture.
    Path(Culture, String),
    /// A code in a classification.
    Notation(String),
    /// A relation to a concept; without a scheme, to one of any scheme and to the term of the tenant with this id.
    Relation(Option<String>, String),
}

/// The categories and terms that a reference names.
#[derive(Debug)]
pub struct ResolvedNodes {
    /// Categories first, each kind in the order of the tree.
    pub nodes: Vec<FileNode>,
    /// Whether there are more.
    pub truncated: bool,
}

impl Reference {
    fn keys(&self) -> (IdTable, RangeInclusive<u64>) {
        let one = |key| key..=key;
        match self {
            Self::Path(culture, path) => (IdTable::Paths, one(path_key(culture, path))),
            Self::Notation(notation) => (IdTable::Notations, one(notation_key(notation))),
            Self::Relation(None, id) => (IdTable::Relations, relation_keys(id)),
            Self::Relation(scheme, id) => (IdTable::Relations, one(relation_key(scheme.as_deref(), id))),
        }
    }

    /// Returns the relations of a node that have the form of the reference, which names the node by them.
    pub fn relations<'n>(&self, node: Node<'n>) -> impl Iterator<Item = &'n Relation> {
        let wanted = match self {
            Self::Relation(scheme, id) => Some((scheme, id)),
            Self::Path(..) | Self::Notation(_) => None,
        };
        let relations = node.details().relations.iter();
        relations.filter(move |relation| {
            wanted.is_some_and(|(scheme, id)| {
                let is_of_scheme = scheme.is_none() || relation.scheme == *scheme;
                is_of_scheme
                    && match &relation.id {
                        RelatedId::Term(term) => term.to_string() == *id,
                        RelatedId::Concept(concept) => concept == id,
                    }
            })
        })
    }

    /// Returns whether it names a node.
    fn names(&self, node: &FileNode) -> bool {
        let Some(known) = node.node() else {
            return false;
        };
        match self {
            Self::Path(culture, path) => {
                let found = known.name_in(culture).and_then(|name| name.path);
                found.is_some_and(|found| found.text() == path.as_str())
            }
            Self::Notation(notation) => known.details().notation.as_deref() == Some(notation),
            Self::Relation(..) => self.relations(known).next().is_some(),
        }
    }
}

impl VersionFile<'_> {
    /// Returns the categories and terms that a reference names, up to `most`.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn resolve(&self, reference: &Reference, most: usize) -> Result<ResolvedNodes, VersionError> {
        let (table, keys) = reference.keys();
        let mut candidates = self.values_of(table, keys).await?;
        // A node that is related to the concept in two schemes is one candidate.
        candidates.sort_unstable();
        candidates.dedup();
        let truncated = candidates.len() > most;
        candidates.truncate(most);
        let mut nodes = self.nodes(&candidates).await?;
        nodes.retain(|node| reference.names(node));
        Ok(ResolvedNodes { nodes, truncated })
    }
}
