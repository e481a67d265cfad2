//! Paths, notations and relations. The tables contain hashes, so each candidate is compared with its record.

use taxonomy_index::{IdTable, notation_key, path_key, relation_key};
use taxonomy_keys::Culture;
use taxonomy_model::RelatedId;

use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, VersionFile};

/// A reference to categories or terms other than by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// A path in a culture.
    Path(Culture, String),
    /// A code in a classification.
    Notation(String),
    /// A relation to a concept of another scheme; without a scheme, to a term of the tenant by its id.
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
    fn key(&self) -> (IdTable, u64) {
        match self {
            Self::Path(culture, path) => (IdTable::Paths, path_key(culture, path)),
            Self::Notation(notation) => (IdTable::Notations, notation_key(notation)),
            Self::Relation(scheme, id) => (IdTable::Relations, relation_key(scheme.as_deref(), id)),
        }
    }

    /// Returns whether it names a node.
    fn names(&self, node: &FileNode) -> bool {
        let known = node.term().map(|term| term.node);
        let Some(known) = known.or_else(|| node.category().map(|category| category.node)) else {
            return false;
        };
        match self {
            Self::Path(culture, path) => {
                let found = known.name_in(culture).and_then(|name| name.path);
                found.is_some_and(|found| found.text() == path.as_str())
            }
            Self::Notation(notation) => known.details().notation.as_deref() == Some(notation),
            Self::Relation(scheme, id) => known.details().relations.iter().any(|relation| {
                relation.scheme == *scheme
                    && match &relation.id {
                        RelatedId::Term(term) => term.to_string() == *id,
                        RelatedId::Concept(concept) => concept == id,
                    }
            }),
        }
    }
}

impl VersionFile<'_> {
    /// Returns the categories and terms that a reference names, up to `most`.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn resolve(&self, reference: &Reference, most: usize) -> Result<ResolvedNodes, VersionError> {
        let (table, key) = reference.key();
        let mut candidates = self.values(table, key).await?;
        let truncated = candidates.len() > most;
        candidates.truncate(most);
        let mut nodes = self.nodes(&candidates).await?;
        nodes.retain(|node| reference.names(node));
        Ok(ResolvedNodes { nodes, truncated })
    }
}
